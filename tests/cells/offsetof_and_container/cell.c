struct in { char c; int v; }; struct out { long l; struct in in; } o;
offsetof(struct out, in.v)
//---
int *v = &o.in.v;
(struct out *)((char *)v - offsetof(struct out, in.v)) == &o
