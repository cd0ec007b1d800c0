/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of several streams overlap: the time counts once. */
#include "emulator/driver/launch/cu-busy.h"

#include <pthread.h>
#include <stddef.h>

#include "common/base/clock.h"
#include "common/protocol/device-watch.h"

static struct cu_busy {
	pthread_mutex_t lock;
	struct device_busy *count; /* NULL: nobody asked */
	uint32_t running;          /* launches */
} busy = { .lock = PTHREAD_MUTEX_INITIALIZER };

void cu_busy_count(struct device_busy *b)
{
	pthread_mutex_lock(&busy.lock);
	busy.count = b;
	pthread_mutex_unlock(&busy.lock);
}

void cu_busy_begin(void)
{
	pthread_mutex_lock(&busy.lock);
	if (!busy.running++ && busy.count) {
		atomic_store(&busy.count->since_ns, clock_now_ns());
		atomic_store(&busy.count->running, 1);
	}
	pthread_mutex_unlock(&busy.lock);
}

void cu_busy_end(void)
{
	pthread_mutex_lock(&busy.lock);
	if (!--busy.running && busy.count && atomic_exchange(&busy.count->running, 0))
		atomic_fetch_add(&busy.count->busy_ns,
				 clock_now_ns() - atomic_load(&busy.count->since_ns));
	pthread_mutex_unlock(&busy.lock);
}
