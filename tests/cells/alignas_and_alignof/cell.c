#include <stdalign.h>
alignas(64) char line[10];
_Alignof(double) + alignof(char) + (uintptr_t)line % 64
