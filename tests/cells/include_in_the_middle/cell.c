puts("before");
#include <search.h>
ENTRY e = { "key", NULL };
e.key
