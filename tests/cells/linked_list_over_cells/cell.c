struct node { int v; struct node *next; } *head;
void push(int v) { struct node *n = malloc(sizeof *n); *n = (struct node){ v, head }; head = n; }
//---
for (int i = 1; i <= 3; i++) push(i * i);
//---
int sum = 0;
for (struct node *n = head; n; n = n->next) sum += n->v;
sum
//---
while (head) { struct node *n = head->next; free(head); head = n; }
head == NULL
