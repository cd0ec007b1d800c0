%%cpp
void *give() { return nullptr; }
int *p = give();
//---
%%cpp
struct node { int n; };
void *any = new node;
node *n;
n = any;
