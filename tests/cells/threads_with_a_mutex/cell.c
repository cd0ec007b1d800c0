#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; int total;
void *work(void *p)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return p;
}
pthread_t t[4];
for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, NULL);
for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
total
