#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
printf("%d\n", 1l);
#pragma GCC diagnostic pop
printf("%d\n", 2l);
//---
#define QUIET _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat\"")
#define LOUD _Pragma("GCC diagnostic pop")
QUIET
printf("%d\n", 3l);
LOUD
printf("%d\n", 4l);
