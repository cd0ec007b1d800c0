#define TWICE(s) do { s; s; } while (0)
TWICE(puts("x"));
if (1) TWICE(puts("y")); else puts("z");
