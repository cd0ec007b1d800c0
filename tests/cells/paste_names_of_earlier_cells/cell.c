#define VAR(n) var_##n
#define size_of_int 4
int var_1 = 5;
int var_two(void) { return 7; }
//---
VAR(1) + VAR(two)()
//---
#define SIZE(t) size_of_##t
SIZE(int)
