const int *p = (const int[]){ 4, 5 };
p[1]
//---
p = (const int[]){ 6, 7 };
p[0] = 1;
//---
p[1]
