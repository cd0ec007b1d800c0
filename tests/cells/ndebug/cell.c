#define NDEBUG
#include <assert.h>
assert(0);
puts("not checked");
