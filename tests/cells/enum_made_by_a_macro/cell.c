#define COLORS(X) X(RED) X(GREEN) X(BLUE)
#define NAME(n) n,
enum color { COLORS(NAME) N_COLORS };
//---
enum color c = BLUE;
c + N_COLORS
//---
#define LIST A, B
enum letter { LIST, C = 7 };
//---
A + B + C
