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

/* Operations of a kernel that are watched unasked. */
#define BUDGET 100000

enum mode { CHEAP, WHOLE, OFF };

/* How much of a kernel was watched in this cell, and what was told of it. */
struct watched {
	uint64_t hash; /* of the kernel's name or of a report */
	uint64_t operations;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool chosen; /* mode is known */
static enum mode mode;
static struct watched *kernels, *told;
static size_t kernel_count, told_count;
static struct race_count count;
static uint32_t sync_errors;

static enum mode mode_of(uint32_t what)
{
	const char *wish = getenv("CGPU_RACECHECK");

	if (wish && !strcmp(wish, "off"))
		return OFF;
	return what & EMULATOR_CHECK_RACES || (wish && !strcmp(wish, "all")) ? WHOLE : CHEAP;
}

static uint64_t hash_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 0x100000001b3ull;
	return h;
}

/* The item of that name, a new one when there is none. NULL: out of memory. */
static struct watched *find(struct watched **items, size_t *n, const char *name)
{
	uint64_t hash = hash_of(name);
	struct watched *grown;

	for (size_t i = 0; i < *n; i++)
		if ((*items)[i].hash == hash)
			return &(*items)[i];
	grown = realloc(*items, (*n + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	*items = grown;
	grown[*n] = (struct watched){ .hash = hash };
	return &grown[(*n)++];
}

/* Asked while `lock` is held: the key was not told before. */
static bool is_fresh(void *data, const char *key)
{
	struct watched *t = find(&told, &told_count, key);

	(void)data;
	return t && !t->operations++;
}

void check_launch_begin(struct check *c, struct machine_launch *l)
{
	struct race_options o = { 0 };
	const struct watched *kernel;

	c->race = NULL;
	c->sync = NULL;
	pthread_mutex_lock(&lock);
	if (!chosen)
		mode = mode_of(0);
	chosen = true;
	kernel = mode == CHEAP ? find(&kernels, &kernel_count, l->kernel->name) : NULL;
	if (mode == WHOLE || (kernel && kernel->operations < BUDGET)) {
		o.warnings = mode == WHOLE;
		o.budget = mode == WHOLE ? 0 : BUDGET - kernel->operations;
		c->race = race_new(&o);
		c->sync = sync_new(o.warnings, o.budget);
	}
	pthread_mutex_unlock(&lock);
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
	pthread_mutex_lock(&lock);
	kernel = find(&kernels, &kernel_count, l->kernel->name);
	if (kernel)
		kernel->operations += operations;
	if (c->sync)
		sync_errors += sync_report(c->sync, l, is_fresh, NULL, &text);
	if (c->race)
		race_report(c->race, l, is_fresh, NULL, &text, &count);
	pthread_mutex_unlock(&lock);
	if (text.len)
		gpu_print(true, buffer_text(&text), text.len);
	race_free(c->race);
	sync_free(c->sync);
	l->observers = NULL;
	l->observer_count = 0;
}

void check_cell_begin(uint32_t what)
{
	pthread_mutex_lock(&lock);
	mode = mode_of(what);
	chosen = true;
	kernel_count = told_count = 0;
	count = (struct race_count){ 0 };
	sync_errors = 0;
	pthread_mutex_unlock(&lock);
}

void check_cell_end(void)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint32_t all;

	pthread_mutex_lock(&lock);
	all = count.errors + count.warnings;
	if (mode == WHOLE) {
		if (count.cut)
			buffer_puts(&text, "========= Not all was checked: the launch touches more "
					   "memory than the check can keep\n");
		if (count.strayed)
			buffer_puts(&text, "========= Not all was checked: an address that starts "
					   "from one buffer lies in another one\n");
		if (sync_errors)
			buffer_printf(&text, "========= ERROR SUMMARY: %u error%s\n", sync_errors,
				      sync_errors == 1 ? "" : "s");
		buffer_printf(&text,
			      "========= RACECHECK SUMMARY: %u hazard%s displayed (%u error%s, %u "
			      "warning%s)\n",
			      all, all == 1 ? "" : "s", count.errors, count.errors == 1 ? "" : "s",
			      count.warnings, count.warnings == 1 ? "" : "s");
	}
	pthread_mutex_unlock(&lock);
	if (text.len)
		gpu_print(true, buffer_text(&text), text.len);
}
