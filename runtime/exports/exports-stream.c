/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams and libraries that a cell opens. They live in libc's heap and end with the worker, so
 * they are tracked; their buffers are made here, since libc would take them from the cell's heap at
 * the first use.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/code/type-code.h"
#include "common/protocol/output-ring.h"
#include "runtime/cuda/device.h"
#include "runtime/exports/cell-stdio.h"
#include "runtime/exports/exports.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/children.h"
#include "runtime/process/tracked.h"
#include "runtime/process/worker.h"

#define STREAM_BUFFER 16384
#define TEXT_MAX 4096 /* characters */

struct stream {
	struct stream *next;
	FILE *f;
	char buffer[STREAM_BUFFER];
};

/* Buffers of streams that are open. */
static struct {
	struct stream *first;
	pthread_mutex_t lock;
} streams = { .lock = PTHREAD_MUTEX_INITIALIZER };

static FILE *opened(FILE *f, enum tracked_kind kind, const char *name)
{
	struct stream *s = f ? malloc(sizeof(*s)) : NULL;

	if (f)
		tracked_add(kind, f, name);
	if (!s)
		return f;
	s->f = f;
	setvbuf(f, s->buffer, _IOFBF, sizeof(s->buffer));
	pthread_mutex_lock(&streams.lock);
	s->next = streams.first;
	streams.first = s;
	pthread_mutex_unlock(&streams.lock);
	return f;
}

static struct stream *forget(FILE *f)
{
	struct stream *s = NULL;

	tracked_remove(f);
	pthread_mutex_lock(&streams.lock);
	for (struct stream **at = &streams.first; *at; at = &(*at)->next) {
		if ((*at)->f != f)
			continue;
		s = *at;
		*at = s->next;
		break;
	}
	pthread_mutex_unlock(&streams.lock);
	return s;
}

typedef FILE *opener(const char *path, const char *mode);
typedef int closer(FILE *f);

/* libc's own functions, found when they are first needed. */
static struct {
	_Atomic(opener *) open;
	_Atomic(closer *) close;
} libc;

static opener *libc_fopen(void)
{
	if (!libc.open)
		libc.open = (opener *)dlsym(RTLD_NEXT, "fopen");
	return libc.open;
}

/*
 * In place of libc's for the whole process, as malloc() is: what a library opens for a cell
 * (std::ofstream) is the cell's. Its FILE would otherwise lie in session memory, and outlive the
 * descriptor. Libraries call either, and both are one function on 64-bit machines.
 */
__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode)
{
	return cell_mode_active() ? exports_fopen(path, mode) : libc_fopen()(path, mode);
}

__attribute__((visibility("default"))) FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

__attribute__((visibility("default"))) int fclose(FILE *f)
{
	if (cell_mode_active())
		return exports_fclose(f);
	if (!libc.close)
		libc.close = (closer *)dlsym(RTLD_NEXT, "fclose");
	return libc.close(f);
}

FILE *exports_fopen(const char *path, const char *mode)
{
	FILE *f;

	cell_mode_enter_library();
	f = opened(libc_fopen()(path, mode), TRACKED_FILE, path);
	cell_mode_leave_library();
	return f;
}

FILE *exports_fdopen(int fd, const char *mode)
{
	FILE *f;

	cell_mode_enter_library();
	f = opened(fdopen(fd, mode), TRACKED_FILE, "of a descriptor");
	cell_mode_leave_library();
	return f;
}

FILE *exports_freopen(const char *path, const char *mode, FILE *f)
{
	FILE *result;

	if (cell_stdio_is_ours(f) && !worker.is_child)
		return cell_stdio_redirect(f, path, mode) ? NULL : f;
	cell_mode_enter_library();
	free(forget(f));
	result = opened(freopen(path, mode, f), TRACKED_FILE, path ? path : "");
	cell_mode_leave_library();
	return result;
}

FILE *exports_tmpfile(void)
{
	FILE *f;

	cell_mode_enter_library();
	f = opened(tmpfile(), TRACKED_FILE, "of tmpfile()");
	cell_mode_leave_library();
	return f;
}

FILE *exports_popen(const char *command, const char *mode)
{
	FILE *f;

	cell_mode_enter_library();
	children_note();
	f = opened(popen(command, mode), TRACKED_PROCESS, command);
	cell_mode_leave_library();
	return f;
}

/* Closing the notebook's own streams only flushes them. */
int exports_fclose(FILE *f)
{
	struct stream *s;
	int r;

	if (cell_stdio_is_ours(f) && !worker.is_child) {
		cell_stdio_restore(f);
		return 0;
	}
	cell_mode_enter_library();
	s = forget(f);
	r = fclose(f);
	free(s);
	cell_mode_leave_library();
	return r;
}

int exports_pclose(FILE *f)
{
	struct stream *s;
	int r;

	cell_mode_enter_library();
	s = forget(f);
	r = pclose(f);
	free(s);
	cell_mode_leave_library();
	return r;
}

/* The notebook's streams need no buffer, and one of the cell's would outlive it. */
int exports_setvbuf(FILE *f, char *buffer, int mode, size_t size)
{
	return cell_stdio_is_ours(f) ? 0 : setvbuf(f, buffer, mode, size);
}

void exports_setbuf(FILE *f, char *buffer)
{
	if (!cell_stdio_is_ours(f))
		setbuf(f, buffer);
}

void exports_setlinebuf(FILE *f)
{
	if (!cell_stdio_is_ours(f))
		setlinebuf(f);
}

void *exports_dlopen(const char *path, int flags)
{
	void *handle;

	cell_mode_enter_library();
	handle = dlopen(path, flags);
	if (handle && path)
		tracked_add(TRACKED_LIBRARY, handle, path);
	cell_mode_leave_library();
	return handle;
}

int exports_dlclose(void *handle)
{
	int r;

	cell_mode_enter_library();
	tracked_remove(handle);
	r = dlclose(handle);
	cell_mode_leave_library();
	return r;
}

/* The characters that the object points to are put behind it: a bounded number, cut at the end of
 * what can be read. */
static void put_text(struct buffer *b, const char *type_code, const void *object)
{
	wchar_t text[TEXT_MAX];
	const void *from = NULL;
	ssize_t n = -1;

	if (*type_code == 'p' && type_code[1] && strchr("cLU", type_code[1]))
		memcpy(&from, object, sizeof(from));
	if (from)
		n = worker_read_characters(from, type_code_size(type_code + 1), text, sizeof(text));
	record_put_bytes(b, text, n < 0 ? 0 : (size_t)n);
}

/* The value itself: of what stands for a variable of the device a copy of that. NULL: the device
 * does not give it. */
static const void *value_of(const void *object, size_t size, struct buffer *copy)
{
	uint64_t have = 0, address = device_variable((uintptr_t)object, &have);

	if (!address || size > have)
		return object;
	return buffer_extend(copy, size) && !device_read(address, copy->data, size, NULL)
		       ? copy->data
		       : NULL;
}

void exports_display_value(const char *type, const char *type_code, const void *object,
			   unsigned long size)
{
	cleanup_buffer struct buffer b = BUFFER_INIT, copy = BUFFER_INIT;

	cell_mode_enter_library();
	object = value_of(object, size, &copy);
	if (!object) {
		cell_mode_leave_library();
		return;
	}
	record_put_str(&b, type);
	record_put_str(&b, type_code);
	record_put_bytes(&b, object, size);
	put_text(&b, type_code, object);
	if (!buffer_check(&b, NULL) && !worker.is_child)
		output_ring_write(worker.control, OUTPUT_RESULT, b.data, b.len);
	cell_mode_leave_library();
}
