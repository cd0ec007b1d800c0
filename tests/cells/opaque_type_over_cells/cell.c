typedef struct stack stack;
stack *stack_new(void);
int stack_size(const stack *s);
//---
struct stack { int n; };
stack *stack_new(void) { return calloc(1, sizeof(stack)); }
int stack_size(const stack *s) { return s->n; }
//---
stack *s = stack_new(); s->n = 4;
stack_size(s)
