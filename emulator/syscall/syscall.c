/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that device code calls but no module defines: vprintf, __assertfail, malloc, free,
 * and the device's runtime. Lanes are served in lane order.
 */
#include "emulator/syscall/syscall.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "emulator/memory/state-space.h"
#include "emulator/memory/taint.h"
#include "emulator/memory/worker-caches.h"
#include "emulator/syscall/device-launch.h"
#include "emulator/syscall/syscall-argument.h"
#include "emulator/warp/exec.h"

static void print(struct warp *w, const struct buffer *text)
{
	struct launch *l = w->worker->launch;

	if (!l->spec->print || !text->len)
		return;
	pthread_mutex_lock(l->lock);
	l->spec->print(l->spec->data, text->data, text->len);
	pthread_mutex_unlock(l->lock);
}

/* The packed arguments of one printf: each at its natural alignment. */
struct arguments {
	struct warp *w;
	const struct op *o;
	uint32_t lane;
	uint64_t at;
	bool bad;
};

static uint64_t next_argument(struct arguments *a, unsigned size)
{
	uint64_t v = 0;
	const uint8_t *bytes;

	a->at = (a->at + size - 1) / size * size;
	bytes = state_space_bytes(a->w, (int)a->lane, a->at, size);
	if (bytes) {
		memcpy(&v, bytes, size);
		taint_printed(a->w, a->o, a->lane, a->at, size);
	} else {
		a->bad = true;
	}
	a->at += size;
	return v;
}

/* One conversion from `%` on; returns what follows it. spec gets the text for the host's printf
 * without `h`, `l`. */
static const char *take_conversion(const char *f, const char *end, struct arguments *args,
				   char *spec, size_t size, int *longs)
{
	size_t n = 0;

	spec[n++] = *f++;
	*longs = 0;
	while (f < end && n + 4 < size && strchr("-+ #0123456789.*hlLqjzt", *f) && *f) {
		if (*f == '*') {
			n += (size_t)snprintf(spec + n, size - n - 4, "%d",
					      (int)(int32_t)next_argument(args, 4));
			if (n > size - 5)
				n = size - 5;
		} else if (strchr("lLqjzt", *f)) {
			*longs += *f == 'l' ? 1 : 2;
		} else if (*f != 'h') {
			spec[n++] = *f;
		}
		f++;
	}
	spec[n] = '\0';
	return f;
}

static void print_string(struct arguments *args, const char *spec, struct buffer *out)
{
	uint64_t address = next_argument(args, 8);
	size_t len = 0;
	const char *text =
		address ? state_space_text(args->w, (int)args->lane, address, &len) : NULL;
	char copy[1024];
	char format[80];

	if (!text) {
		buffer_puts(out, address ? "(bad address)" : "(null)");
		return;
	}
	if (len < sizeof(copy)) {
		memcpy(copy, text, len);
		copy[len] = '\0';
		snprintf(format, sizeof(format), "%ss", spec);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		buffer_printf(out, format, copy);
#pragma GCC diagnostic pop
	} else {
		buffer_append(out, text, len);
	}
}

static void print_conversion(struct arguments *args, char kind, const char *spec, int longs,
			     struct buffer *out)
{
	char format[80];
	double d;
	uint64_t v;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	switch (kind) {
	case 'd':
	case 'i':
		v = next_argument(args, longs ? 8 : 4);
		snprintf(format, sizeof(format), "%sll%c", spec, kind);
		buffer_printf(out, format, longs ? (long long)v : (long long)(int32_t)v);
		break;
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		v = next_argument(args, longs ? 8 : 4);
		snprintf(format, sizeof(format), "%sll%c", spec, kind);
		buffer_printf(out, format, (unsigned long long)v);
		break;
	case 'c':
		v = next_argument(args, 4);
		snprintf(format, sizeof(format), "%sc", spec);
		buffer_printf(out, format, (int)(unsigned char)v);
		break;
	case 'p':
		v = next_argument(args, 8);
		snprintf(format, sizeof(format), "%sp", spec);
		buffer_printf(out, format, (void *)(uintptr_t)v);
		break;
	case 'f':
	case 'F':
	case 'e':
	case 'E':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		v = next_argument(args, 8);
		memcpy(&d, &v, sizeof(d));
		snprintf(format, sizeof(format), "%s%c", spec, kind);
		buffer_printf(out, format, d);
		break;
	case 's':
		print_string(args, spec, out);
		break;
	default:
		buffer_printf(out, "%s%c", spec, kind);
	}
#pragma GCC diagnostic pop
}

static void format_lane(struct warp *w, const struct op *o, uint32_t lane, const char *f,
			size_t len, uint64_t packed, struct buffer *out)
{
	struct arguments args = { .w = w, .o = o, .lane = lane, .at = packed };
	const char *end = f + len;

	while (f < end) {
		const char *percent = memchr(f, '%', (size_t)(end - f));
		char spec[64];
		int longs;

		if (!percent || end - percent < 2) {
			buffer_append(out, f, (size_t)(end - f));
			return;
		}
		buffer_append(out, f, (size_t)(percent - f));
		if (percent[1] == '%') {
			buffer_putc(out, '%');
			f = percent + 2;
			continue;
		}
		f = take_conversion(percent, end, &args, spec, sizeof(spec), &longs);
		if (f < end)
			print_conversion(&args, *f++, spec, longs, out);
	}
}

static const struct op *run_vprintf(struct warp *w, const struct op *o)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;

	FOR_ACTIVE (l, w->mask) {
		size_t len;
		const char *format =
			state_space_text(w, (int)l, syscall_argument(w, o->call, l, 0), &len);

		if (!format)
			return warp_fault(w, o, GPU_FAULT_ILLEGAL_ADDRESS, 1u << l,
					  "printf: the format is no valid address");
		format_lane(w, o, l, format, len, syscall_argument(w, o->call, l, 1), &out);
		syscall_result(w, o->call, l, 0);
	}
	print(w, &out);
	return o + 1;
}

static void put_text(struct warp *w, uint32_t lane, uint64_t address, struct buffer *out)
{
	size_t len = 0;
	const char *text = address ? state_space_text(w, (int)lane, address, &len) : NULL;

	if (text)
		buffer_append(out, text, len);
	else
		buffer_puts(out, "?");
}

/* (message, file, line, function, char size) */
static const struct op *run_assertfail(struct warp *w, const struct op *o)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct gpu_fault *f = &w->worker->fault;
	char note[200];

	FOR_ACTIVE (l, w->mask) {
		warp_fault(w, o, GPU_FAULT_ASSERT, 1u << l, "");
		put_text(w, l, syscall_argument(w, o->call, l, 1), &out);
		buffer_printf(&out, ":%u: ", (unsigned)syscall_argument(w, o->call, l, 2));
		put_text(w, l, syscall_argument(w, o->call, l, 3), &out);
		buffer_printf(&out, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `",
			      f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1],
			      f->thread[2]);
		put_text(w, l, syscall_argument(w, o->call, l, 0), &out);
		buffer_puts(&out, "` failed.\n");
	}
	print(w, &out);
	out.len = out.len > 0 ? out.len - 1 : 0;
	snprintf(note, sizeof(note), "%.*s", (int)(strcspn(buffer_text(&out), "\n")),
		 buffer_text(&out));
	return warp_fault(w, o, GPU_FAULT_ASSERT, w->mask, note);
}

static const struct op *run_malloc(struct warp *w, const struct op *o)
{
	struct launch *launch = w->worker->launch;

	FOR_ACTIVE (l, w->mask) {
		uint64_t address = 0;

		if (launch->spec->heap_alloc) {
			pthread_mutex_lock(launch->lock);
			address = launch->spec->heap_alloc(launch->spec->data,
							   syscall_argument(w, o->call, l, 0));
			pthread_mutex_unlock(launch->lock);
		}
		syscall_result(w, o->call, l, address);
	}
	worker_check_generation(w->worker);
	return o + 1;
}

static const struct op *run_free(struct warp *w, const struct op *o)
{
	struct launch *launch = w->worker->launch;

	FOR_ACTIVE (l, w->mask) {
		uint64_t address = syscall_argument(w, o->call, l, 0);
		bool known = true;

		if (!address)
			continue;
		pthread_mutex_lock(launch->lock);
		known = launch->spec->heap_free &&
			launch->spec->heap_free(launch->spec->data, address);
		pthread_mutex_unlock(launch->lock);
		if (!known)
			return warp_fault(w, o, GPU_FAULT_TRAP, 1u << l,
					  "free: the address is no block of the device heap, or "
					  "was freed already");
	}
	worker_check_generation(w->worker);
	return o + 1;
}

/* (handle of a graph's condition: the address of its value, value) */
static const struct op *run_set_conditional(struct warp *w, const struct op *o)
{
	FOR_ACTIVE (l, w->mask) {
		uint32_t value = (uint32_t)syscall_argument(w, o->call, l, 1);
		uint8_t *bytes = state_space_bytes(w, (int)l, syscall_argument(w, o->call, l, 0),
						   sizeof(value));

		if (!bytes)
			return warp_fault(w, o, GPU_FAULT_ILLEGAL_ADDRESS, 1u << l,
					  "cudaGraphSetConditional: this is the handle of no "
					  "condition of a graph");
		memcpy(bytes, &value, sizeof(value));
	}
	return o + 1;
}

static const struct {
	const char *name;
	const struct op *(*run)(struct warp *w, const struct op *o);
} calls[] = {
#define SYSCALL(name, handler) { #name, handler },
#include "emulator/ptx/syscalls.def"
#undef SYSCALL
};

const struct op *syscall_run(struct warp *w, const struct op *o, const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].run(w, o);
	return warp_fault(w, o, GPU_FAULT_ILLEGAL_INSTRUCTION, w->mask,
			  "a call of a function that nothing defines");
}
