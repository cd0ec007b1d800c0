int original(void) { return 6; }
int other(void) __attribute__((alias("original")));
other()
