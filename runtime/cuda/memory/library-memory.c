/* SPDX-License-Identifier: Apache-2.0 */
/* One table, sorted by kind and key. It is of this process: memory of libraries is lost with the
 * worker. */
#include "runtime/cuda/memory/library-memory.h"

#include <string.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"

static struct library_memory_table {
	struct library_memory *rows;
	size_t n, cap;
	uint64_t reserved[DEVICES_MAX]; /* by calls at work */
	uint64_t told;                  /* the digest of what the kernel process knows */
} table;

static bool is_behind(const struct library_memory *h, enum library_memory_kind kind, uint64_t key)
{
	return h->kind != kind ? h->kind > kind : h->key > key;
}

/* Index of the first row behind this one. */
static size_t index_behind(enum library_memory_kind kind, uint64_t key)
{
	size_t low = 0, high = table.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (is_behind(&table.rows[middle], kind, key))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct library_memory *find(enum library_memory_kind kind, uint64_t key)
{
	size_t i = index_behind(kind, key);

	return i && table.rows[i - 1].kind == kind && table.rows[i - 1].key == key
		       ? &table.rows[i - 1]
		       : NULL;
}

static void remove_row(struct library_memory *h)
{
	table.n--;
	memmove(h, h + 1, (size_t)(table.rows + table.n - h) * sizeof(*h));
}

/* False: no memory for the row. */
static bool add_row(const struct library_memory *h)
{
	size_t at = index_behind(h->kind, h->key);

	if (!ARRAY_ROOM(table.rows, table.n, &table.cap))
		return false;
	memmove(table.rows + at + 1, table.rows + at, (table.n - at) * sizeof(*table.rows));
	table.rows[at] = *h;
	table.n++;
	return true;
}

void library_memory_tell(void)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	uint64_t sum = 0;

	record_put_u32(&b, (uint32_t)device.count);
	for (int i = 0; i < device.count; i++) {
		record_put_u64(&b, library_memory_bytes(i));
		sum = sum * 31 + library_memory_bytes(i);
	}
	if (sum == table.told)
		return;
	table.told = sum;
	if (buffer_check(&b, &err) ||
	    device.host->send(WORKER_LIBRARY_MEMORY, b.data, b.len, -1, &err))
		log_error("device memory of libraries: %s", err.text);
}

void library_memory_add_reserved(int device_number, uint64_t bytes)
{
	table.reserved[device_number] += bytes;
}

void library_memory_settle(int device_number, uint64_t bytes, const struct library_memory *h)
{
	struct library_memory row, *before;

	device_lock();
	table.reserved[device_number] -= bytes;
	if (h) {
		row = *h;
		row.cell = device.cell;
		row.device = device_number;
		before = find(h->kind, h->key);
		if (before)
			remove_row(before);
		/* Memory without a row stays counted until the worker ends. */
		if (row.bytes && !add_row(&row))
			table.reserved[device_number] += row.bytes;
	}
	device_unlock();
}

bool library_memory_drop(enum library_memory_kind kind, uint64_t key)
{
	struct library_memory *h;

	device_lock();
	h = find(kind, key);
	if (h)
		remove_row(h);
	device_unlock();
	return h;
}

bool library_memory_find(enum library_memory_kind kind, uint64_t key, struct library_memory *ret)
{
	const struct library_memory *h;

	device_lock();
	h = find(kind, key);
	if (h)
		*ret = *h;
	device_unlock();
	return h;
}

void library_memory_rename(enum library_memory_kind kind, uint64_t key, uint64_t to)
{
	struct library_memory row, *h;

	device_lock();
	h = find(kind, key);
	if (h) {
		row = *h;
		row.key = to;
		remove_row(h);
		add_row(&row); /* there is room: one was just removed */
	}
	device_unlock();
}

uint64_t library_memory_of_owner(enum library_memory_kind kind, uint64_t owner)
{
	uint64_t bytes = 0;

	device_lock();
	for (size_t i = 0; i < table.n; i++)
		if (table.rows[i].kind == kind && table.rows[i].owner == owner)
			bytes += table.rows[i].bytes;
	device_unlock();
	return bytes;
}

bool library_memory_reaches(uint64_t address, uint64_t size)
{
	size_t i = index_behind(LIBRARY_MEMORY, address);
	const struct library_memory *h =
		i && table.rows[i - 1].kind == LIBRARY_MEMORY ? &table.rows[i - 1] : NULL;

	return h && address - h->key < h->bytes && size <= h->bytes - (address - h->key);
}

uint64_t library_memory_bytes_of(enum library_memory_kind kind, int device_number)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < table.n; i++)
		if (table.rows[i].kind == kind &&
		    (device_number < 0 || table.rows[i].device == device_number))
			bytes += table.rows[i].bytes;
	return bytes;
}

uint64_t library_memory_bytes(int device_number)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < table.n; i++)
		if (device_number < 0 || table.rows[i].device == device_number)
			bytes += table.rows[i].bytes;
	for (int i = 0; i < DEVICES_MAX; i++)
		if (device_number < 0 || i == device_number)
			bytes += table.reserved[i];
	return bytes;
}

static bool same_sum(const struct library_memory *a, const struct library_memory *b)
{
	return a->device == b->device && !strcmp(a->call, b->call);
}

/* A row stands for its sum when no earlier one does. */
static bool is_first(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_sum(&table.rows[k], &table.rows[i]))
			return false;
	return true;
}

bool library_memory_sum(uint32_t number, struct library_memory *ret)
{
	for (size_t i = 0; i < table.n; i++) {
		if (!is_first(i) || number--)
			continue;
		*ret = table.rows[i];
		for (size_t k = i + 1; k < table.n; k++) {
			if (!same_sum(&table.rows[k], &table.rows[i]))
				continue;
			ret->bytes += table.rows[k].bytes;
			if (table.rows[k].cell > ret->cell)
				ret->cell = table.rows[k].cell;
		}
		return true;
	}
	return false;
}
