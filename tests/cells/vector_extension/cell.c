typedef float v4 __attribute__((vector_size(16)));
v4 a = { 1, 2, 3, 4 }, b = a * a + 1;
b
//---
b[2]
