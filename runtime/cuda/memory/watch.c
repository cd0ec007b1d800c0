/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table is made anew only for somebody who looks; of many buffers ten times a second at most
 * while a cell runs, so that it may lack the last ones until the next comes or goes, or the cell
 * ends. The sum is always exact.
 */
#include "runtime/cuda/memory/watch.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/protocol/device-watch.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"

#define RENEW_NS 100000000u
#define MANY 256 /* buffers */

/* The largest so far, in order; the one that falls out joins the rest. */
static void place(const struct session_buffer *b,
		  const struct session_buffer *largest[DEVICE_WATCH_ROWS],
		  struct device_watch_table *t)
{
	uint32_t at = t->n_rows;
	const struct session_buffer *out = b;

	while (at && largest[at - 1]->size < b->size)
		at--;
	if (t->n_rows < DEVICE_WATCH_ROWS) {
		memmove(&largest[at + 1], &largest[at], (t->n_rows - at) * sizeof(largest[0]));
		largest[at] = b;
		t->n_rows++;
		return;
	}
	if (at < DEVICE_WATCH_ROWS) {
		out = largest[DEVICE_WATCH_ROWS - 1];
		memmove(&largest[at + 1], &largest[at],
			(DEVICE_WATCH_ROWS - 1 - at) * sizeof(largest[0]));
		largest[at] = b;
	}
	t->n_left++;
	t->bytes_left += out->size;
}

static void renew(struct device_watch *w)
{
	const struct session_array *a = &device.session->buffers;
	const struct session_buffer *largest[DEVICE_WATCH_ROWS];
	struct device_watch_table t = { 0 };

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (!b->dead && b->kind <= BUFFER_MANAGED)
			place(b, largest, &t);
	}
	for (uint32_t i = 0; i < t.n_rows; i++) {
		t.rows[i].size = largest[i]->size;
		t.rows[i].cell = largest[i]->cell;
		snprintf(t.rows[i].name, sizeof(t.rows[i].name), "%s",
			 session_buffer_name(largest[i]));
	}
	device_watch_put(w, &t);
	device.watch_renewed_ns = clock_now_ns();
}

static struct device_watch *watch(void)
{
	struct device_watch *w = device.host->watch;

	if (!w || !device.session)
		return NULL;
	atomic_store(&w->used, ledger_used());
	atomic_store(&w->limit, device.limit);
	return w;
}

void watch_changed(void)
{
	struct device_watch *w = watch();

	if (w && atomic_load_explicit(&w->wanted, memory_order_relaxed) &&
	    (device.session->buffers.n < MANY ||
	     clock_now_ns() - device.watch_renewed_ns > RENEW_NS))
		renew(w);
}

void watch_renew(void)
{
	struct device_watch *w = watch();

	if (w && atomic_load(&w->wanted))
		renew(w);
}
