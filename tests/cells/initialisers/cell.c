int twice(int n) { return 2 * n; }
int a = twice(4), b = a + 1, c = 3;
int squares[] = { twice(1), twice(2), [5] = twice(6), 9 };
const int fixed = twice(8);
const int *const to = &fixed;
double m[2][2] = { { 1, twice(2) }, { twice(3) } };
char text[16] = "hey", *where = text + 1;
int (*fp)(int) = twice, (*fps[2])(int) = { twice, twice };
__auto_type half = twice(5) / 4.0;
static const char *const words[] = { "x<<<1>>>", "y//" };
struct pair { int u, v; } one = { .v = twice(3), .u = 1 }, two = { 1, 2 };
#define LIMIT 12
int limit = LIMIT, UPPER = 5;
int from_upper = UPPER;
_Complex double z = 1 + 2i;
//---
printf("%d %d %d %d %d\n", a, b, c, fixed, *to);
printf("%zu %d %d\n", sizeof squares / sizeof *squares, squares[5], squares[6]);
printf("%g %g %s %d %g %s\n", m[0][1], m[1][0], where, fps[1](3), half, words[1]);
printf("%d %d %d %d\n", one.u, one.v, limit, from_upper);
