/* SPDX-License-Identifier: Apache-2.0 */
/* The text of races, in the shape of compute-sanitizer's racecheck, with the threads, the variable and the values. */
#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "emulator/check/race-state.h"
#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-syntax.h"

static const char *access_name(const struct race_access *a)
{
	return a->kind == GPU_ACCESS_READ ? "Read" : a->kind == GPU_ACCESS_ATOMIC ? "Atomic" : "Write";
}

static uint32_t side_frames(const struct race_side *s, struct gpu_fault_frame *frames)
{
	const struct ptx_function *f = s->access.program->function;
	uint32_t source = s->access.op->source;

	if (source >= f->body->instruction_count)
		return 0;
	return ptx_lines_frames(f->module, f->body->instructions[source].loc, f->name, frames, GPU_FAULT_FRAMES);
}

/* "Write access at k(...)+0x90 in In[4]:13", the inlined callers below it. `count`: behind the line, 0 nothing. */
static void print_side(const struct race_side *s, uint64_t count, struct buffer *out)
{
	struct gpu_fault_frame frames[GPU_FAULT_FRAMES];
	uint32_t n = side_frames(s, frames);
	char name[128];

	ptx_lines_source_name(n ? frames[0].function : s->access.program->function->name, name, sizeof(name));
	buffer_printf(out, "%s access at %s(...)+0x%x", access_name(&s->access), name, s->access.op->source * 16);
	if (n)
		buffer_printf(out, " in %s:%u", frames[0].file, frames[0].line);
	if (count)
		buffer_printf(out, " [%llu hazard%s]", (unsigned long long)count, count == 1 ? "" : "s");
	buffer_putc(out, '\n');
	for (uint32_t i = 1; i < n; i++)
		buffer_printf(out, "=========         called from %s in %s:%u\n", frames[i].function, frames[i].file,
			      frames[i].line);
}

static void print_thread(const struct race_side *s, const struct machine_launch *l, struct buffer *out)
{
	uint32_t thread = s->access.warp * MACHINE_LANES + s->lane;

	buffer_printf(out, "thread (%u,%u,%u)", thread % l->block[0], thread / l->block[0] % l->block[1],
		      thread / l->block[0] / l->block[1]);
}

static void print_block(const struct race_side *s, const struct machine_launch *l, struct buffer *out)
{
	uint64_t cta = s->access.cta;

	buffer_printf(out, "block (%u,%u,%u)", (uint32_t)(cta % l->grid[0]), (uint32_t)(cta / l->grid[0] % l->grid[1]),
		      (uint32_t)(cta / l->grid[0] / l->grid[1]));
}

static void print_threads(const struct race_hazard *h, const struct machine_launch *l, struct buffer *out)
{
	buffer_puts(out, "=========     by ");
	print_thread(&h->first, l, out);
	if (h->first.access.cta != h->second.access.cta) {
		buffer_puts(out, " in ");
		print_block(&h->first, l, out);
	}
	buffer_puts(out, " and ");
	print_thread(&h->second, l, out);
	buffer_puts(out, " in ");
	print_block(&h->second, l, out);
	buffer_putc(out, '\n');
}

/* The array of shared memory that holds the offset: its name and start. False: it is no array of the entry's. */
static bool shared_array(const struct race_hazard *h, const struct machine_launch *l, char *name, size_t size, uint64_t *start)
{
	const struct ptx_function *f = l->entry;

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

static void print_memory(const struct race_hazard *h, const struct machine_launch *l, struct buffer *out)
{
	uint64_t start;
	char name[128];

	buffer_printf(out, "=========     on %u byte%s at ", h->size, h->size == 1 ? "" : "s");
	if (h->space == RACE_SHARED && shared_array(h, l, name, sizeof(name), &start)) {
		buffer_printf(out, "__shared__ `%s` + 0x%llx\n", name, (unsigned long long)(h->address - start));
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
	int64_t current = (int64_t)h->current, incoming = (int64_t)h->incoming;

	if (!h->value_size)
		return;
	/* As signed numbers of their size, which is what most are. */
	current = current << (64 - 8 * h->value_size) >> (64 - 8 * h->value_size);
	incoming = incoming << (64 - 8 * h->value_size) >> (64 - 8 * h->value_size);
	buffer_printf(out, "=========     Current Value : %lld, Incoming Value : %lld\n", (long long)current,
		      (long long)incoming);
}

static void print_advice(const struct race_hazard *h, struct buffer *out)
{
	const struct race_access *a = &h->first.access, *b = &h->second.access;
	const char *text;

	if (a->cta != b->cta)
		text = "Nothing orders blocks of one launch: atomics, a flag behind __threadfence(), or a second launch do";
	else if (h->same_instruction)
		text = "One instruction writes different values to one place: which one stays is not defined";
	else if (a->warp == b->warp)
		text = "Threads of a warp need not run in step: __syncwarp() between the two orders them";
	else
		text = "__syncthreads() between the two would order them";
	buffer_printf(out, "=========     %s\n", text);
}

/* Which came first says little: of a write and a read, the write is named first. */
static void print_hazard(const struct race_hazard *found, const struct machine_launch *l, struct buffer *out)
{
	struct race_hazard turned = *found;
	const struct race_hazard *h = &turned;

	if (!race_writes(&found->first.access)) {
		turned.first = found->second;
		turned.second = found->first;
	}
	buffer_printf(out, "========= %s: Race reported between ", h->level == RACE_ERROR ? "Error" : "Warning");
	print_side(&h->first, 0, out);
	buffer_puts(out, "=========     and ");
	print_side(&h->second, h->count, out);
	print_threads(h, l, out);
	print_memory(h, l, out);
	print_values(h, out);
	print_advice(h, out);
}

/* Entry and places as text: a module that is compiled again has the same. */
static void print_key(const struct race_hazard *h, const struct machine_launch *l, struct buffer *out)
{
	const struct race_side *sides[] = { &h->first, &h->second };
	bool turned = sides[0]->access.op->source > sides[1]->access.op->source;

	buffer_printf(out, "%s", l->entry->name);
	for (int i = 0; i < 2; i++) {
		const struct race_side *s = sides[i ^ (int)turned];
		struct gpu_fault_frame frames[GPU_FAULT_FRAMES];

		if (side_frames(s, frames))
			buffer_printf(out, "|%s:%u", frames[0].file, frames[0].line);
		else
			buffer_printf(out, "|%s+%u", s->access.program->function->name, s->access.op->source);
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

void race_report(struct race *r, const struct machine_launch *l, bool (*fresh)(void *data, const char *key), void *data,
		 struct buffer *out, struct race_count *count)
{
	report_level(r, l, RACE_ERROR, fresh, data, out, count);
	report_level(r, l, RACE_WARNING, fresh, data, out, count);
	count->cut |= atomic_load(&r->cut);
}
