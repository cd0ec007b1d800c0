(char)65
//---
(signed char)-1
//---
(short)-3
//---
(unsigned long)-1
//---
1 == 1
