#define A B + 1
#define B C * 2
#define C 5
A
//---
#define C 6
A
