/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the words of compute-sanitizer. */
#include "emulator/check/place.h"

#include "common/buffer.h"
#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-syntax.h"

static uint32_t frames_of(const struct place *p, struct gpu_fault_frame *frames)
{
	const struct ptx_function *f = p->program->function;

	if (p->op->source >= f->body->instruction_count)
		return 0;
	return ptx_lines_frames(f->module, f->body->instructions[p->op->source].loc, f->name, frames, GPU_FAULT_FRAMES);
}

void place_print(const struct place *p, const char *indent, const char *word, uint64_t hazards, struct buffer *out)
{
	struct gpu_fault_frame frames[GPU_FAULT_FRAMES];
	uint32_t n = frames_of(p, frames);
	char name[128];

	ptx_lines_source_name(n ? frames[0].function : p->program->function->name, name, sizeof(name));
	buffer_printf(out, "%s%s%s(...)+0x%x", indent, word, name, p->op->source * 16);
	if (n)
		buffer_printf(out, " in %s:%u", frames[0].file, frames[0].line);
	if (hazards)
		buffer_printf(out, " [%llu hazard%s]", (unsigned long long)hazards, hazards == 1 ? "" : "s");
	buffer_putc(out, '\n');
	for (uint32_t i = 1; i < n; i++)
		buffer_printf(out, "=========         called from %s in %s:%u\n", frames[i].function, frames[i].file,
			      frames[i].line);
}

void place_print_thread_only(const struct place *p, const struct machine_launch *l, struct buffer *out)
{
	buffer_printf(out, "thread (%u,%u,%u)", p->thread % l->block[0], p->thread / l->block[0] % l->block[1],
		      p->thread / l->block[0] / l->block[1]);
}

void place_print_block(const struct place *p, const struct machine_launch *l, struct buffer *out)
{
	buffer_printf(out, "block (%u,%u,%u)", (uint32_t)(p->cta % l->grid[0]), (uint32_t)(p->cta / l->grid[0] % l->grid[1]),
		      (uint32_t)(p->cta / l->grid[0] / l->grid[1]));
}

void place_print_thread(const struct place *p, const struct machine_launch *l, struct buffer *out)
{
	buffer_puts(out, "=========     by ");
	place_print_thread_only(p, l, out);
	buffer_puts(out, " in ");
	place_print_block(p, l, out);
	buffer_putc(out, '\n');
}

void place_print_key(const struct place *p, struct buffer *out)
{
	struct gpu_fault_frame frames[GPU_FAULT_FRAMES];

	if (frames_of(p, frames))
		buffer_printf(out, "|%s:%u", frames[0].file, frames[0].line);
	else
		buffer_printf(out, "|%s+%u", p->program->function->name, p->op->source);
}
