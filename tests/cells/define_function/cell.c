#define SQUARE(x) ((x) * (x))
SQUARE(2 + 1)
//---
SQUARE(SQUARE(2))
