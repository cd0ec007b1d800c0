int kept = 1;
//---
kept = 2; *(volatile int *)0 = 1;
//---
kept
