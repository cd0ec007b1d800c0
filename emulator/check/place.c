/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the words of compute-sanitizer. */
#include "emulator/check/place.h"

#include <stdio.h>

#include "common/base/buffer.h"
#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-syntax.h"

static uint32_t frames_of(const struct place *p, struct ptx_lines_frame *frames)
{
	const struct ptx_function *f = p->program->function;

	if (p->op->source >= f->body->instruction_count)
		return 0;
	return ptx_lines_frames(f->module, f->body->instructions[p->op->source].loc, f->name,
				frames, GPU_FAULT_FRAMES);
}

void place_print(const struct place *p, const char *indent, const char *word, uint64_t hazards,
		 struct buffer *out)
{
	struct ptx_lines_frame frames[GPU_FAULT_FRAMES];
	char head[96], tail[48] = "";

	snprintf(head, sizeof(head), "%s%s", indent, word);
	if (hazards)
		snprintf(tail, sizeof(tail), " [%llu hazard%s]", (unsigned long long)hazards,
			 hazards == 1 ? "" : "s");
	gpu_fault_print_frames(head, frames, frames_of(p, frames), p->program->function->name,
			       p->op->source * 16, tail, out);
}

void place_print_thread_only(const struct place *p, const struct machine_launch *l,
			     struct buffer *out)
{
	buffer_printf(out, "thread (%u,%u,%u)", p->thread % l->block[0],
		      p->thread / l->block[0] % l->block[1], p->thread / l->block[0] / l->block[1]);
}

void place_print_block(const struct place *p, const struct machine_launch *l, struct buffer *out)
{
	buffer_printf(out, "block (%u,%u,%u)", (uint32_t)(p->block % l->grid[0]),
		      (uint32_t)(p->block / l->grid[0] % l->grid[1]),
		      (uint32_t)(p->block / l->grid[0] / l->grid[1]));
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
	struct ptx_lines_frame frames[GPU_FAULT_FRAMES];

	if (frames_of(p, frames))
		buffer_printf(out, "|%s:%u", frames[0].file, frames[0].line);
	else
		buffer_printf(out, "|%s+%u", p->program->function->name, p->op->source);
}
