#include <stdio.h>
#include <stdlib.h>

typedef struct stack {
	int *items;
	size_t n, cap;
} stack_t_;

static void push(stack_t_ *s, int v)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 4;
		s->items = realloc(s->items, s->cap * sizeof(*s->items));
	}
	s->items[s->n++] = v;
}

int main(int argc, char **argv)
{
	stack_t_ s = { 0 };

	for (int i = 0; i < 10; i++)
		push(&s, i * i);
	printf("%d items, last %d, %d arguments\n", (int)s.n, s.items[s.n - 1], argc);
	free(s.items);
	return 0;
}
//---
main(1, (char *[]){ "program", NULL })
