struct in { int a[3]; }; struct out { struct in in; int k; };
struct out o = { .in.a[1] = 5, .k = 2 };
o.in.a[1] + o.k
