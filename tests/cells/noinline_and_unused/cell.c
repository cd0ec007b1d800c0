__attribute__((noinline, unused)) static int f(int a) { return a + 1; }
f(1)
