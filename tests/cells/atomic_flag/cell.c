#include <stdatomic.h>
atomic_flag once = ATOMIC_FLAG_INIT;
atomic_flag_test_and_set(&once)
//---
atomic_flag_test_and_set(&once)
