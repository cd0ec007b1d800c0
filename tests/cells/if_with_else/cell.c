#if defined(NOT_DEFINED)
puts("yes");
#else
puts("no");
#endif
