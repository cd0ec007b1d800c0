static int square(int x) { return x * x; }
//---
square(9)
