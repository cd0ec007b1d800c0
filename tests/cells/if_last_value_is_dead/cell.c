puts("a");
#if 0
42
#endif
