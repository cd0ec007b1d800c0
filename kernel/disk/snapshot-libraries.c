/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A word of the session's memory is taken for a pointer into a library when its value lies in the
 * range where that library was. Words that units reach libraries by are set again at every attach,
 * and lie in no variable.
 */
#define _GNU_SOURCE
#include "kernel/disk/snapshot-libraries.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/disk/snapshot-job.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/question.h"

#define NAMES_SHOWN 16
#define PART (1024u * 1024)

struct mapped {
	const char *path, *build_id;
	uint64_t start, end;
	bool elsewhere;
};

struct mapped_list {
	struct mapped *at;
	uint32_t n;
};

int snapshot_libraries_ask(struct supervisor *s, uint64_t *ret_layout, struct buffer *ret,
			   struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT, answer = BUFFER_INIT;
	struct record r;

	record_put_u32(&body, ++s->answer_id);
	if (buffer_check(&body, err) ||
	    question_ask(s, WORKER_LIBRARIES, &body, WORKER_LIBRARIES_ARE, &answer, err))
		return -1;
	r = record_open(answer.data, answer.len);
	*ret_layout = record_u64(&r);
	if (r.failed)
		return record_check(&r, "WORKER_LIBRARIES_ARE", err);
	buffer_append(ret, r.at, (size_t)(r.end - r.at));
	return buffer_check(ret, err);
}

/* Decodes a list, which borrows the texts of the buffer. */
static int decode(const struct buffer *b, struct mapped_list *ret, struct error *err)
{
	struct record r = record_open(b->data, b->len);
	uint32_t n = record_count(&r, 24);

	ret->n = n;
	ret->at = calloc(n + 1, sizeof(*ret->at));
	if (!ret->at)
		return error_set(err, ERROR_MEMORY, "out of memory for the list of libraries");
	for (uint32_t i = 0; i < n; i++) {
		ret->at[i].path = record_str(&r);
		ret->at[i].build_id = record_str(&r);
		ret->at[i].start = record_u64(&r);
		ret->at[i].end = record_u64(&r);
	}
	return record_check(&r, "the list of libraries", err);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct mapped *find(const struct mapped_list *l, const char *path)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!strcmp(base_name(l->at[i].path), base_name(path)))
			return &l->at[i];
	return NULL;
}

/* Compares two lists. True when the old addresses of some library are not valid any more. */
static bool compare(struct mapped_list *was, const struct mapped_list *is, struct buffer *report)
{
	bool any = false;

	for (uint32_t i = 0; i < was->n; i++) {
		struct mapped *l = &was->at[i];
		const struct mapped *same = find(is, l->path);

		if (!strncmp(base_name(l->path), "linux-vdso", 10))
			continue;
		if (!same)
			buffer_printf(report, "the library %s is not loaded\n", l->path);
		else if (strcmp(same->build_id, l->build_id))
			buffer_printf(report,
				      "the library %s is another build; calls of it are linked "
				      "again by name\n",
				      l->path);
		l->elsewhere =
			!same || strcmp(same->build_id, l->build_id) || same->start != l->start;
		any |= l->elsewhere;
	}
	return any;
}

static const struct mapped *library_at(const struct mapped_list *l, uint64_t address)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].elsewhere && address - l->at[i].start < l->at[i].end - l->at[i].start)
			return &l->at[i];
	return NULL;
}

struct search {
	const struct mapped_list *libraries;
	int memfd;
	uint64_t low, high; /* of all ranges together */
	char *part;
};

/* Counts words of [address, address + size) that point into a library; *ret is one of these
 * libraries. */
static uint64_t count(const struct search *s, uint64_t address, uint64_t size,
		      const struct mapped **ret)
{
	uint64_t found = 0, end = (address + size) / 8 * 8;

	for (uint64_t at = (address + 7) / 8 * 8; at < end; at += PART) {
		size_t len = end - at < PART ? end - at : PART;
		ssize_t n = pread(s->memfd, s->part, len, (off_t)(at - ARENA_BASE));

		for (ssize_t i = 0; i + 8 <= n; i += 8) {
			const struct mapped *l;
			uint64_t word;

			memcpy(&word, s->part + i, 8);
			if (word - s->low >= s->high - s->low)
				continue;
			l = library_at(s->libraries, word);
			found += l != NULL;
			*ret = l ? l : *ret;
		}
	}
	return found;
}

static void put_variables(const struct search *s, const struct unit_table *units,
			  struct buffer *report)
{
	const struct unit_variable *v;
	size_t n = unit_table_variables((struct unit_table *)units, &v), shown = 0;

	for (size_t i = 0; i < n; i++) {
		const struct mapped *l = NULL;

		if (v[i].is_function || !count(s, v[i].address, v[i].size, &l) ||
		    shown++ >= NAMES_SHOWN)
			continue;
		buffer_printf(report, "`%s` points into %s, which is not where it was\n", v[i].name,
			      base_name(l->path));
	}
	if (shown > NAMES_SHOWN)
		buffer_printf(report, "and %zu more variables do\n", shown - NAMES_SHOWN);
}

static void put_heap(const struct search *s, const struct snapshot_job *j, struct buffer *report)
{
	const struct mapped *l = NULL;
	uint64_t found = 0;

	for (size_t i = 0; i < j->file.n_blocks; i++)
		if (j->file.blocks[i].address - (ARENA_BASE + ARENA_HEAP_OFFSET) < ARENA_HEAP_SIZE)
			found += count(s, j->file.blocks[i].address, j->file.blocks[i].len, &l);
	if (found)
		buffer_printf(report,
			      "%" PRIu64 " places on the heap point into %s or another library "
			      "that is not where it was\n",
			      found, base_name(l->path));
}

static void put_pointers(const struct supervisor *s, const struct mapped_list *was,
			 const struct snapshot_job *j, struct buffer *report)
{
	cleanup_free char *part = malloc(PART);
	struct search search = { was, s->snapshot.arena.fd, UINT64_MAX, 0, part };

	for (uint32_t i = 0; i < was->n; i++) {
		if (!was->at[i].elsewhere)
			continue;
		search.low = was->at[i].start < search.low ? was->at[i].start : search.low;
		search.high = was->at[i].end > search.high ? was->at[i].end : search.high;
	}
	if (!part)
		return;
	put_variables(&search, &s->units, report);
	put_heap(&search, j, report);
}

int snapshot_libraries_compare(struct supervisor *s, const struct snapshot_job *loaded,
			       struct buffer *report, struct error *err)
{
	cleanup_buffer struct buffer now = BUFFER_INIT;
	struct mapped_list was = { 0 }, is = { 0 };
	uint64_t layout = 0;
	int result;

	if (snapshot_libraries_ask(s, &layout, &now, err))
		return -1;
	result = decode(&loaded->file.libraries, &was, err) || decode(&now, &is, err) ? -1 : 0;
	if (!result && compare(&was, &is, report))
		put_pointers(s, &was, loaded, report);
	free(was.at);
	free(is.at);
	return result;
}

void snapshot_libraries_note(const struct supervisor *s, struct buffer *out)
{
	record_put_u32(out, (uint32_t)s->libraries->n);
	for (size_t i = 0; i < s->libraries->n; i++)
		record_put_str(out, s->libraries->at[i].path);
}

int snapshot_libraries_load(struct supervisor *s, const struct snapshot_job *loaded,
			    libraries_loaded *fn, void *data, struct error *err)
{
	struct record r = record_open(loaded->file.loaded.data, loaded->file.loaded.len);
	uint32_t n = record_count(&r, 5);
	cleanup_free const char **paths = calloc(n + 1, sizeof(*paths));

	if (!paths)
		return error_set(err, ERROR_MEMORY, "out of memory for the list of libraries");
	for (uint32_t i = 0; i < n; i++)
		paths[i] = record_str(&r);
	if (record_check(&r, "the list of libraries", err))
		return -1;
	return libraries_load(s, paths, n, fn, data, err);
}
