int f(void) { static int calls = 10; return calls++; }
f(); f();
f()
