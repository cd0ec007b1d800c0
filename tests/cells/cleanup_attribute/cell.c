void bye(int *p) { printf("bye %d\n", *p); }
void f(void) { __attribute__((cleanup(bye))) int n = 4; n++; }
f();
