struct node;
struct list { struct node *head; } list;
//---
struct node { int v; struct node *next; } n = { 4, NULL };
list.head = &n;
//---
list.head->v
