typedef struct { int v; } node;
int take(int node) { return node * 2; }
node n = { 4 };
take(n.v)
