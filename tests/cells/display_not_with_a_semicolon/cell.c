int x = 3;
x;
//---
x
