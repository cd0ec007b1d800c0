_Noreturn void stop(int n) { exit(n); }
int f(int x) { if (x) return x; stop(3); }
f(4)
