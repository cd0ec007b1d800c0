/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page is kept before the memfd is changed, and looked for after the memfd was read: whichever of
 * both comes first, the reader has the old content.
 */
#include "kernel/state/snapshot-view.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/whole-io.h"
#include "kernel/state/dirty-pages.h"

static struct view_page *slot_of(const struct snapshot_view *v, uint64_t at)
{
	size_t i = (at / ARENA_PAGE * 0x9e3779b97f4a7c15ull) & (v->cap - 1);

	while (v->pages[i].data && v->pages[i].at != at)
		i = (i + 1) & (v->cap - 1);
	return &v->pages[i];
}

static void drop_pages(struct snapshot_view *v)
{
	for (size_t i = 0; i < v->cap; i++)
		free(v->pages[i].data);
	free(v->pages);
	v->pages = NULL;
	v->n = v->cap = 0;
}

static bool grow(struct snapshot_view *v)
{
	struct snapshot_view larger = { .cap = v->cap ? v->cap * 2 : 256 };

	if (v->n * 2 < v->cap)
		return true;
	larger.pages = calloc(larger.cap, sizeof(*larger.pages));
	if (!larger.pages)
		return false;
	for (size_t i = 0; i < v->cap; i++)
		if (v->pages[i].data)
			*slot_of(&larger, v->pages[i].at) = v->pages[i];
	free(v->pages);
	v->pages = larger.pages;
	v->cap = larger.cap;
	return true;
}

static void set_broken(struct snapshot_view *v)
{
	v->broken = true;
	drop_pages(v);
}

int snapshot_view_open(struct snapshot_view *v, const uint64_t top[ARENA_REGIONS], uint32_t cell,
		       struct error *err)
{
	bool taken;

	pthread_mutex_lock(&v->lock);
	taken = v->open;
	if (!taken) {
		v->open = true;
		v->broken = false;
		v->done = 0;
		v->cell = cell;
		memcpy(v->top, top, sizeof(v->top));
	}
	pthread_mutex_unlock(&v->lock);
	return taken ? error_set(err, ERROR_STATE, "the session's memory is being read already")
		     : 0;
}

void snapshot_view_close(struct snapshot_view *v)
{
	pthread_mutex_lock(&v->lock);
	v->open = false;
	drop_pages(v);
	pthread_mutex_unlock(&v->lock);
}

void snapshot_view_break(struct snapshot_view *v)
{
	pthread_mutex_lock(&v->lock);
	if (v->open)
		set_broken(v);
	pthread_mutex_unlock(&v->lock);
}

bool snapshot_view_is_broken(struct snapshot_view *v)
{
	bool broken;

	pthread_mutex_lock(&v->lock);
	broken = v->broken;
	pthread_mutex_unlock(&v->lock);
	return broken;
}

static bool is_shown(const struct snapshot_view *v, uint64_t at)
{
	for (int r = 0; r < ARENA_REGIONS; r++)
		if (at - arena_region_offset((enum arena_region)r) < v->top[r])
			return true;
	return false;
}

static bool keep_page(struct snapshot_view *v, int memfd, uint64_t at)
{
	struct view_page *p;

	if (at < v->done || !is_shown(v, at))
		return true;
	if (!grow(v))
		return false;
	p = slot_of(v, at);
	if (p->data)
		return true;
	if (v->n == VIEW_BYTES_MAX / ARENA_PAGE)
		return false;
	p->data = malloc(ARENA_PAGE);
	if (!p->data)
		return false;
	p->at = at;
	v->n++;
	return whole_pread(memfd, p->data, ARENA_PAGE, at) == ARENA_PAGE;
}

void snapshot_view_keep(struct snapshot_view *v, int memfd, uint64_t base,
			const struct dirty_ranges *ranges)
{
	bool kept = true;

	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; v->open && !v->broken && i < ranges->n && kept; i++)
		for (uint64_t at = 0; at < ranges->at[i].size && kept; at += ARENA_PAGE)
			kept = keep_page(v, memfd, ranges->at[i].address - base + at);
	if (!kept)
		set_broken(v);
	pthread_mutex_unlock(&v->lock);
}

static void put_kept(const struct snapshot_view *v, char *out, size_t len, uint64_t at)
{
	for (size_t in = 0; v->n && in < len; in += ARENA_PAGE) {
		const struct view_page *p = slot_of(v, at + in);

		if (p->data)
			memcpy(out + in, p->data, len - in < ARENA_PAGE ? len - in : ARENA_PAGE);
	}
}

int snapshot_view_read(struct snapshot_view *v, int memfd, void *out, size_t len, uint64_t at,
		       struct error *err)
{
	int result = 0;

	if (whole_pread(memfd, out, len, at) < len)
		return error_errno(err, "cannot read the session's memory");
	pthread_mutex_lock(&v->lock);
	if (v->broken)
		result = error_set(err, ERROR_STATE, "the session's memory was changed meanwhile");
	else
		put_kept(v, out, len, at);
	v->done = at + len;
	pthread_mutex_unlock(&v->lock);
	return result;
}
