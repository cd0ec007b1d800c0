#define A
#ifdef A
# ifndef B
#  define B 5
# else
#  error never
# endif
#endif
B
