#define COLORS(X) X(RED, "red") X(GREEN, "green") X(BLUE, "blue")
#define X(n, s) n,
enum color { COLORS(X) COLOR_COUNT };
#undef X
#define X(n, s) [n] = s,
const char *names[] = { COLORS(X) };
#undef X
#define X(n, s) case n: return s;
const char *name_of(enum color c) { switch (c) { COLORS(X) default: return "?"; } }
#undef X
#define X(n, s) int count_##n = n;
COLORS(X)
#undef X
printf("%s %s %d\n", names[1], name_of(BLUE), count_BLUE);
//---
#define X(n, s) + n
0 COLORS(X)
#undef X
//---
count_GREEN + COLOR_COUNT
