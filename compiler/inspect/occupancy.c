/* SPDX-License-Identifier: Apache-2.0 */
/* Registers are allocated to whole warps in units, and each of the four parts of a multiprocessor
 * has a quarter of them. */
#include "compiler/inspect/occupancy.h"

#include <stddef.h>

#define REGISTERS 65536u
#define REGISTER_UNIT 256u
#define PARTS 4u

static const struct multiprocessor {
	uint32_t sm, warps, blocks, shared, reserved, unit;
} multiprocessors[] = {
#define MULTIPROCESSOR(...) { __VA_ARGS__ },
#include "compiler/inspect/multiprocessors.def"
#undef MULTIPROCESSOR
};

static const struct multiprocessor *find(uint32_t sm)
{
	for (size_t i = 0; i < sizeof(multiprocessors) / sizeof(multiprocessors[0]); i++)
		if (multiprocessors[i].sm == sm)
			return &multiprocessors[i];
	return NULL;
}

static uint32_t round_up(uint32_t n, uint32_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static void limit_to(struct occupancy *o, uint32_t blocks, const char *why)
{
	if (blocks >= o->blocks)
		return;
	o->blocks = blocks;
	o->limit = why;
}

int occupancy_of(uint32_t sm, uint32_t threads, uint32_t registers, uint32_t shared,
		 struct occupancy *ret)
{
	const struct multiprocessor *m = find(sm);
	uint32_t warps = (threads + 31) / 32, a_block;

	if (!m || !warps)
		return -1;
	*ret = (struct occupancy){ .blocks = m->blocks, .warps_max = m->warps, .limit = "blocks" };
	limit_to(ret, m->warps / warps, "warps");
	if (registers)
		limit_to(ret,
			 REGISTERS / PARTS / round_up(registers * 32, REGISTER_UNIT) * PARTS /
				 warps,
			 "registers");
	a_block = round_up(shared + m->reserved, m->unit);
	if (a_block)
		limit_to(ret, m->shared / a_block, "shared memory");
	ret->warps = ret->blocks * warps;
	return 0;
}
