/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's place, kept beyond its launch's frames, and the way reports of checks name it. */
#ifndef CGPU_EMULATOR_PLACE_H
#define CGPU_EMULATOR_PLACE_H

#include "emulator/warp/warp.h"

struct buffer;

struct place {
	const struct op *op;
	const struct ptx_program *program;
	uint64_t block;  /* linear number */
	uint32_t thread; /* linear number in it */
};

static inline struct place place_of(const struct warp *w, const struct frame *f, const struct op *o,
				    int lane)
{
	return (struct place){ o, f->program, w->block->linear, w->index * LANES + (uint32_t)lane };
}

#define PLACE_INDENT "=========     "

/* indent, "WORD k(...)+0x90 in In[4]:13", [N hazards] when there are some; below it lines of source
 * and inlined callers. */
void place_print(const struct place *p, const char *indent, const char *word, uint64_t hazards,
		 struct buffer *out);
/* "thread (1,0,0)", "block (2,0,0)" */
void place_print_thread_only(const struct place *p, const struct machine_launch *l,
			     struct buffer *out);
void place_print_block(const struct place *p, const struct machine_launch *l, struct buffer *out);
/* "=========     by thread (1,0,0) in block (2,0,0)" */
void place_print_thread(const struct place *p, const struct machine_launch *l, struct buffer *out);
/* A text that stands for the place in the source, also when the module is compiled again. */
void place_print_key(const struct place *p, struct buffer *out);

#endif
