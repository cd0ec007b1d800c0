/* SPDX-License-Identifier: Apache-2.0 */
/* The list is in memory of the worker that a cell can write to, so its length and addresses are
 * validated. */
#include "kernel/state/tracked-list.h"

#include <stdint.h>

#include "common/base/buffer.h"
#include "common/memory/arena-layout.h"
#include "kernel/state/snapshot.h"

#define LENGTH_MAX 4096
#define NAMES_SHOWN 3

struct kind {
	const char *one, *many;
};

static const struct kind kinds[] = {
	[TRACKED_FILE] = { "open file", "open files" },
	[TRACKED_PROCESS] = { "process", "processes" },
	[TRACKED_THREAD] = { "thread", "threads" },
	[TRACKED_LIBRARY] = { "library handle", "library handles" },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct found {
	unsigned n;
	struct arena_tracked first[NAMES_SHOWN];
};

static void look(const struct snapshot *s, struct found found[KINDS])
{
	struct arena_header h;
	struct arena_tracked t;
	uint64_t at;

	if (snapshot_read(s, ARENA_BASE, &h, sizeof(h)))
		return;
	at = h.root[ARENA_ROOT_TRACKED];
	for (unsigned i = 0; at && i < LENGTH_MAX && !snapshot_read(s, at, &t, sizeof(t)); i++) {
		t.name[sizeof(t.name) - 1] = '\0';
		if (t.kind < KINDS && found[t.kind].n < NAMES_SHOWN)
			found[t.kind].first[found[t.kind].n] = t;
		if (t.kind < KINDS)
			found[t.kind].n++;
		at = (uintptr_t)t.next;
	}
}

static void put(const struct kind *k, const struct found *f, struct buffer *out)
{
	if (!f->n)
		return;
	buffer_puts(out, out->len ? ", " : "");
	if (f->n > NAMES_SHOWN) {
		buffer_printf(out, "%u %s", f->n, k->many);
		return;
	}
	/* The oldest first. */
	for (unsigned i = f->n; i-- > 0;)
		buffer_printf(out, "%s%s%s of In[%u]%s", k->one, f->first[i].name[0] ? " " : "",
			      f->first[i].name, f->first[i].cell, i ? ", " : "");
}

unsigned tracked_list_count(const struct snapshot *s, unsigned kind)
{
	struct found found[KINDS] = { 0 };

	look(s, found);
	return found[kind].n;
}

void tracked_list_describe(const struct snapshot *s, struct buffer *out)
{
	struct found found[KINDS] = { 0 };

	look(s, found);
	for (unsigned i = 0; i < KINDS; i++)
		put(&kinds[i], &found[i], out);
}
