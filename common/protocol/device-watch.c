/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table is a sequence lock in shared memory: the writer makes the number odd, copies the
 * table, and makes it even again; a reader copies the table and keeps the copy only if the number
 * was even and has not changed. A writer that died while it wrote leaves an odd number, from which
 * the next one goes on. The busy time is not under the lock: its three values are read one after
 * another and may be of different moments.
 */
#include "common/protocol/device-watch.h"

#include <string.h>

void device_watch_put(struct device_watch *w, const struct device_watch_table *t)
{
	uint32_t sequence = atomic_load_explicit(&w->sequence, memory_order_relaxed);

	atomic_store_explicit(&w->sequence, sequence | 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	w->table = *t;
	atomic_store_explicit(&w->sequence, (sequence | 1) + 1, memory_order_release);
}

bool device_watch_get(const struct device_watch *w, struct device_watch_table *ret)
{
	uint32_t before = atomic_load_explicit(&w->sequence, memory_order_acquire);
	struct device_watch_table t = w->table;

	atomic_thread_fence(memory_order_acquire);
	if (before & 1 || atomic_load_explicit(&w->sequence, memory_order_relaxed) != before)
		return false;
	if (t.n_rows > DEVICE_WATCH_ROWS)
		t.n_rows = DEVICE_WATCH_ROWS;
	for (uint32_t i = 0; i < t.n_rows; i++)
		t.rows[i].name[sizeof(t.rows[i].name) - 1] = '\0';
	*ret = t;
	return true;
}

uint64_t device_busy_ns(const struct device_busy *b, uint64_t now_ns)
{
	uint64_t ns = atomic_load(&b->busy_ns), since = atomic_load(&b->since_ns);

	return atomic_load(&b->running) && now_ns > since ? ns + (now_ns - since) : ns;
}
