struct tree { struct node { int value = 1; }; node root; int sum() const { return root.value; } };
tree::node n;
n.value
//---
struct tree { struct node { int value = 1, more = 2; }; node root; int sum() const { return root.value + root.more; } };
tree t;
t.sum() + tree::node().more
//---
tree::node m;
m
