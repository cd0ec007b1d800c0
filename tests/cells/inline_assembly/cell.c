#if defined(__x86_64__)
int a = 3, b;
__asm__("leal 4(%1), %0" : "=r"(b) : "r"(a));
#else
int b = 7;
#endif
b
