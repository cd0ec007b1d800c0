inline int twice(int x) { return 2 * x; }
static inline int thrice(int x) { return 3 * x; }
twice(2) + thrice(2)
//---
twice(5)
