printf("hello\n);
//---
int n = strlen("a") + strlen("b;
int m;
//---
f("a", (2;
