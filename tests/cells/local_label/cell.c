#define SKIP(x) ({ __label__ l; int r = 0; if (x) goto l; r = 1; l: r; })
SKIP(1) * 10 + SKIP(0)
