/* SPDX-License-Identifier: Apache-2.0 */
/* The profile that is being made, if any. It stays until no launch uses it. */
#include "emulator/driver/stream/cu-profile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "emulator/driver/stream/cu-stream.h"
#include "emulator/launch/machine-launch.h"
#include "emulator/profile/profile.h"
#include "emulator/ptx/machine-limits.h"
#include "emulator/ptx/ptx-lines.h"

static struct cu_profile {
	_Atomic bool on;
	pthread_mutex_t lock;
	pthread_cond_t unused;
	unsigned users;
	struct profile *profile;
} now = { .lock = PTHREAD_MUTEX_INITIALIZER, .unused = PTHREAD_COND_INITIALIZER };

static struct profile *hold(void)
{
	struct profile *p = NULL;

	if (!atomic_load_explicit(&now.on, memory_order_acquire))
		return NULL;
	pthread_mutex_lock(&now.lock);
	if (now.profile) {
		p = now.profile;
		now.users++;
	}
	pthread_mutex_unlock(&now.lock);
	return p;
}

static void let_go(void)
{
	pthread_mutex_lock(&now.lock);
	if (!--now.users)
		pthread_cond_broadcast(&now.unused);
	pthread_mutex_unlock(&now.lock);
}

/* Ends the one at work. */
static struct profile *take(void)
{
	struct profile *p;

	pthread_mutex_lock(&now.lock);
	p = now.profile;
	now.profile = NULL;
	atomic_store(&now.on, false);
	while (now.users)
		pthread_cond_wait(&now.unused, &now.lock);
	pthread_mutex_unlock(&now.lock);
	return p;
}

int cu_profile_begin(void)
{
	struct profile *p = profile_new();

	if (!p)
		return CUDA_ERROR_OUT_OF_MEMORY;
	profile_free(take());
	pthread_mutex_lock(&now.lock);
	now.profile = p;
	atomic_store(&now.on, true);
	pthread_mutex_unlock(&now.lock);
	return CUDA_SUCCESS;
}

void *cu_profile_take(size_t *ret_len)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct profile *p = take();
	void *bytes = NULL;

	if (p)
		profile_encode(p, &out);
	if (p && !out.failed) {
		*ret_len = out.len;
		bytes = buffer_steal(&out);
	}
	profile_free(p);
	return bytes;
}

static int watched_launch(struct profile *p, const struct machine_launch *l,
			  struct gpu_fault *fault, struct machine_stats *stats, struct error *err)
{
	struct observer *observers[MACHINE_OBSERVERS];
	struct machine_launch watched = *l;
	uint64_t start;
	struct tally t;
	int rc;

	if (l->observer_count)
		memcpy(observers, l->observers, l->observer_count * sizeof(observers[0]));
	tally_init(&t);
	observers[watched.observer_count++] = &t.observer;
	watched.observers = observers;
	start = clock_now_ns();
	rc = machine_launch(&watched, fault, stats, err);
	if (rc >= 0)
		profile_add_launch(p, l, &t, clock_now_ns() - start);
	tally_release(&t);
	return rc;
}

int cu_profile_launch(const struct machine_launch *l, struct gpu_fault *fault,
		      struct machine_stats *stats, struct error *err)
{
	struct profile *p = l->observer_count < MACHINE_OBSERVERS ? hold() : NULL;
	uint64_t start = cu_profile_start();
	char name[256];
	int rc;

	if (!p)
		return machine_launch(l, fault, stats, err);
	rc = watched_launch(p, l, fault, stats, err);
	let_go();
	ptx_lines_source_name(l->kernel->name, name, sizeof(name));
	cu_profile_note(start, SPAN_LAUNCH, name, 0);
	return rc;
}

void cu_profile_hide(void *stream)
{
	struct queue *q = cu_stream_queue(stream);

	if (q)
		q->hidden = true;
}

uint64_t cu_profile_start(void)
{
	return atomic_load_explicit(&now.on, memory_order_relaxed) ? clock_now_ns() : 0;
}

void cu_profile_note(uint64_t start, enum profile_span_kind kind, const char *name, uint64_t bytes)
{
	const struct queue *q = queue_at_work();
	struct profile *p = start && !(q && q->hidden) ? hold() : NULL;

	if (!p)
		return;
	profile_add_span(p, kind, q && !q->legacy ? q : NULL, name, start, bytes);
	let_go();
}
