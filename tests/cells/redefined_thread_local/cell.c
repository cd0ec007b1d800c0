_Thread_local int v = 1;
int read_v(void) { return v; }
//---
v = 5; _Thread_local int v = 6; printf("%d %d\n", v, read_v());
