typedef int v4 __attribute__((vector_size(16)));
v4 m = (v4){ 1, 5, 3, 7 } > 3;
m
