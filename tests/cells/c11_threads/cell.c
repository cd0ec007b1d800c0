#include <threads.h>
int half(void *p) { return *(int *)p / 2; }
int v = 42, r; thrd_t t;
thrd_create(&t, half, &v); thrd_join(t, &r);
r
