#if 0
int x = nonsense(;
puts("never");
#endif
//---
#if 1
int x = 4;
x
#endif
