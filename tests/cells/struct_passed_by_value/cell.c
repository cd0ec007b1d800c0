struct p { int v[4]; };
int change(struct p p) { p.v[0] = 99; return p.v[0]; }
struct p p = { { 1 } };
change(p) + p.v[0]
