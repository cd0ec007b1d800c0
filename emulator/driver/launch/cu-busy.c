/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of several streams overlap: the time counts once. */
#include "emulator/driver/launch/cu-busy.h"

#include <pthread.h>
#include <stddef.h>

#include "common/base/clock.h"
#include "common/protocol/device-watch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device_busy *busy;
static uint32_t running;

void cu_busy_count(struct device_busy *b)
{
	pthread_mutex_lock(&lock);
	busy = b;
	pthread_mutex_unlock(&lock);
}

void cu_busy_begin(void)
{
	pthread_mutex_lock(&lock);
	if (!running++ && busy) {
		atomic_store(&busy->since_ns, clock_now_ns());
		atomic_store(&busy->running, 1);
	}
	pthread_mutex_unlock(&lock);
}

void cu_busy_end(void)
{
	pthread_mutex_lock(&lock);
	if (!--running && busy && atomic_exchange(&busy->running, 0))
		atomic_fetch_add(&busy->busy_ns, clock_now_ns() - atomic_load(&busy->since_ns));
	pthread_mutex_unlock(&lock);
}
