#include <stdatomic.h>
_Atomic int n = 5;
atomic_fetch_add(&n, 3);
n++;
n
