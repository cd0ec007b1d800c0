typedef int v4 __attribute__((vector_size(16)));
v4 a = { 1, 2, 3, 4 };
__builtin_shufflevector(a, a, 3, 2, 1, 0)
