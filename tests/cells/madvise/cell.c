#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
char *p = aligned_alloc(4096, 8 << 20);
memset(p, 1, 8 << 20);
//---
memset(p, 2, 8 << 20);
madvise(p, 4096, MADV_REMOVE)
//---
madvise(p + 4096, 4096, MADV_DONTNEED)
//---
madvise(p + 1, 4096, MADV_FREE)
//---
p[0] + p[4095] + p[4096] + p[8191] + p[8192]
