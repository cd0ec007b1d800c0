/* SPDX-License-Identifier: Apache-2.0 */
/* The text of races, in the shape of compute-sanitizer's racecheck, with the threads, the variable
 * and the values. */
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "emulator/check/place.h"
#include "emulator/check/race-state.h"
#include "emulator/ptx/ptx-lines.h"

static const char *access_name(const struct race_access *a)
{
	return a->kind == GPU_ACCESS_READ     ? "Read"
	       : a->kind == GPU_ACCESS_ATOMIC ? "Atomic"
					      : "Write";
}

static struct place place_of_side(const struct race_side *s)
{
	return (struct place){ s->access.op, s->access.program, s->access.block,
			       s->access.warp * MACHINE_LANES + s->lane };
}

static void print_threads(const struct race_hazard *h, const struct machine_launch *l,
			  struct buffer *out)
{
	struct place first = place_of_side(&h->first), second = place_of_side(&h->second);

	buffer_puts(out, "=========     by ");
	place_print_thread_only(&first, l, out);
	if (first.block != second.block) {
		buffer_puts(out, " in ");
		place_print_block(&first, l, out);
	}
	buffer_puts(out, " and ");
	place_print_thread_only(&second, l, out);
	buffer_puts(out, " in ");
	place_print_block(&second, l, out);
	buffer_putc(out, '\n');
}

/* The array of shared memory that holds the offset: its name and start. False: it is no array of
 * the kernel's. */
static bool shared_array(const struct race_hazard *h, const struct machine_launch *l, char *name,
			 size_t size, uint64_t *start)
{
	const struct ptx_function *f = l->kernel;

	for (uint32_t i = 0; i < f->shared_array_count; i++) {
		const struct ptx_shared_array *a = &f->shared_arrays[i];

		if (h->address - a->offset < a->size) {
			ptx_lines_source_name(a->name, name, size);
			*start = a->offset;
			return true;
		}
	}
	if (!f->dynamic_shared || h->array_start > h->address)
		return false;
	ptx_lines_source_name(f->dynamic_shared, name, size);
	*start = h->array_start;
	return true;
}

static void print_memory(const struct race_hazard *h, const struct machine_launch *l,
			 struct buffer *out)
{
	uint64_t start;
	char name[128];

	buffer_printf(out, "=========     on %u byte%s at ", h->size, h->size == 1 ? "" : "s");
	if (h->space == RACE_SHARED && shared_array(h, l, name, sizeof(name), &start)) {
		buffer_printf(out, "__shared__ `%s` + 0x%llx\n", name,
			      (unsigned long long)(h->address - start));
	} else if (h->space == RACE_SHARED) {
		buffer_printf(out, "__shared__ 0x%llx\n", (unsigned long long)h->address);
	} else if (h->buffer_size) {
		buffer_printf(out, "__global__ 0x%llx, ", (unsigned long long)h->address);
		if (h->buffer_name[0])
			buffer_printf(out, "`%s` + 0x%llx", h->buffer_name,
				      (unsigned long long)(h->address - h->buffer_address));
		else
			buffer_printf(out, "0x%llx bytes inside an allocation",
				      (unsigned long long)(h->address - h->buffer_address));
		if (h->buffer_tag)
			buffer_printf(out, " (cell %u)", h->buffer_tag);
		buffer_putc(out, '\n');
	} else {
		buffer_printf(out, "__global__ 0x%llx\n", (unsigned long long)h->address);
	}
}

static void print_values(const struct race_hazard *h, struct buffer *out)
{
	uint32_t unused = 64 - 8 * h->value_size;

	if (!h->value_size)
		return;
	/* As signed numbers of their size, which is what most are. */
	buffer_printf(out, "=========     Current Value : %lld, Incoming Value : %lld\n",
		      (long long)((int64_t)(h->current << unused) >> unused),
		      (long long)((int64_t)(h->incoming << unused) >> unused));
}

static void print_advice(const struct race_hazard *h, struct buffer *out)
{
	const struct race_access *a = &h->first.access, *b = &h->second.access;
	const char *text;

	if (a->block != b->block)
		text = "Nothing orders blocks of one launch: atomics, a flag behind "
		       "__threadfence(), or a second launch do";
	else if (h->same_instruction)
		text = "One instruction writes different values to one place: which one stays is "
		       "not defined";
	else if (a->warp == b->warp)
		text = "Threads of a warp need not run in step: __syncwarp() between the two "
		       "orders them";
	else
		text = "__syncthreads() between the two would order them";
	buffer_printf(out, "=========     %s\n", text);
}

/* A write is named before a read: which of the two came first says little. */
static void print_hazard(const struct race_hazard *found, const struct machine_launch *l,
			 struct buffer *out)
{
	struct race_hazard turned = *found;
	const struct race_hazard *h = &turned;
	struct place first, second;
	char word[80];

	if (!race_writes(&found->first.access)) {
		turned.first = found->second;
		turned.second = found->first;
	}
	first = place_of_side(&h->first);
	second = place_of_side(&h->second);
	snprintf(word, sizeof(word), "%s: Race reported between %s access at ",
		 h->level == RACE_ERROR ? "Error" : "Warning", access_name(&h->first.access));
	place_print(&first, "========= ", word, 0, out);
	snprintf(word, sizeof(word), "and %s access at ", access_name(&h->second.access));
	place_print(&second, PLACE_INDENT, word, h->count, out);
	print_threads(h, l, out);
	print_memory(h, l, out);
	print_values(h, out);
	print_advice(h, out);
}

/* Entry and places as text: a module that is compiled again has the same. */
static void print_key(const struct race_hazard *h, const struct machine_launch *l,
		      struct buffer *out)
{
	const struct race_side *sides[] = { &h->first, &h->second };
	bool turned = sides[0]->access.op->source > sides[1]->access.op->source;

	buffer_printf(out, "%s", l->kernel->name);
	for (int i = 0; i < 2; i++) {
		struct place p = place_of_side(sides[i ^ (int)turned]);

		place_print_key(&p, out);
	}
}

static void report_level(struct race *r, const struct machine_launch *l, enum race_level level,
			 bool (*fresh)(void *data, const char *key), void *data, struct buffer *out,
			 struct race_count *count)
{
	for (uint32_t i = 0; i < r->hazard_count; i++) {
		const struct race_hazard *h = &r->hazards[i];
		cleanup_buffer struct buffer key = BUFFER_INIT;

		if (h->level != level)
			continue;
		print_key(h, l, &key);
		if (fresh && !fresh(data, buffer_text(&key)))
			continue;
		print_hazard(h, l, out);
		if (level == RACE_ERROR)
			count->errors++;
		else
			count->warnings++;
	}
}

void race_report(struct race *r, const struct machine_launch *l,
		 bool (*fresh)(void *data, const char *key), void *data, struct buffer *out,
		 struct race_count *count)
{
	report_level(r, l, RACE_ERROR, fresh, data, out, count);
	report_level(r, l, RACE_WARNING, fresh, data, out, count);
	count->cut |= atomic_load(&r->cut);
	count->strayed |= atomic_load(&r->plan.strayed);
}
