/* SPDX-License-Identifier: Apache-2.0 */
/* A cell shows data with its MIME type, or ends what was shown so far, by a record in the ring of
 * its output. */
#define _GNU_SOURCE
#include "runtime/display/display.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "common/cell-display.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/faults/host-fault.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

struct display_call display_begin(const char *name)
{
	struct display_call call = { name, (locale_t)0 };

	cell_mode_enter_library();
	/* The C locale is an object of libc: nothing is allocated. */
	call.locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	return call;
}

void display_end(const struct display_call *call, int rc, const struct error *err)
{
	uselocale(call->locale);
	if (rc)
		fprintf(stderr, "%s: %s\n", call->name, err->text);
	cell_mode_leave_library();
}

void *display_session_alloc(size_t size)
{
	void *p;

	/* Not calloc(): the compiler knows that one, and that it does not look at the mode. */
	cell_mode_leave_library();
	p = malloc(size);
	cell_mode_enter_library();
	return p ? memset(p, 0, size) : NULL;
}

char *display_session_text(const char *text)
{
	char *copy = text ? display_session_alloc(strlen(text) + 1) : NULL;

	return copy ? strcpy(copy, text) : NULL;
}

int display_session_check(const void *block, size_t size, uint64_t form, const char *kind,
			  struct error *err)
{
	struct address_description d;

	if (!block)
		return error_set(err, ERROR_INPUT, "the %s is NULL", kind);
	host_fault_describe((uintptr_t)block, &d);
	if (d.owner == OWNER_HEAP_FREED)
		return error_set(err, ERROR_INPUT, "the %s was freed", kind);
	if (d.owner != OWNER_HEAP || d.base != (uintptr_t)block || d.size < size ||
	    *(const uint64_t *)block != form)
		return error_set(err, ERROR_INPUT, "this is no %s of cgpu_%s_new()", kind, kind);
	return 0;
}

void display_put(struct display_bundle *b, const char *mime, const void *data, size_t size)
{
	if (size > OUTPUT_DISPLAY_MAX) {
		b->too_large = true;
		return;
	}
	record_put_str(&b->types, mime);
	record_put_bytes(&b->types, data, size);
	b->n++;
}

void display_put_buffer(struct display_bundle *b, const char *mime, const struct buffer *data)
{
	b->types.failed |= data->failed;
	display_put(b, mime, buffer_text(data), data->len);
}

void display_write(enum output_type type, const struct buffer *b)
{
	fflush(stdout);
	fflush(stderr);
	if (worker.is_child)
		return;
	/* A thread that was stopped in there, for a commit, would keep the ring from all others. */
	threads_hold();
	output_ring_write(worker.control, type, b->data, b->len);
	threads_release();
}

int display_send(struct display_bundle *b, const char *id, bool update, struct error *err)
{
	cleanup_buffer struct buffer record = BUFFER_INIT;

	record_put_str(&record, id);
	record_put_u8(&record, update);
	record_put_u32(&record, b->n);
	buffer_append(&record, b->types.data, b->types.len);
	if (b->too_large || record.len > OUTPUT_DISPLAY_MAX)
		return error_set(err, ERROR_LIMIT, "this is more than a display can have, %u MB",
				 OUTPUT_DISPLAY_MAX >> 20);
	if (buffer_check(&b->types, err) || buffer_check(&record, err))
		return -1;
	display_write(OUTPUT_DISPLAY, &record);
	return 0;
}

void display_bundle_release(struct display_bundle *b)
{
	buffer_release(&b->types);
}

void display_id_make(char ret[DISPLAY_ID_SIZE])
{
	uint64_t random[2] = { (uint64_t)(uintptr_t)ret, 0 };

	/* Without it the address, which is one for each object of a session. */
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		random[1] = (uint64_t)worker.pid;
	snprintf(ret, DISPLAY_ID_SIZE, "%016llx%016llx", (unsigned long long)random[0],
		 (unsigned long long)random[1]);
}

static void show(const char *name, const char *id, bool update, const char *mime, const void *data,
		 size_t size)
{
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	struct display_call call = display_begin(name);
	struct error err = ERROR_INIT;
	int rc = 0;

	if (!mime || (!data && size))
		rc = error_set(&err, ERROR_INPUT, "%s is NULL", mime ? "data" : "mime");
	else if (update && (!id || !*id))
		rc = error_set(&err, ERROR_INPUT, "the display has no id");
	else
		display_put(&b, mime, data, size);
	if (!rc)
		rc = display_send(&b, id, update, &err);
	display_end(&call, rc, &err);
}

void cgpu_display(const char *mime, const void *data, unsigned long size)
{
	show("cgpu_display", NULL, false, mime, data, size);
}

void cgpu_display_id(const char *id, const char *mime, const void *data, unsigned long size)
{
	show("cgpu_display_id", id, false, mime, data, size);
}

void cgpu_display_update(const char *id, const char *mime, const void *data, unsigned long size)
{
	show("cgpu_display_update", id, true, mime, data, size);
}

void display_clear_output(int wait)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	cell_mode_enter_library();
	record_put_u8(&b, wait != 0);
	if (!buffer_check(&b, NULL))
		display_write(OUTPUT_CLEAR, &b);
	cell_mode_leave_library();
}
