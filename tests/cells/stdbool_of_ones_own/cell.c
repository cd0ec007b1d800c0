typedef enum { false, true } bool;
bool b = true;
b + true
//---
bool c = false;
c
