int a = 1; *(volatile int *)0 = 1;
//---
a
