int f(void) { return 6; }
const int six = f();
//---
six = 7;
//---
six
