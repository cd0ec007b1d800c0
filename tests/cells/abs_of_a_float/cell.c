float x = -1.5f;
//---
abs(x)
//---
int lost(void) { int *p = (void *)0; return abs(x); }
lost()
