const char *const names[] = { "zero", "one", "two" };
names[2]
