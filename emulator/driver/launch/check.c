/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and reports so far, of a cell, or of a program that knows of no cells. */
#include "emulator/driver/launch/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "emulator/check/race.h"
#include "emulator/check/sync.h"
#include "emulator/driver/device/gpu.h"
#include "emulator/ptx/text-hash.h"

/* Operations of a kernel that are watched unasked. */
#define BUDGET 100000

enum mode { CHEAP, WHOLE, OFF };

/* How much of a kernel was watched in this cell, and what was told of it. */
struct watched {
	uint64_t hash; /* of the kernel's name or of a report */
	uint64_t operations;
};

struct watched_list {
	struct watched *items;
	size_t n;
};

/* The checks of the cell that runs. */
static struct cell_checks {
	pthread_mutex_t lock;
	bool chosen; /* mode is known */
	enum mode mode;
	struct watched_list kernels;
	struct watched_list told; /* reports */
	struct race_count count;
	uint32_t sync_errors;
} cell = { .lock = PTHREAD_MUTEX_INITIALIZER };

static enum mode mode_of(uint32_t what)
{
	const char *wish = getenv("CGPU_RACECHECK");

	if (wish && !strcmp(wish, "off"))
		return OFF;
	return what & EMULATOR_CHECK_RACES || (wish && !strcmp(wish, "all")) ? WHOLE : CHEAP;
}

/* The item of that name, a new one when there is none. NULL: out of memory. */
static struct watched *find(struct watched_list *l, const char *name)
{
	uint64_t hash = text_hash(TEXT_HASH_START, name);
	struct watched *grown;

	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].hash == hash)
			return &l->items[i];
	grown = realloc(l->items, (l->n + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	l->items = grown;
	grown[l->n] = (struct watched){ .hash = hash };
	return &grown[l->n++];
}

/* Asked while the lock is held: the key was not told before. */
static bool is_fresh(void *data, const char *key)
{
	struct watched *t = find(&cell.told, key);

	(void)data;
	return t && !t->operations++;
}

void check_launch_begin(struct check *c, struct machine_launch *l)
{
	struct race_options o = { 0 };
	const struct watched *kernel;

	c->race = NULL;
	c->sync = NULL;
	pthread_mutex_lock(&cell.lock);
	if (!cell.chosen)
		cell.mode = mode_of(0);
	cell.chosen = true;
	kernel = cell.mode == CHEAP ? find(&cell.kernels, l->kernel->name) : NULL;
	if (cell.mode == WHOLE || (kernel && kernel->operations < BUDGET)) {
		o.warnings = cell.mode == WHOLE;
		o.budget = cell.mode == WHOLE ? 0 : BUDGET - kernel->operations;
		c->race = race_new(&o);
		c->sync = sync_new(o.warnings, o.budget);
	}
	pthread_mutex_unlock(&cell.lock);
	l->observers = c->observers;
	l->observer_count = 0;
	if (c->race)
		c->observers[l->observer_count++] = race_observer(c->race);
	if (c->sync)
		c->observers[l->observer_count++] = sync_observer(c->sync);
}

void check_launch_end(struct check *c, struct machine_launch *l, uint64_t operations)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct watched *kernel;

	if (!c->race && !c->sync)
		return;
	pthread_mutex_lock(&cell.lock);
	kernel = find(&cell.kernels, l->kernel->name);
	if (kernel)
		kernel->operations += operations;
	if (c->sync)
		cell.sync_errors += sync_report(c->sync, l, is_fresh, NULL, &text);
	if (c->race)
		race_report(c->race, l, is_fresh, NULL, &text, &cell.count);
	pthread_mutex_unlock(&cell.lock);
	if (text.len)
		gpu_print(true, buffer_text(&text), text.len);
	race_free(c->race);
	sync_free(c->sync);
	l->observers = NULL;
	l->observer_count = 0;
}

void check_cell_begin(uint32_t what)
{
	pthread_mutex_lock(&cell.lock);
	cell.mode = mode_of(what);
	cell.chosen = true;
	cell.kernels.n = cell.told.n = 0;
	cell.count = (struct race_count){ 0 };
	cell.sync_errors = 0;
	pthread_mutex_unlock(&cell.lock);
}

void check_cell_end(void)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t all;

	pthread_mutex_lock(&cell.lock);
	all = cell.count.errors + cell.count.warnings;
	if (cell.mode == WHOLE) {
		if (cell.count.cut)
			buffer_puts(&text, "========= Not all was checked: the launch touches more "
					   "memory than the check can keep\n");
		if (cell.count.strayed)
			buffer_puts(&text, "========= Not all was checked: an address that starts "
					   "from one buffer lies in another one\n");
		if (cell.sync_errors)
			buffer_printf(&text, "========= ERROR SUMMARY: %u error%s\n",
				      cell.sync_errors, cell.sync_errors == 1 ? "" : "s");
		buffer_printf(&text,
			      "========= RACECHECK SUMMARY: %u hazard%s displayed (%u error%s, %u "
			      "warning%s)\n",
			      all, all == 1 ? "" : "s", cell.count.errors,
			      cell.count.errors == 1 ? "" : "s", cell.count.warnings,
			      cell.count.warnings == 1 ? "" : "s");
	}
	pthread_mutex_unlock(&cell.lock);
	if (text.len)
		gpu_print(true, buffer_text(&text), text.len);
}
