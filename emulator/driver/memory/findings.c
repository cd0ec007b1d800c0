/* SPDX-License-Identifier: Apache-2.0 */
/* A place is a kernel and a line; copies to the host count by buffer. */
#include "emulator/driver/memory/findings.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "emulator/driver/device/memory.h"

#define PLACES 32 /* that are told in one cell */

struct place {
	char kernel[128], file[160];
	uint32_t line, offset;
};

/* The places that were told in this cell. */
static struct place_list {
	pthread_mutex_t lock;
	struct place places[PLACES];
	unsigned n;
} told = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The call that the runtime is in, in the calling thread. */
static _Thread_local struct outer_call {
	const char *name; /* NULL: none, the program calls the driver itself */
	int quiet;        /* not 0: its copies to the host are not looked at */
} outer;

void findings_set_call(const char *name)
{
	outer.name = name;
}

const char *findings_call(const char *driver_call)
{
	return outer.name ? outer.name : driver_call;
}

void findings_quiet(int on)
{
	outer.quiet = on;
}

bool findings_are_quiet(void)
{
	return outer.quiet;
}

/* False: told before, or too many were. */
static bool is_new(const struct place *p)
{
	bool fresh = true;

	pthread_mutex_lock(&told.lock);
	for (unsigned i = 0; i < told.n; i++)
		if (!strcmp(told.places[i].kernel, p->kernel) &&
		    !strcmp(told.places[i].file, p->file) && told.places[i].line == p->line &&
		    told.places[i].offset == p->offset)
			fresh = false;
	if (fresh && told.n < PLACES)
		told.places[told.n++] = *p;
	else
		fresh = false;
	pthread_mutex_unlock(&told.lock);
	return fresh;
}

void findings_forget(void)
{
	pthread_mutex_lock(&told.lock);
	told.n = 0;
	pthread_mutex_unlock(&told.lock);
}

void findings_tell(void *data, const struct gpu_fault *f)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct place p = { .offset = f->frame_count ? 0 : f->offset };

	(void)data;
	snprintf(p.kernel, sizeof(p.kernel), "%s", f->kernel);
	if (f->frame_count) {
		snprintf(p.file, sizeof(p.file), "%s", f->frames[0].file);
		p.line = f->frames[0].line;
	}
	if (!is_new(&p))
		return;
	gpu_fault_print(f, &text);
	gpu_print(true, buffer_text(&text), text.len);
}

/* `d_sum` (cell 1) */
static void print_buffer(const struct machine_buffer *b, struct buffer *out)
{
	if (b->name[0])
		buffer_printf(out, "`%s`", b->name);
	else
		buffer_printf(out, "the allocation at 0x%llx", (unsigned long long)b->address);
	if (b->tag)
		buffer_printf(out, " (cell %u)", b->tag);
}

void findings_host_read(const char *call, uint64_t address, uint64_t size)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct gpu_fault cause = { 0 };
	enum memory_state state = memory_state(address, size, &cause);
	const struct machine_memory *view = memory_view(0);
	struct place p = { .kernel = "host" };
	struct machine_buffer b;

	if (state == MEMORY_KNOWN || !view->nearest(view->data, address, &b))
		return;
	snprintf(p.file, sizeof(p.file), "%llx", (unsigned long long)b.address);
	if (!is_new(&p))
		return;
	if (cause.kind)
		gpu_fault_print(&cause, &text);
	else
		buffer_printf(
			&text,
			"========= Host API uninitialized memory access of %llu bytes by %s\n",
			(unsigned long long)size, call);
	buffer_puts(&text, "=========     ");
	if (state == MEMORY_COMPUTED) {
		buffer_puts(&text, "which the host copies from ");
		print_buffer(&b, &text);
	} else {
		buffer_printf(&text, "Address 0x%llx in ", (unsigned long long)address);
		print_buffer(&b, &text);
		buffer_puts(&text, "; nothing has written to any of these bytes");
	}
	buffer_putc(&text, '\n');
	gpu_print(true, buffer_text(&text), text.len);
}
