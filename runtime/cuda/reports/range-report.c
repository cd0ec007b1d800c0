/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report is made in two steps. The check of the address runs deep inside the call, maybe with
 * device.lock held, and only stores the range in a thread-local variable. The end of the call knows
 * the error code and holds no lock: it looks up the buffer, writes the report and prints it. A
 * table of PLACES entries under its own lock keeps each place to one report in a cell; calls
 * without a known line are told apart by the address.
 */
#include "runtime/cuda/reports/range-report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <driver_types.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/session/source-text.h"

#define PLACES 16 /* that are told in one cell */

static _Thread_local struct {
	uint64_t address, size; /* size 0: nothing was noted */
} noted;

/* Places of this cell that have their report. */
static struct {
	pthread_mutex_t lock;
	struct {
		char call[48];
		uint32_t line;
		uint64_t address;
	} places[PLACES];
	uint32_t n;
} told = { .lock = PTHREAD_MUTEX_INITIALIZER };

void range_report_note(uint64_t address, uint64_t size)
{
	noted.address = address;
	noted.size = size;
}

void range_report_cell_begin(void)
{
	pthread_mutex_lock(&told.lock);
	told.n = 0;
	pthread_mutex_unlock(&told.lock);
}

/* Without a line a buffer stands for the place. */
static bool is_new(const char *call, uint32_t line, uint64_t address)
{
	bool fresh = true;

	pthread_mutex_lock(&told.lock);
	for (uint32_t i = 0; i < told.n; i++)
		if (told.places[i].line == line && !strcmp(told.places[i].call, call) &&
		    (line || told.places[i].address == address))
			fresh = false;
	fresh &= told.n < PLACES;
	if (fresh) {
		snprintf(told.places[told.n].call, sizeof(told.places[told.n].call), "%s", call);
		told.places[told.n].line = line;
		told.places[told.n++].address = address;
	}
	pthread_mutex_unlock(&told.lock);
	return fresh;
}

static void put_place(uint32_t line, struct buffer *out)
{
	if (!line || !device.cell)
		return;
	buffer_printf(out, "=========     in In[%u]:%u\n", device.cell, line);
	source_text_put(device.cell, line, out);
}

static void put_buffer(const struct session_buffer *b, bool freed, struct buffer *out)
{
	const char *name = session_buffer_name(b);

	buffer_printf(out, "%s%s%sat 0x%" PRIx64 " of size %" PRIu64 " bytes", *name ? "`" : "",
		      name, *name ? "` " : "", b->address, b->size);
	if (b->cell)
		buffer_printf(out, " (cell %u", b->cell);
	if (b->cell && b->line)
		buffer_printf(out, ", line %u", b->line);
	if (freed && b->freed)
		buffer_printf(out, "%sfreed in cell %u", b->cell ? ", " : " (", b->freed);
	buffer_puts(out, b->cell || (freed && b->freed) ? ")\n" : "\n");
}

static void put_range(struct buffer *out)
{
	const struct session_buffer *b;
	bool freed = false;

	device_lock();
	b = ledger_look(noted.address, &freed);
	buffer_printf(out, "=========     The %" PRIu64 " bytes from address 0x%" PRIx64 " on ",
		      noted.size, noted.address);
	if (b && freed) {
		buffer_puts(out, "are inside an allocation that was freed ");
		put_buffer(b, true, out);
	} else if (b) {
		buffer_printf(out, "end %" PRIu64 " bytes after the allocation ",
			      noted.address + noted.size - b->address - b->size);
		put_buffer(b, false, out);
	} else {
		buffer_puts(out, "are in no allocation\n");
	}
	device_unlock();
}

void range_report_leave(const char *call, int error, uint32_t line)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	size_t len = strlen(call);

	if (!noted.size)
		return;
	if (error == cudaErrorInvalidValue && is_new(call, line, noted.address)) {
		/* The form for a default stream per thread has the name that the program has
		 * written. */
		if (len > 5 &&
		    (!strcmp(call + len - 5, "_ptsz") || !strcmp(call + len - 5, "_ptds")))
			len -= 5;
		buffer_printf(&text,
			      "========= Program hit cudaErrorInvalidValue (error 1) due to "
			      "\"invalid argument\" on CUDA API call to %.*s\n",
			      (int)len, call);
		put_place(line, &text);
		put_range(&text);
		device_print(true, buffer_text(&text), text.len);
	}
	noted.size = 0;
}
