#define LOG(fmt, ...) printf("log: " fmt "\n" __VA_OPT__(,) __VA_ARGS__)
#define MAKE_LIST(T) typedef struct T##_node { T value; struct T##_node *next; } T##_node; \
	static T##_node *T##_push(T##_node *l, T v) { T##_node *n = malloc(sizeof *n); n->value = v; n->next = l; return n; }
LOG("plain");
LOG("%d %s", 1, "two");
MAKE_LIST(int)
int_node *l = int_push(int_push(0, 1), 2);
l->value
//---
l = int_push(l, 3);
for (int_node *n = l; n; n = n->next) LOG("%d", n->value);
//---
typedef double real;
MAKE_LIST(real);
real_node *rl = real_push(0, 2.5);
rl->value
//---
real_node copy = *rl; copy.value
