unsigned char c = 250;
c += 10;
c
//---
0u - 1
