#include <pthread.h>
__thread int t = 1;
void *other(void *p) { t += 10; *(int *)p = t; return NULL; }
int seen; pthread_t id;
t = 5;
pthread_create(&id, NULL, other, &seen); pthread_join(id, NULL);
seen * 100 + t
