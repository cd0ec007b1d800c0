int one(void) { return 1; }
int (*pick(int unused))(void) { return one; }
pick(3)() + (*pick(4))()
