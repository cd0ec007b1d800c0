#define A 1
printf("A=%d\n", A);
#undef A
#define A 2
printf("A=%d\n", A);
//---
A
//---
#if 0
#define GONE 1
struct gone { int x; };
puts("gone");
this is not C at all;
#elif A == 2
int here = __LINE__;
#else
int elsewhere = 1;
#endif
#ifdef GONE
puts("bad");
#elif defined(A)
puts("good");
#endif
here
//---
#ifdef GONE
#error a macro of a branch that was not taken
#endif
#define LONG(a) \
	((a) + \
	 A)
LONG(3)
