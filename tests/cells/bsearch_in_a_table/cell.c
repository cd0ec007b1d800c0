struct kv { const char *k; int v; } table[] = { { "a", 1 }, { "m", 2 }, { "z", 3 } };
int by_key(const void *k, const void *e) { return strcmp(k, ((const struct kv *)e)->k); }
((struct kv *)bsearch("m", table, 3, sizeof *table, by_key))->v
