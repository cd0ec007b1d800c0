/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks are compared by hash; a variable's bytes are read from both sides. */
#include "kernel/session/snapshot-diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/error.h"
#include "common/type-code.h"
#include "kernel/session/result.h"
#include "kernel/session/session.h"
#include "kernel/session/value-format.h"
#include "kernel/size-text.h"
#include "kernel/supervisor/snapshot-file.h"
#include "kernel/supervisor/unit-table.h"

#define VALUE_MAX 60
#define COMPARED_MAX (64u * 1024 * 1024)

struct side {
	struct snapshot_file file;
	struct block_store store;
	struct unit_table units;
	char *block;              /* the last one that was read */
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

/* What is in no block is zero. */
static int read_side(struct side *d, uint64_t address, void *out, size_t len, struct error *err)
{
	for (size_t done = 0; done < len;) {
		const struct snapshot_block *b = block_at(d, address + done);
		size_t part = BLOCK_SIZE - (address + done) % BLOCK_SIZE;

		part = part < len - done ? part : len - done;
		if (!b) {
			memset((char *)out + done, 0, part);
		} else {
			if (b != d->cached && block_store_get(&d->store, b->hash, d->block, b->len, err))
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
	if (snapshot_file_read(dir, name, &d->file, err) || block_store_open(&d->store, dir, false, err) ||
	    unit_table_decode(&d->units, d->file.units.data, d->file.units.len, err))
		return -1;
	qsort(d->file.blocks, d->file.n_blocks, sizeof(*d->file.blocks), by_address);
	return 0;
}

/* ---- variables ---- */

static const struct supervisor_variable *find(const struct supervisor_variable *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return &v[i];
	return NULL;
}

static void put_value(const struct supervisor_variable *v, const void *bytes, size_t len, struct buffer *out)
{
	struct value_text text = { .type = v->type, .code = v->type_code, .bytes = bytes, .len = len,
				   .max = VALUE_MAX };

	value_format(&text, out);
}

/* Bytes of an element of an array, 0 when the variable is none. */
static size_t element_size(const struct supervisor_variable *v)
{
	const char *bracket = strchr(v->type, '[');
	unsigned long count = bracket ? strtoul(bracket + 1, NULL, 10) : 0;

	return *v->type_code == 'a' && count && v->size % count == 0 ? v->size / count : 0;
}

static void put_difference(const struct supervisor_variable *v, const char *old, const char *new, size_t len,
			   struct buffer *out)
{
	size_t element = element_size(v), differ = 0;

	if (!element) {
		buffer_printf(out, "%s: ", v->name);
		put_value(v, old, len, out);
		buffer_puts(out, " -> ");
		put_value(v, new, len, out);
		buffer_puts(out, "\n");
		return;
	}
	for (size_t at = 0; at + element <= len; at += element)
		differ += memcmp(old + at, new + at, element) != 0;
	buffer_printf(out, "%s: %zu of %zu elements differ\n", v->name, differ, len / element);
}

static int compare_variable(struct session *s, struct side *d, const struct supervisor_variable *was,
			    const struct supervisor_variable *is, struct buffer *out, struct error *err)
{
	size_t len = is->size < COMPARED_MAX ? is->size : COMPARED_MAX;
	cleanup_free char *old = malloc(len + 1), *new = malloc(len + 1);

	if (strcmp(was->type, is->type) || was->size != is->size) {
		buffer_printf(out, "%s: was of type %s, is of type %s\n", is->name, was->type, is->type);
		return 0;
	}
	if (!old || !new)
		return error_set(err, ERROR_MEMORY, "out of memory to compare %s", is->name);
	if (supervisor_read(s->supervisor, is->address, new, len))
		return 0;
	if (read_side(d, was->address, old, len, err))
		return -1;
	if (memcmp(old, new, len))
		put_difference(is, old, new, len, out);
	return 0;
}

static int put_variables(struct session *s, struct side *d, struct buffer *out, struct error *err)
{
	const struct supervisor_variable *was, *is;
	size_t n_was = unit_table_variables(&d->units, &was), n_is = supervisor_variables(s->supervisor, &is);

	for (size_t i = 0; i < n_is; i++) {
		const struct supervisor_variable *old = find(was, n_was, is[i].name);

		if (!old)
			buffer_printf(out, "%s%s: is not in the snapshot\n", is[i].name, is[i].is_function ? "()" : "");
		else if (!old->is_function && !is[i].is_function && compare_variable(s, d, old, &is[i], out, err))
			return -1;
		else if (old->is_function && old->address != is[i].address)
			buffer_printf(out, "%s(): was defined again in In[%u]\n", is[i].name, is[i].cell);
	}
	for (size_t i = 0; i < n_was; i++)
		if (!find(is, n_is, was[i].name))
			buffer_printf(out, "%s%s: is only in the snapshot\n", was[i].name, was[i].is_function ? "()" : "");
	return 0;
}

/* ---- heap ---- */

/* Pages of the heap that differ, up to the larger top. */
static int put_heap(struct session *s, struct side *d, struct buffer *out, struct error *err)
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

		if (supervisor_read(s->supervisor, start + at, now, len))
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
		buffer_printf(out, "heap: %" PRIu64 " pages (%s) differ\n", pages, size_text(pages * ARENA_PAGE, size));
	return 0;
}

/* ---- device ---- */

struct device_search {
	struct side *side;
	struct buffer *out;
};

static int compare_device(void *data, uint64_t address, const char *bytes, size_t len, const char *name,
			  struct error *err)
{
	struct device_search *d = data;
	cleanup_free char *then = malloc(len + 1);
	size_t differ = 0;

	if (!then)
		return error_set(err, ERROR_MEMORY, "out of memory to compare device memory");
	if (read_side(d->side, address, then, len, err))
		return -1;
	for (size_t i = 0; i < len; i++)
		differ += bytes[i] != then[i];
	if (differ)
		buffer_printf(d->out, "device buffer %s at %#" PRIx64 ": %zu of %zu bytes differ\n",
			      *name ? name : "(without a name)", address, differ, len);
	return 0;
}

int snapshot_diff(struct session *s, int dir, const char *name, struct buffer *out, struct error *err)
{
	struct side d;
	struct device_search device = { &d, out };
	int result = side_open(&d, dir, name, err);

	if (!result)
		result = put_variables(s, &d, out, err) || put_heap(s, &d, out, err) ||
			 supervisor_device_buffers(s->supervisor, compare_device, &device, err);
	side_release(&d);
	return result ? -1 : 0;
}
