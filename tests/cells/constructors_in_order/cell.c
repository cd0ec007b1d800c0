__attribute__((constructor(202))) void second(void) { puts("second"); }
__attribute__((constructor(201))) void first(void) { puts("first"); }
puts("cell");
