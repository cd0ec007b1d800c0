#if __has_include(<stdio.h>) && !__has_include("no-such-file.h")
puts("found");
#endif
