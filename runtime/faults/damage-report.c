/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cell is over and has succeeded when this is found, so it is a warning. Which line wrote the
 * byte is not known any more: %%memcheck, which looks at each access, finds it.
 */
#include "runtime/faults/damage-report.h"

#include <stdint.h>

#include "common/base/buffer.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/loader/loader.h"

#define DAMAGE_SHOWN 8

struct damage {
	uint32_t n;
	struct buffer *out;
};

/* Appends where the block was allocated. */
static void put_site(const struct heap_damage *d, struct buffer *out)
{
	struct code_place place;

	buffer_printf(out, "allocated in In[%u]", d->cell);
	if (d->site && !loader_describe_code(arena_start(ARENA_CODE) + d->site - 1, &place) &&
	    place.line)
		buffer_printf(out, ", line %u", place.line);
}

static void put_damage(void *data, const struct heap_damage *d)
{
	struct damage *found = data;
	struct buffer *out = found->out;

	if (found->n++ >= DAMAGE_SHOWN)
		return;
	buffer_puts(out, d->freed ? "use after free: a block of " : "heap overrun: a block of ");
	buffer_put_grouped(out, d->size);
	buffer_printf(out, " byte%s, ", d->size == 1 ? "" : "s");
	put_site(d, out);
	if (d->freed)
		buffer_printf(out, " and freed in In[%u], was written afterwards, at byte ",
			      d->freed);
	else
		buffer_puts(out, ", was written behind its end, at byte ");
	buffer_put_grouped(out, d->offset);
	buffer_puts(out, " (the first is byte 0)\n");
}

void damage_report(struct buffer *out)
{
	struct damage found = { .out = out };

	allocator_each_damaged(put_damage, &found);
	if (found.n > DAMAGE_SHOWN)
		buffer_printf(out, "and %u more blocks\n", found.n - DAMAGE_SHOWN);
	if (found.n)
		buffer_puts(out, "    %%memcheck on top of the cell finds the line that does it\n");
}
