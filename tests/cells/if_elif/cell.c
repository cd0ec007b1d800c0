#define LEVEL 2
#if LEVEL == 1
int level = 10;
#elif LEVEL == 2
int level = 20;
#else
#error "no such level"
#endif
level
