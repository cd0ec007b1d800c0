struct kv { const char *k; int v; };
int n = 2;
struct kv *table = (struct kv[]){ { "a", n }, { "b", n + 1 } };
//---
table[1].v
