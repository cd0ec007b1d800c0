int abs(int x) { return x < 0 ? -x : x; }
size_t strlen(const char *s) { return 99; }
strlen("abc") + abs(-1)
//---
strlen("x")
