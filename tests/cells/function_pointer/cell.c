int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; }
int (*op)(int, int) = add;
op(5, 3) * 10
//---
op = sub; op(5, 3)
