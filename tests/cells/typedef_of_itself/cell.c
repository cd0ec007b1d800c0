typedef struct tree tree;
struct tree { tree *left, *right; int v; };
int total(const tree *t) { return t ? total(t->left) + t->v + total(t->right) : 0; }
tree leaf = { .v = 2 }, root = { &leaf, NULL, 3 };
total(&root)
