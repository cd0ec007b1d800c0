int odd(unsigned n);
int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
//---
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
//---
even(10) + odd(7)
