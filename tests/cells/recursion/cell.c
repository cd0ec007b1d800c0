unsigned long fact(unsigned n) { return n < 2 ? 1 : n * fact(n - 1); }
fact(20)
