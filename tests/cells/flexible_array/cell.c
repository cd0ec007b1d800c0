struct buf { size_t n; int data[]; };
struct buf *b = malloc(sizeof *b + 3 * sizeof(int));
b->n = 3; for (size_t i = 0; i < b->n; i++) b->data[i] = i * 10;
//---
b->data[2]
//---
free(b);
