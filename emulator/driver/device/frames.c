/* SPDX-License-Identifier: Apache-2.0 */
/* A shared frame has a bit for each of its units, and knows how large its largest hole can be at
 * most. */
#include "emulator/driver/device/frames.h"

#include <stdlib.h>
#include <string.h>

struct frame {
	uint8_t used[FRAME_UNITS];
	unsigned n_used;
	unsigned hole; /* no hole has more units than this */
};

static bool reserve(struct frames *f)
{
	size_t cap = f->cap ? f->cap * 2 : 16;
	struct frame **shared;

	if (f->n < f->cap)
		return true;
	shared = realloc(f->shared, cap * sizeof(*shared));
	if (!shared)
		return false;
	f->shared = shared;
	f->cap = cap;
	return true;
}

/* The first hole of that size, FRAME_UNITS: there is none, and `hole` is what it has. */
static unsigned find_hole(struct frame *f, unsigned units)
{
	unsigned run = 0, largest = 0;

	for (unsigned i = 0; i < FRAME_UNITS; i++) {
		run = f->used[i] ? 0 : run + 1;
		if (run == units)
			return i + 1 - units;
		if (run > largest)
			largest = run;
	}
	f->hole = largest;
	return FRAME_UNITS;
}

static bool put_in(struct frame *f, unsigned units, struct frame_place *ret)
{
	unsigned first = f->hole < units ? FRAME_UNITS : find_hole(f, units);

	if (first == FRAME_UNITS)
		return false;
	memset(f->used + first, 1, units);
	f->n_used += units;
	*ret = (struct frame_place){ .frame = f, .first = first, .units = units };
	return true;
}

static bool take_shared(struct frames *f, unsigned units, uint64_t room, struct frame_place *ret)
{
	struct frame *new;

	for (size_t i = 0; i < f->n; i++)
		if (put_in(f->shared[i], units, ret))
			return true;
	if (room < FRAME_SIZE || !reserve(f))
		return false;
	new = calloc(1, sizeof(*new));
	if (!new)
		return false;
	new->hole = FRAME_UNITS;
	f->shared[f->n++] = new;
	f->taken += FRAME_SIZE;
	return put_in(new, units, ret);
}

bool frames_take(struct frames *f, uint64_t size, uint64_t room, struct frame_place *ret)
{
	uint64_t bytes = (size + FRAME_SIZE - 1) / FRAME_SIZE * FRAME_SIZE;

	if (size < FRAME_SIZE)
		return take_shared(f, (unsigned)((size + FRAME_UNIT - 1) / FRAME_UNIT), room, ret);
	if (bytes < size || bytes > room)
		return false;
	f->taken += bytes;
	*ret = (struct frame_place){ .bytes = bytes };
	return true;
}

static void drop(struct frames *f, struct frame *frame)
{
	size_t i = 0;

	while (f->shared[i] != frame)
		i++;
	memmove(&f->shared[i], &f->shared[i + 1], (--f->n - i) * sizeof(*f->shared));
	free(frame);
	f->taken -= FRAME_SIZE;
}

void frames_give(struct frames *f, const struct frame_place *p)
{
	struct frame *frame = p->frame;

	f->taken -= p->bytes;
	if (!frame)
		return;
	memset(frame->used + p->first, 0, p->units);
	frame->n_used -= p->units;
	frame->hole = FRAME_UNITS - frame->n_used;
	if (!frame->n_used)
		drop(f, frame);
}
