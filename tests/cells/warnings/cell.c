int x = 3;
if (x = 4) puts("assigned");
printf("%s\n", x);
//---
int unused_here; static int also; int f(void) { int local; return 1; }
x;
