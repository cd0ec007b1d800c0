/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of a traceback:
 *
 *	SegmentationFault: address 0x0 is a null pointer: element 0 of `p`; at In[7], line 3, in
 *	                   average()
 *
 *	In[7], line 3, in average(p = 0x0)
 *	      2 | double average(double *p) {
 *	 ->   3 |         return p[0] / n;
 *	          p = 0x0
 *	          n = 5
 *	In[7], line 9
 *	 ->   9 | average(NULL);
 *
 *	what the worker could tell beyond that
 *
 *	Everything is as it was before this cell: ...
 *
 * The calls are fault-frames.c's, the values fault-values.c's. The last paragraph comes from the
 * kernel process.
 */
#define _GNU_SOURCE
#include "kernel/presenter/fault-text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/memory/address-map.h"
#include "common/protocol/worker-protocol.h"
#include "common/text/demangle.h"
#include "kernel/faults/fault-record.h"
#include "kernel/faults/fault-report.h"
#include "kernel/presenter/fault-frames.h"
#include "kernel/presenter/fault-values.h"
#include "kernel/presenter/session-view.h"

#define VARIABLE_GAP 32 /* bytes between two variables, at least */

/* This many calls of a function by itself count as an endless recursion. */
#define DEEP 1000

/* Copies a text of fixed size that may lack its terminator. */
static const char *bounded(const char *text, size_t size, char *buf)
{
	size_t len = strnlen(text, size - 1);

	memcpy(buf, text, len);
	buf[len] = '\0';
	return buf;
}

static void put_bytes(uint64_t n, struct buffer *out)
{
	buffer_printf(out, "%" PRIu64 " byte%s", n, n == 1 ? "" : "s");
}

/* Appends the position of `address` relative to the nearest object. */
static void put_distance(const struct address_description *d, uint64_t address, struct buffer *out)
{
	if (address < d->base) {
		put_bytes(d->base - address, out);
		buffer_puts(out, " before");
	} else if (address - d->base >= d->size) {
		put_bytes(address - d->base - d->size, out);
		buffer_puts(out, " past the end of");
	} else {
		if (address == d->base) {
			buffer_puts(out, "the start of");
			return;
		}
		put_bytes(address - d->base, out);
		buffer_puts(out, " into");
	}
}

/* Appends where malloc() or free() was called, as "In[3], line 7, in make()"; otherwise the
 * cell. */
static void put_site(const struct code_site *s, uint32_t cell, struct session_view *view,
		     struct buffer *out)
{
	struct fault_frame frame = { .cell = s->cell, .offset = s->offset };
	struct fault_call call;

	memcpy(frame.name, s->function, sizeof(s->function));
	if (s->cell && fault_frames_site(&frame, view, &call))
		fault_frames_put_place(&call, "", out);
	else
		buffer_printf(out, "In[%u]", cell);
}

static void put_block(const struct address_description *d, struct session_view *view,
		      struct buffer *out)
{
	buffer_puts(out, "a block of ");
	put_bytes(d->size, out);
	if (!d->cell)
		return;
	buffer_puts(out, ", allocated at ");
	put_site(&d->allocated, d->cell, view, out);
}

/* Appends one clause that names the owner of the address. */
static void put_owner(const struct address_description *d, uint64_t address,
		      struct session_view *view, struct buffer *out)
{
	char name[sizeof(d->name)];

	bounded(d->name, sizeof(d->name), name);
	switch ((enum address_owner)d->owner) {
	case OWNER_NULL:
		buffer_puts(out, "a null pointer");
		if (address)
			buffer_printf(out, " plus %" PRIu64, address);
		return;
	case OWNER_HEAP:
	case OWNER_HEAP_NEAR:
		put_distance(d, address, out);
		buffer_putc(out, ' ');
		put_block(d, view, out);
		return;
	case OWNER_HEAP_FREED:
		put_distance(d, address, out);
		buffer_putc(out, ' ');
		put_block(d, view, out);
		buffer_puts(out, d->cell ? ", and freed at " : ", freed at ");
		put_site(&d->freed, d->freed_cell, view, out);
		return;
	case OWNER_VARIABLE:
		put_distance(d, address, out);
		buffer_printf(out, " the variable %s", name);
		if (d->cell)
			buffer_printf(out, " of In[%u]", d->cell);
		return;
	case OWNER_CODE:
		buffer_printf(out, "machine code of %s, which cannot be written",
			      *name ? name : "a cell");
		return;
	case OWNER_CONSTANT:
		buffer_printf(out,
			      "a string literal or constant of In[%u], which cannot be written: "
			      "copy it into an array first (char s[] = \"...\")",
			      d->cell);
		return;
	case OWNER_DEVICE:
	case OWNER_DEVICE_FREED:
		buffer_puts(out, "device memory");
		if (*name)
			buffer_printf(out, " (%s)", name);
		buffer_puts(out, d->owner == OWNER_DEVICE_FREED ? " that was freed" : "");
		buffer_puts(out, ", which host code cannot touch: copy it with cudaMemcpy");
		return;
	case OWNER_STACK:
		buffer_puts(out, "the cell's stack");
		return;
	case OWNER_STACK_GUARD:
		buffer_puts(out, "the end of the stack");
		return;
	case OWNER_LIBRARY:
		buffer_printf(out, "the library %s", *name ? name : "code");
		return;
	case OWNER_FILE:
		buffer_printf(out, "in a mapping of the file %s", name);
		return;
	case OWNER_UNKNOWN:
		break;
	}
	buffer_puts(out, address_is_freed_word(address)
				 ? "what a block holds after free(), where a pointer was"
				 : "memory that nobody has allocated");
}

/* Appends the first line of the worker's own text, for kinds of faults without a better one. */
static void put_first_line(const struct fault_record *f, const char *otherwise, struct buffer *out)
{
	char text[sizeof(f->text)];

	bounded(f->text, sizeof(f->text), text);
	text[strcspn(text, "\n")] = '\0';
	buffer_puts(out, *text ? text : otherwise);
}

static void put_arithmetic(const struct fault_record *f, struct buffer *out)
{
	switch (f->si_code) {
	case FPE_INTDIV:
		/* On x86, INT_MIN / -1 faults in the same way. */
		put_first_line(f, "integer division by zero (or of the smallest integer by -1)",
			       out);
		return;
	case FPE_INTOVF:
		buffer_puts(out, "integer overflow");
		return;
	case FPE_FLTDIV:
		buffer_puts(out, "floating-point division by zero");
		return;
	default:
		buffer_puts(out, "a floating-point exception that the cell has enabled");
	}
}

/* Appends the function of a recursion, otherwise the depth of the calls. */
static void put_overflow(const struct fault_record *f, struct session_view *view,
			 struct buffer *out)
{
	struct fault_call calls[FAULT_CALLS_MAX];

	buffer_puts(out, "the stack is full: ");
	for (uint32_t i = 0; i < f->n_frames && i < FAULT_FRAMES_MAX; i++) {
		const struct fault_frame *frame = &f->frames[i];

		if (frame->times < DEEP)
			continue;
		fault_frames_calls(f, i, view, calls);
		buffer_printf(out, "%s() has called itself%s ", calls[0].function,
			      frame->cycle > 1 ? " through others" : "");
		buffer_put_grouped(out, frame->times);
		buffer_puts(out, " times, a recursion that does not end");
		return;
	}
	if (!f->n_omitted) {
		buffer_puts(out, "a local array is too large, or calls are too deep");
		return;
	}
	buffer_put_grouped(out, f->n_frames + f->n_omitted);
	buffer_puts(out, " calls are inside each other, a recursion that does not end");
}

/* Appends the sender of a signal from kill(). */
static void put_sender(int sender, pid_t worker, struct buffer *out)
{
	char path[64], name[64] = "";
	cleanup_file FILE *f = NULL;

	if (sender <= 0)
		return;
	if (sender == worker) {
		buffer_puts(out, " that the cell sent to itself");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", sender);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = '\0';
	buffer_printf(out, " sent by process %d%s%s%s", sender, *name ? " (" : "", name,
		      *name ? ")" : "");
}

static void put_bad_call(const struct fault_record *f, struct session_view *view,
			 struct buffer *out)
{
	if (!f->address) {
		buffer_puts(out, "a function was called through a null pointer");
		return;
	}
	buffer_printf(out,
		      "a function was called at address 0x%" PRIx64
		      ", where there is no code: it is ",
		      f->address);
	put_owner(&f->what, f->address, view, out);
}

/* Appends the missing names, the only content of the record of a name that was used before it was
 * defined. */
static void put_link(const struct fault_record *f, struct buffer *out)
{
	char missing[sizeof(f->missing)], name[sizeof(f->missing)];

	bounded(f->missing, sizeof(f->missing), missing);
	missing[strcspn(missing, " ")] = '\0';
	if (*f->text || !*missing) {
		put_first_line(f, "no more is known", out);
		return;
	}
	demangle(missing, name, sizeof(name));
	buffer_printf(out,
		      "'%s' is declared but defined nowhere yet: neither in a cell nor in a loaded "
		      "library. Define it in a cell, or load the library that has it, then run "
		      "this cell again.",
		      name);
}

static void put_what(const struct fault_record *f, uint32_t kind, struct session_view *view,
		     pid_t pid, struct buffer *out)
{
	switch ((enum fault_kind)kind) {
	case FAULT_SEGMENTATION:
		/* General protection fault: the processor does not report the address. */
		if (f->si_code == SI_KERNEL && !f->address) {
			buffer_puts(out, "an address that no pointer can have (or data that is not "
					 "aligned as it must be)");
			return;
		}
		/* fallthrough */
	case FAULT_BUS:
		if (f->n_frames && f->frames[0].pc == f->address && !f->frames[0].cell) {
			put_bad_call(f, view, out);
			return;
		}
		if (f->signal == SIGBUS && f->si_code == BUS_ADRERR)
			buffer_puts(out, "the file behind a mapping is shorter than the mapping "
					 "(was it truncated?): ");
		buffer_printf(out, "address 0x%" PRIx64 " is ", f->address);
		put_owner(&f->what, f->address, view, out);
		return;
	case FAULT_ARITHMETIC:
		put_arithmetic(f, out);
		return;
	case FAULT_ILLEGAL_INSTRUCTION:
		put_first_line(f, "an instruction that this processor does not have", out);
		return;
	case FAULT_STACK_OVERFLOW:
		put_overflow(f, view, out);
		return;
	case FAULT_EXITED:
		buffer_printf(out, "the cell ended its process with exit status %d",
			      f->exit_status);
		return;
	case FAULT_ABORTED:
		put_first_line(f, "abort() was called", out);
		return;
	case FAULT_KILLED:
		buffer_printf(out, "signal %d (SIG%s)", f->signal,
			      sigabbrev_np(f->signal) ? sigabbrev_np(f->signal) : "?");
		put_sender(f->sender_pid, pid, out);
		return;
	case FAULT_HEAP_MISUSE:
		put_first_line(f, "the heap was misused", out);
		if (!f->address)
			return;
		buffer_printf(out, ": 0x%" PRIx64 " is ", f->address);
		put_owner(&f->what, f->address, view, out);
		return;
	case FAULT_INTERRUPTED:
		buffer_puts(out, "the cell was interrupted");
		return;
	case FAULT_LINK:
		put_link(f, out);
		return;
	default:
		put_first_line(f, "no more is known", out);
	}
}

/* Appends the worker's text without the line that is in the headline already. */
static void put_rest_of_text(const struct fault_record *f, const char *headline, struct buffer *out)
{
	char text[sizeof(f->text)];
	const char *rest = text;
	size_t first;

	bounded(f->text, sizeof(f->text), text);
	first = strcspn(text, "\n");
	if (first && !strncmp(headline, text, first))
		rest = text + first;
	rest += strspn(rest, "\n");
	if (!*rest)
		return;
	buffer_printf(out, "\n%s", rest);
	if (rest[strlen(rest) - 1] != '\n')
		buffer_putc(out, '\n');
}

static bool has_address(const struct fault_record *f, uint32_t kind)
{
	return (kind == FAULT_SEGMENTATION || kind == FAULT_BUS) && f->si_code > 0 &&
	       f->si_code != SI_KERNEL;
}

/* Appends ", the start of a block of 40 bytes, allocated at ..., and freed at ...", for blocks,
 * variables and device memory only. */
static void put_pointee(void *data, uint64_t address, struct buffer *out)
{
	struct session_view *view = data;
	struct address_description d;

	if (!session_view_owner(view, address, &d))
		return;
	switch ((enum address_owner)d.owner) {
	case OWNER_VARIABLE:
		/* Memory behind the gap may be a valid object without a name. */
		if (address - d.base > d.size + VARIABLE_GAP)
			return;
		/* fallthrough */
	case OWNER_HEAP:
	case OWNER_HEAP_FREED:
	case OWNER_HEAP_NEAR:
		buffer_puts(out, ", ");
		put_owner(&d, address, view, out);
		return;
	case OWNER_DEVICE:
	case OWNER_DEVICE_FREED:
		buffer_puts(out, d.owner == OWNER_DEVICE ? ", on the device"
							 : ", on the device, and freed");
		return;
	default:
		return;
	}
}

static void read_values(const struct fault_record *f, uint32_t kind, struct fault_call *call,
			struct fault_values *ret)
{
	char line[400];

	if (!call->has_scene ||
	    !unit_record_source(call->unit->record, call->line, line, sizeof(line)))
		return;
	call->scene.has_address = has_address(f, kind);
	call->scene.address = f->address;
	call->scene.owner = put_pointee;
	call->scene.owner_data = call->scene.view;
	fault_values_read(&call->scene, line, ret);
}

void fault_text_make(const struct fault_record *f, pid_t worker, struct session_view *view,
		     struct fault_report *r)
{
	uint32_t kind = f->kind > FAULT_NONE && f->kind < FAULT_KINDS ? f->kind : FAULT_INTERNAL;
	struct fault_values values = { 0 };
	struct fault_call call;

	fault_report_begin(r,
			   kind == FAULT_CUDA && f->ename[0] ? f->ename : fault_record_ename(kind));
	put_what(f, kind, view, worker, &r->evalue);
	if (kind == FAULT_LINK)
		bounded(f->missing, sizeof(f->missing), r->missing);
	if (fault_frames_innermost(f, view, &call)) {
		if (kind != FAULT_EXITED && kind != FAULT_INTERRUPTED)
			read_values(f, kind, &call, &values);
		if (*values.member)
			buffer_printf(&r->evalue, ": %s", values.member);
		buffer_puts(&r->evalue, "; at ");
		fault_frames_put_place(&call, "", &r->evalue);
	}
	fault_report_put_headline(r);
	if (f->n_frames) {
		buffer_putc(&r->traceback, '\n');
		fault_frames_put(f, view, buffer_text(&values.lines), &r->traceback);
	}
	put_rest_of_text(f, buffer_text(&r->evalue), &r->traceback);
	if (f->signal > 0 && kind != FAULT_KILLED && kind != FAULT_LINK)
		buffer_printf(&r->traceback, "\nThe cell's process got SIG%s (signal %d).\n",
			      sigabbrev_np(f->signal) ? sigabbrev_np(f->signal) : "?", f->signal);
	fault_values_release(&values);
}

void fault_text_place(const struct fault_record *f, struct session_view *view,
		      struct fault_report *r)
{
	struct fault_call call;

	if (!fault_frames_innermost(f, view, &call))
		return;
	buffer_puts(&r->evalue, "; at ");
	fault_frames_put_place(&call, "", &r->evalue);
	buffer_puts(&r->traceback, "\nIt was here:\n");
	fault_frames_put(f, view, "", &r->traceback);
}

/* ---- findings of %%memcheck ---- */

static void put_finding(const struct fault_record *f, struct session_view *view, struct buffer *out)
{
	buffer_printf(out, "%s: %s of %" PRIu64 " byte%s at 0x%" PRIx64 ", which is ", f->ename,
		      f->access_write ? "WRITE" : "READ", f->access_size,
		      f->access_size == 1 ? "" : "s", f->address);
	put_owner(&f->what, f->address, view, out);
}

void fault_text_finding(const struct fault_record *f, uint32_t number, struct session_view *view,
			struct fault_report *r)
{
	struct fault_call call;

	if (number == 1) {
		put_finding(f, view, &r->evalue);
		if (fault_frames_innermost(f, view, &call)) {
			buffer_puts(&r->evalue, "; at ");
			fault_frames_put_place(&call, "", &r->evalue);
		}
	}
	buffer_printf(&r->traceback, "\nERROR %u: ", number);
	put_finding(f, view, &r->traceback);
	buffer_putc(&r->traceback, '\n');
	fault_frames_put(f, view, "", &r->traceback);
}
