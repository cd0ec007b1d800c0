int x;
x = 7
//---
x++
//---
x
