int n = 3;
int *p = (int[]){ n, n + 1, n + 2 };
struct node { int v; struct node *next; } *list = &(struct node){ n, &(struct node){ 2 * n, 0 } };
const char **words;
words = (const char *[]){ "a", "b", NULL };
//---
int waste[400]; memset(waste, 1, sizeof waste);
p[2] + list->next->v
//---
words[1]
//---
p = (int[4]){ [3] = 8 }; sizeof (int[]){ 1, 2, 3 }
//---
p[3] + (struct node){ 4 }.v
//---
(const int[]){ 1, 2 }
//---
for (int i = 0; i < 2; i++) { int *q = (int[]){ i }; n += *q; }
n
