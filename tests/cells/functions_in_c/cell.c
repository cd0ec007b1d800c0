static inline double sq(double v) { return v * v; }
inline int one(void) { return 1; }
extern int declared_only;
static int kept;
void noreturn_fn(void) __attribute__((noreturn));
int min(int a, int b) { return 100; }
int use(int (*f)(void)) { return f(); }
//---
sq(3) + one() + use(one) + min(1, 2)
