#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
printf("%d\n", 1l);
//---
printf("%d\n", 2l);
//---
#pragma GCC diagnostic pop
printf("%d\n", 3l);
//---
#pragma clang diagnostic error "-Wformat"
//---
printf("%d\n", 4l);
//---
#pragma GCC diagnostic warning "-Wformat"
printf("%d\n", 5l);
