struct in { int a; double b; }; struct out { struct in in[2]; const char *name; };
struct out o = { { { 1, 2 }, { 3, 4.5 } }, "out" };
o
