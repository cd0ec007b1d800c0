1 + 1
//---
int x = 3; printf("%d\n", x);
//---
x * 2.5
//---
"text"
//---
x > 2 ? 'a' : 'b'
//---
x = 7
//---
x; // not shown
//---
printf("shown\n"); (void)0
