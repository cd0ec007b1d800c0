/* SPDX-License-Identifier: Apache-2.0 */
/* The cap, and the text of a refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/driver/device-window.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory.h"
#include "runtime/cuda/memory/vmm-pool.h"

#define TABLE_ROWS 10

/* The last refusal of this cell. A signal handler reads the text. */
static struct ledger_refusal {
	char text[LEDGER_REFUSAL_MAX];  /* "": there is none */
	_Atomic bool unchecked;         /* nobody has asked what the error was */
	_Atomic bool another_unchecked; /* than the last one */
	_Atomic bool unsaid; /* it was of a library, and is told at the end of the cell */
} refusal;

const char *ledger_size_text(uint64_t bytes, char text[24])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	int unit = 0;

	while (value >= 1024 && unit < 4) {
		value /= 1024;
		unit++;
	}
	if (unit)
		snprintf(text, 24, "%.1f %s", value, units[unit]);
	else
		snprintf(text, 24, "%llu bytes", (unsigned long long)bytes);
	return text;
}

const char *ledger_kind_name(enum buffer_kind kind)
{
	static const char *const names[] = {
#define BUFFER_KIND(symbol, name) name,
#include "runtime/cuda/session/buffer-kinds.def"
#undef BUFFER_KIND
	};

	return names[kind];
}

/* Libraries hold what no variable of a cell is known for. */
static void put_library_memory(struct buffer *out)
{
	struct library_memory h;
	char size[24];

	for (uint32_t i = 0; i < TABLE_ROWS && library_memory_sum(i, &h); i++)
		buffer_printf(out, "  %12s  %-20s %6u %6s  %s\n", ledger_size_text(h.bytes, size),
			      "libraries", h.cell, "", h.call);
}

static int by_size(const void *a, const void *b)
{
	const struct session_buffer *x = *(const struct session_buffer *const *)a;
	const struct session_buffer *y = *(const struct session_buffer *const *)b;

	return (x->charged < y->charged) - (x->charged > y->charged);
}

static void ledger_table(struct buffer *out)
{
	const struct session_array *a = &device.session->buffers;
	const struct session_buffer **sorted = malloc((a->n + 1) * sizeof(*sorted));
	uint32_t n = 0;
	char size[24];

	if (!sorted)
		return;
	for (uint32_t i = 0; i < a->n; i++)
		if (session_at(a, struct session_buffer, i)->charged)
			sorted[n++] = session_at(a, struct session_buffer, i);
	qsort(sorted, n, sizeof(*sorted), by_size);
	if (n || library_memory_bytes(-1))
		buffer_printf(out, "  %12s  %-20s %6s %6s  %s\n", "size", "variable", "cell",
			      "line", "made by");
	for (uint32_t i = 0; i < n && i < TABLE_ROWS; i++) {
		const char *name = session_buffer_name(sorted[i]);

		buffer_printf(out, "  %12s  %-20s %6u %6u  %s\n",
			      ledger_size_text(sorted[i]->charged, size),
			      name[0] ? name : "(no variable)", sorted[i]->cell, sorted[i]->line,
			      ledger_kind_name(sorted[i]->kind));
	}
	if (n > TABLE_ROWS)
		buffer_printf(out, "  and %u smaller ones\n", n - TABLE_ROWS);
	free(sorted);
	put_library_memory(out);
}

void ledger_refuse(const struct ledger_request *r, const char *why, const char *advice)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	char size[24];

	buffer_printf(&text, "%s of %s", r->call, ledger_size_text(r->size, size));
	if (r->name && r->name[0])
		buffer_printf(&text, " for `%s`", r->name);
	if (r->line)
		buffer_printf(&text, " in line %u", r->line);
	buffer_printf(&text, " was refused: %s\n", why);
	ledger_table(&text);
	buffer_printf(&text, "Free what is not needed (cudaFree)%s.\n", advice);
	snprintf(refusal.text, sizeof(refusal.text), "%s", buffer_text(&text));
	refusal.another_unchecked = refusal.unchecked;
	refusal.unchecked = true;
}

CUresult ledger_room(int ordinal, size_t *ret_free, size_t *ret_total)
{
	int before = device_current();
	CUresult result = device_switch(ordinal);

	if (!result)
		result = device.driver->cuMemGetInfo(ret_free, ret_total);
	device_switch(before);
	if (!result)
		*ret_free += vmm_pool_spare(ordinal);
	return result;
}

uint64_t ledger_used(void)
{
	return device.session->charged + library_memory_bytes(-1);
}

uint64_t ledger_used_on(int ordinal)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t used = library_memory_bytes(ordinal);

	for (uint32_t i = 0; i < a->n; i++)
		if (session_at(a, struct session_buffer, i)->device == ordinal)
			used += session_at(a, struct session_buffer, i)->charged;
	return used;
}

/* The session may still take so much, on all devices together. */
void ledger_cap_view(size_t *free_bytes, size_t *total)
{
	uint64_t used = ledger_used(), left = used < device.limit ? device.limit - used : 0;

	if (!device.limit)
		return;
	if (device.limit < *total)
		*total = device.limit;
	if (left < *free_bytes)
		*free_bytes = left;
}

/* The content of an array lies in memory of the session, and beside it in the array that the driver
 * has. */
uint64_t ledger_cost(const struct ledger_request *r)
{
	uint64_t size = round_up_to(r->size, VMM_POOL_ALIGN);

	return r->kind == BUFFER_ARRAY ? 2 * size : r->kind >= BUFFER_MANAGED ? r->size : size;
}

/* As far as can be known. */
static bool lacks_room(const struct ledger_request *r, size_t *ret_free, size_t *ret_total)
{
	return !ledger_room(r->device, ret_free, ret_total) && r->size > *ret_free;
}

/* Is there less room than asked for? Then it leaves a refusal. */
static bool refuse_for_room(const struct ledger_request *r)
{
	char room[24], all[24], used[24], number[16] = "", why[200];
	size_t free_bytes, total;

	if (!lacks_room(r, &free_bytes, &total))
		return false;
	if (device.count > 1)
		snprintf(number, sizeof(number), " %d", r->device);
	snprintf(why, sizeof(why), "the device%s has %s free of %s; this session holds %s of it.",
		 number, ledger_size_text(free_bytes, room), ledger_size_text(total, all),
		 ledger_size_text(ledger_used(), used));
	ledger_refuse(r, why, "");
	return true;
}

void ledger_refuse_full(const struct ledger_request *r)
{
	const char *others = vmm_pool_refusal();

	if (*others)
		ledger_refuse(r, others,
			      ", here or there, or let cells wait for it: %limit wait 5min");
	else if (!refuse_for_room(r))
		ledger_refuse(r, "the device has no more memory to give.", "");
}

/* Does it stay so, when others have been asked to give way? */
static bool has_no_room(const struct ledger_request *r)
{
	size_t free_bytes, total;

	return lacks_room(r, &free_bytes, &total) &&
	       !(device.host->make_room && device.host->make_room(r->size) &&
		 !lacks_room(r, &free_bytes, &total));
}

CUresult ledger_admit(const struct ledger_request *r)
{
	uint64_t used = ledger_used(), cost = r->kind == BUFFER_ARRAY ? ledger_cost(r) : r->size;
	char a[24], b[24], why[200];

	if (device.limit && (cost > device.limit || used > device.limit - cost)) {
		snprintf(why, sizeof(why),
			 "the limit of device memory for this session is %s, of which %s are used.",
			 ledger_size_text(device.limit, a), ledger_size_text(used, b));
		ledger_refuse(r, why, ", or raise the limit: %limit gpu SIZE");
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	/* A smaller request may have room beside others of its size, which counts as taken. */
	if (r->kind < BUFFER_MANAGED && r->size >= DEVICE_WINDOW_GRANULE && has_no_room(r) &&
	    refuse_for_room(r))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return CUDA_SUCCESS;
}

const char *ledger_refusal(void)
{
	return refusal.text;
}

bool ledger_refusal_unchecked(void)
{
	return refusal.unchecked;
}

void ledger_refusal_checked(void)
{
	refusal.unchecked = refusal.another_unchecked = false;
}

void ledger_refusal_looked_at(void)
{
	refusal.unchecked = refusal.another_unchecked;
}

void ledger_refusal_of_library(void)
{
	refusal.unchecked = false;
	refusal.unsaid = true;
}

bool ledger_refusal_unsaid(void)
{
	return refusal.unsaid;
}

void ledger_cell_begin(void)
{
	refusal.unsaid = false;
	refusal.text[0] = '\0';
	refusal.unchecked = refusal.another_unchecked = false;
}
