#include <tgmath.h>
sqrt(16.0f) + sizeof(sqrt(1.0f))
