int deep(int n) { volatile int here = n; return n < 0 ? 0 : deep(n + 1) + here; }
//---
deep(0)
//---
puts("still here");
