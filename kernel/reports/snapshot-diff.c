/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks are compared by hash; a variable's bytes are read from both sides. The thread gets copies
 * of the session's state that it needs: units, tops, a descriptor of the memory, the list of device
 * buffers. Values are written as text when it has ended: cgpu-presenter is asked from the loop.
 */
#include "kernel/reports/snapshot-diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/base/whole-io.h"
#include "kernel/disk/block-store.h"
#include "kernel/disk/snapshot-file.h"
#include "kernel/disk/snapshot-job.h"
#include "kernel/disk/snapshots.h"
#include "kernel/settings/size-text.h"
#include "kernel/show/variable-name.h"
#include "kernel/supervisor/present.h"
#include "kernel/units/unit-table.h"
#include "kernel/views/presenter-value.h"
#include "kernel/workers/question.h"

#define VALUE_MAX 60
#define COMPARED_MAX (64u * 1024 * 1024)
#define SHOWN_MAX (1u << 20)

struct snapshot_buffer {
	struct snapshot_piece piece; /* part of it, at most SNAPSHOT_PIECE */
	char *name;
};

/* A variable whose values are to be written; all is owned. */
struct changed_variable {
	size_t at; /* where they belong in the text */
	char *type, *code;
	char *was, *is;
	size_t len;
};

struct snapshot_diff {
	char *name;
	struct snapshot_buffer *buffers;
	struct snapshot_piece *pieces; /* the pieces of `buffers` */
	size_t n_buffers;
	struct buffer text; /* without values */
	struct changed_variable *changed;
	size_t n_changed, cap_changed;
};

/* The snapshot on disk. */
struct side {
	struct snapshot_file file;
	struct block_store store;
	struct unit_table units;
	char *block; /* the block that was read last */
	const struct snapshot_block *cached;
};

static const struct snapshot_block *block_at(const struct side *d, uint64_t address)
{
	size_t low = 0, high = d->file.n_blocks;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct snapshot_block *b = &d->file.blocks[middle];

		if (address - b->address < b->len)
			return b;
		if (b->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Reads from the snapshot. Addresses in no block are zero. */
static int read_side(struct side *d, uint64_t address, void *out, size_t len, struct error *err)
{
	for (size_t done = 0; done < len;) {
		const struct snapshot_block *b = block_at(d, address + done);
		size_t part = BLOCK_SIZE - (address + done) % BLOCK_SIZE;

		part = part < len - done ? part : len - done;
		if (!b) {
			memset((char *)out + done, 0, part);
		} else {
			if (b != d->cached &&
			    block_store_get(&d->store, b->hash, d->block, b->len, err))
				return -1;
			d->cached = b;
			memcpy((char *)out + done, d->block + (address + done - b->address), part);
		}
		done += part;
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct snapshot_block *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void side_release(struct side *d)
{
	snapshot_file_release(&d->file);
	block_store_close(&d->store);
	unit_table_release(&d->units);
	free(d->block);
}

static int side_open(struct side *d, int dir, const char *name, struct error *err)
{
	*d = (struct side){ .store.fd = -1, .block = malloc(BLOCK_SIZE) };
	unit_table_init(&d->units);
	if (!d->block)
		return error_set(err, ERROR_MEMORY, "out of memory");
	if (snapshot_file_read(dir, name, &d->file, err) ||
	    block_store_open(&d->store, dir, false, err) ||
	    unit_table_decode(&d->units, d->file.units.data, d->file.units.len, err))
		return -1;
	qsort(d->file.blocks, d->file.n_blocks, sizeof(*d->file.blocks), by_address);
	return 0;
}

/* Reads committed bytes of the session; false when the address has none. */
static bool read_now(const struct snapshot_job *j, uint64_t address, void *out, size_t len)
{
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t at = address - ARENA_BASE - arena_region_offset((enum arena_region)r);

		if (at < j->file.top[r] && len <= j->file.top[r] - at)
			return whole_pread(j->arena.fd, out, len, address - ARENA_BASE) == len;
	}
	return false;
}

/* ---- variables ---- */

static const struct unit_variable *find(const struct unit_variable *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return &v[i];
	return NULL;
}

static int add_changed(struct snapshot_diff *diff, const struct unit_variable *v, const char *was,
		       const char *is, size_t len, struct error *err)
{
	struct changed_variable c = { .at = diff->text.len, .len = len };

	if (!ARRAY_ROOM(diff->changed, diff->n_changed, &diff->cap_changed))
		return error_set(err, ERROR_MEMORY, "out of memory to compare %s", v->name);
	c.type = strdup(v->type);
	c.code = strdup(v->type_code);
	c.was = malloc(len + 1);
	c.is = malloc(len + 1);
	if (c.was && c.is) {
		memcpy(c.was, was, len);
		memcpy(c.is, is, len);
	}
	diff->changed[diff->n_changed++] = c;
	return c.type && c.code && c.was && c.is
		       ? 0
		       : error_set(err, ERROR_MEMORY, "out of memory to compare %s", v->name);
}

/* Returns the size of an array's element, 0 when the variable is no array. */
static size_t element_size(const struct unit_variable *v)
{
	const char *bracket = strchr(v->type, '[');
	unsigned long count = bracket ? strtoul(bracket + 1, NULL, 10) : 0;

	return *v->type_code == 'a' && count && v->size % count == 0 ? v->size / count : 0;
}

static int put_difference(struct snapshot_diff *diff, const struct unit_variable *v,
			  const char *old, const char *new, size_t len, struct error *err)
{
	size_t element = element_size(v), differ = 0;

	buffer_printf(&diff->text, "%s: ", v->name);
	if (!element && len > SHOWN_MAX) {
		buffer_printf(&diff->text, "%zu bytes of %s, which differ\n", len, v->type);
		return 0;
	}
	if (!element)
		return add_changed(diff, v, old, new, len, err);
	for (size_t at = 0; at + element <= len; at += element)
		differ += memcmp(old + at, new + at, element) != 0;
	buffer_printf(&diff->text, "%zu of %zu elements differ\n", differ, len / element);
	return 0;
}

static int compare_variable(struct snapshot_job *j, struct snapshot_diff *diff, struct side *d,
			    const struct unit_variable *was, const struct unit_variable *is,
			    struct error *err)
{
	size_t len = is->size < COMPARED_MAX ? is->size : COMPARED_MAX;
	cleanup_free char *old = malloc(len + 1), *new = malloc(len + 1);

	if (strcmp(was->type, is->type) || was->size != is->size) {
		buffer_printf(&diff->text, "%s: was of type %s, is of type %s\n", is->name,
			      was->type, is->type);
		return 0;
	}
	if (!old || !new)
		return error_set(err, ERROR_MEMORY, "out of memory to compare %s", is->name);
	if (!read_now(j, is->address, new, len))
		return 0;
	if (read_side(d, was->address, old, len, err))
		return -1;
	return memcmp(old, new, len) ? put_difference(diff, is, old, new, len, err) : 0;
}

static void put_name(const struct unit_variable *v, struct buffer *out)
{
	char name[VARIABLE_NAME_SIZE];

	buffer_printf(out, "%s%s", variable_name(v->name, v->is_function, name),
		      v->is_function ? "()" : "");
}

static int compare_tables(struct snapshot_job *j, struct snapshot_diff *diff, struct side *d,
			  struct unit_table *now, struct error *err)
{
	struct buffer *out = &diff->text;
	const struct unit_variable *was, *is;
	size_t n_was = unit_table_variables(&d->units, &was), n_is = unit_table_variables(now, &is);

	for (size_t i = 0; i < n_is; i++) {
		const struct unit_variable *old = find(was, n_was, is[i].name);

		if (snapshot_job_check(j, err))
			return -1;
		if (!old) {
			put_name(&is[i], out);
			buffer_puts(out, ": is not in the snapshot\n");
		} else if (!old->is_function && !is[i].is_function &&
			   compare_variable(j, diff, d, old, &is[i], err)) {
			return -1;
		} else if (old->is_function && old->address != is[i].address) {
			put_name(&is[i], out);
			buffer_printf(out, ": was defined again in In[%u]\n", is[i].cell);
		}
	}
	for (size_t i = 0; i < n_was; i++)
		if (!find(is, n_is, was[i].name)) {
			put_name(&was[i], out);
			buffer_puts(out, ": is only in the snapshot\n");
		}
	return 0;
}

static int put_variables(struct snapshot_job *j, struct snapshot_diff *diff, struct side *d,
			 struct error *err)
{
	struct unit_table now;
	int result;

	unit_table_init(&now);
	result = unit_table_decode(&now, j->file.units.data, j->file.units.len, err) ||
		 compare_tables(j, diff, d, &now, err);
	unit_table_release(&now);
	return result;
}

/* ---- heap ---- */

/* Counts pages that differ, within the size of the snapshot's heap. */
static int put_heap(struct snapshot_job *j, struct side *d, struct buffer *out, struct error *err)
{
	uint64_t start = ARENA_BASE + ARENA_HEAP_OFFSET, top = d->file.top[ARENA_HEAP], pages = 0;
	cleanup_free char *now = malloc(BLOCK_SIZE);
	cleanup_free char *then = malloc(BLOCK_SIZE);
	char size[SIZE_TEXT_MAX];

	if (!now || !then)
		return error_set(err, ERROR_MEMORY, "out of memory to compare the heap");
	for (uint64_t at = 0; at < top; at += BLOCK_SIZE) {
		size_t len = top - at < BLOCK_SIZE ? top - at : BLOCK_SIZE;
		const struct snapshot_block *b = block_at(d, start + at);
		struct block_hash hash;

		if (snapshot_job_check(j, err))
			return -1;
		if (!read_now(j, start + at, now, len))
			memset(now, 0, len);
		hash = block_hash(now, len);
		if (b && b->len == len && hash.low == b->hash.low && hash.high == b->hash.high)
			continue;
		if (read_side(d, start + at, then, len, err))
			return -1;
		for (size_t page = 0; page < len; page += ARENA_PAGE)
			pages += memcmp(now + page, then + page, ARENA_PAGE) != 0;
	}
	if (pages)
		buffer_printf(out, "heap: %" PRIu64 " pages (%s) differ\n", pages,
			      size_text(pages * ARENA_PAGE, size));
	return 0;
}

/* ---- device ---- */

static int compare_piece(struct snapshot_job *j, struct side *d, size_t i, uint64_t *ret_differ,
			 struct error *err)
{
	const struct snapshot_piece *p = &j->pieces[i];
	cleanup_fd int fd = snapshot_job_piece(j, i, err);
	cleanup_free char *now = malloc(BLOCK_SIZE), *then = malloc(BLOCK_SIZE);

	if (fd < 0)
		return -1;
	if (!now || !then)
		return error_set(err, ERROR_MEMORY, "out of memory to compare device memory");
	for (uint64_t at = 0; at < p->size; at += BLOCK_SIZE) {
		size_t len = p->size - at < BLOCK_SIZE ? p->size - at : BLOCK_SIZE;

		if (whole_pread(fd, now, len, at) < len)
			return error_errno(err, "cannot read a copy of device memory");
		if (snapshot_job_check(j, err) || read_side(d, p->address + at, then, len, err))
			return -1;
		for (size_t k = 0; k < len; k++)
			*ret_differ += now[k] != then[k];
	}
	return 0;
}

/* Compares device buffers; large ones come in pieces. */
static int put_device(struct snapshot_job *j, const struct snapshot_diff *diff, struct side *d,
		      struct buffer *out, struct error *err)
{
	for (size_t i = 0; i < diff->n_buffers;) {
		const struct snapshot_buffer *first = &diff->buffers[i];
		uint64_t differ = 0, size = 0;

		do {
			size += diff->buffers[i].piece.size;
			if (compare_piece(j, d, i++, &differ, err))
				return -1;
		} while (i < diff->n_buffers && !diff->buffers[i].name);
		if (differ)
			buffer_printf(out,
				      "device buffer %s at %#" PRIx64 ": %" PRIu64 " of %" PRIu64
				      " bytes differ\n",
				      *first->name ? first->name : "(without a name)",
				      first->piece.address, differ, size);
	}
	return 0;
}

/* ---- the whole ---- */

static int compare(struct snapshot_job *j, int dir, void *data, struct error *err)
{
	struct snapshot_diff *diff = data;
	const char *name = strcmp(diff->name, SNAPSHOT_LAST)
				   ? diff->name
				   : snapshot_file_last(dir, j->file.owner);
	struct side d;
	int result = side_open(&d, dir, name, err);

	if (!result)
		result = put_variables(j, diff, &d, err) || put_heap(j, &d, &diff->text, err) ||
			 put_device(j, diff, &d, &diff->text, err);
	side_release(&d);
	return result ? -1 : 0;
}

static int add_piece(struct snapshot_diff *d, uint64_t address, uint64_t size, const char *name)
{
	size_t n = d->n_buffers + 1;
	struct snapshot_buffer *buffers = realloc(d->buffers, n * sizeof(*buffers));
	struct snapshot_piece *pieces = buffers ? realloc(d->pieces, n * sizeof(*pieces)) : NULL;

	d->buffers = buffers ? buffers : d->buffers;
	if (!pieces)
		return -1;
	d->pieces = pieces;
	pieces[n - 1] = (struct snapshot_piece){ .address = address, .size = size };
	buffers[n - 1] = (struct snapshot_buffer){ pieces[n - 1], name ? strdup(name) : NULL };
	d->n_buffers = n;
	return name && !buffers[n - 1].name ? -1 : 0;
}

/* Decodes the buffers of a WORKER_DEVICE_REPORT. */
static int take_buffers(struct snapshot_diff *d, struct record *r, struct error *err)
{
	uint32_t n;

	record_str(r);
	for (int i = 0; i < 4; i++)
		record_u64(r);
	n = record_count(r, 26);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = record_u64(r), size = record_u64(r);
		const char *name;

		record_u32(r);
		name = record_str(r);
		record_str(r);
		record_u32(r);
		for (uint64_t at = 0; address_in_device(address) && at < size; at += SNAPSHOT_PIECE)
			if (add_piece(d, address + at,
				      size - at < SNAPSHOT_PIECE ? size - at : SNAPSHOT_PIECE,
				      at ? NULL : name))
				return error_set(err, ERROR_MEMORY,
						 "out of memory for the list of device buffers");
	}
	for (n = record_count(r, 18); n--;) {
		record_str(r);
		record_str(r);
		record_u64(r);
		record_u64(r);
	}
	record_str(r);
	return record_check(r, "WORKER_DEVICE_REPORT", err);
}

static void changed_release(struct changed_variable *c)
{
	free(c->type);
	free(c->code);
	free(c->was);
	free(c->is);
}

void snapshot_diff_free(struct snapshot_diff *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_buffers; i++)
		free(d->buffers[i].name);
	free(d->buffers);
	free(d->pieces);
	while (d->n_changed)
		changed_release(&d->changed[--d->n_changed]);
	free(d->changed);
	buffer_release(&d->text);
	free(d->name);
	free(d);
}

static void put_value(struct supervisor *s, const struct changed_variable *c, const char *bytes,
		      struct buffer *out)
{
	const struct presenter_value v = {
		.type = c->type, .code = c->code, .bytes = bytes, .len = c->len, .max = VALUE_MAX
	};

	present_value(s, &v, out);
}

void snapshot_diff_put(const struct snapshot_diff *d, struct supervisor *s, struct buffer *out)
{
	const char *text = buffer_text(&d->text);
	size_t at = 0;

	for (size_t i = 0; i < d->n_changed; at = d->changed[i++].at) {
		const struct changed_variable *c = &d->changed[i];

		buffer_append(out, text + at, c->at - at);
		put_value(s, c, c->was, out);
		buffer_puts(out, " -> ");
		put_value(s, c, c->is, out);
		buffer_putc(out, '\n');
	}
	buffer_append(out, text + at, d->text.len - at);
	out->failed |= d->text.failed;
}

static int begin(struct snapshot_diff *d, struct supervisor *s, snapshots_done *done, void *data,
		 struct error *err)
{
	struct snapshots_examiner e = { .name = d->name, .fn = compare, .data = d };
	cleanup_buffer struct buffer report = BUFFER_INIT;
	struct record r;

	if (question_device_report(s, &report, err))
		return -1;
	r = record_open(report.data, report.len);
	if (take_buffers(d, &r, err))
		return -1;
	e.pieces = d->pieces;
	e.n_pieces = d->n_buffers;
	return snapshots_examine(s, &e, done, data, err);
}

struct snapshot_diff *snapshot_diff_start(struct supervisor *s, const char *name,
					  snapshots_done *done, void *data, struct error *err)
{
	struct snapshot_diff *d = calloc(1, sizeof(*d));

	if (d)
		d->name = strdup(name);
	if (d && d->name && !begin(d, s, done, data, err))
		return d;
	if (!d || !d->name)
		error_set(err, ERROR_MEMORY, "out of memory to compare a snapshot");
	snapshot_diff_free(d);
	return NULL;
}
