#define PRINT(x) printf("%d\n", x);
PRINT(1)
PRINT(2);
if (1) PRINT(3)
