/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers are in memory that the worker shares with the kernel, so an ordinary cell costs
 * nothing. */
#include "kernel/device/cap-watch.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/device-watch.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/device-share.h"
#include "kernel/settings/size-text.h"
#include "kernel/share/share.h"
#include "kernel/workers/question.h"
#include "kernel/workers/worker-pool.h"

#define NAMED 3
#define MUCH(used, allowed) ((used) / 9 > (allowed) / 10)

/* Sums over all devices the memory that other notebooks do not hold. */
static uint64_t left_by_others(struct supervisor *s)
{
	uint64_t held = 0, total = s->pool->hello.device_memory;
	struct error err = ERROR_INIT;

	for (uint32_t i = 0; s->share->open && i < s->pool->hello.n_devices; i++) {
		uint64_t bytes;

		if (share_held_by_others(&s->share->share, s->pool->hello.uuids[i], &bytes, &err))
			log_info("%s", err.text);
		else
			held += bytes;
	}
	return held < total ? total - held : 0;
}

static void put_holders(const struct device_watch_table *t, struct buffer *out)
{
	const char *before = ": ";
	char size[SIZE_TEXT_MAX];

	if (!t->n_rows)
		return;
	buffer_puts(out, " The largest");
	for (uint32_t i = 0; i < t->n_rows && i < NAMED; i++) {
		const struct device_watch_row *r = &t->rows[i];

		buffer_printf(out, "%s%s%s%s %s (In[%" PRIu32 "])", before, *r->name ? "`" : "",
			      *r->name ? r->name : "a buffer of", *r->name ? "`" : "",
			      size_text(r->size, size), r->cell);
		before = ", ";
	}
	buffer_putc(out, '.');
}

static void warn(struct supervisor *s, struct device_watch *w, uint64_t used, uint64_t allowed,
		 bool others, struct buffer *out)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;
	struct device_watch_table t = { 0 };
	struct error err = ERROR_INIT;
	uint32_t wanted = atomic_exchange(&w->wanted, 1);
	char a[SIZE_TEXT_MAX], b[SIZE_TEXT_MAX];

	/* The answer means that the worker's table is up to date. */
	if (question_device_report(s, &report, &err) || !device_watch_get(w, &t))
		log_info("cap: %s", err.text);
	atomic_store(&w->wanted, wanted);
	buffer_printf(out, "device memory: %s are in use, of %s that %s.", size_text(used, a),
		      size_text(allowed, b),
		      others ? "other notebooks leave" : "this session may have");
	put_holders(&t, out);
	buffer_puts(out, others ? " Free what is not needed, here or there (%gpu), or let cells "
				  "wait for it: %limit wait 5min.\n"
				: " Free what is not needed (cudaFree), or raise the limit: %limit "
				  "gpu SIZE.\n");
}

void cap_watch_look(struct supervisor *s, struct buffer *out)
{
	struct worker *w = s->pool->active;
	struct device_watch *watch = w && w->control ? &w->control->watch : NULL;
	uint64_t used = watch ? atomic_load(&watch->used) : 0,
		 limit = watch ? atomic_load(&watch->limit) : 0, left;

	if (!used || !limit) {
		s->cap_told = false;
		return;
	}
	left = left_by_others(s);
	limit = limit < left ? limit : left;
	if (MUCH(used, limit) && !s->cap_told)
		warn(s, watch, used, limit, limit == left && left < s->pool->hello.device_memory,
		     out);
	s->cap_told = MUCH(used, limit);
}
