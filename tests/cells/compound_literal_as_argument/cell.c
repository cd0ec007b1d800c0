struct p { int x, y; };
int sum(const struct p *p) { return p->x + p->y; }
sum(&(struct p){ .y = 4, .x = 5 })
