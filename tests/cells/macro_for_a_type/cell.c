#define uint8 unsigned char
uint8 a = 255;
a++;
a
//---
uint8 b = 256 + 7;
b
