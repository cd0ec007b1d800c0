/* SPDX-License-Identifier: Apache-2.0 */
/* Constant rows of a frame hold immediates, launch parameters and special registers. */
#include "emulator/warp/warp.h"

#include <string.h>

uint64_t warp_special(const struct warp *w, enum ptx_special s, uint32_t lane)
{
	const struct launch *l = w->worker->launch;
	const uint32_t *block = l->spec->block, *grid = l->spec->grid;
	uint32_t thread = w->index * LANES + lane;

	switch (s) {
	case PTX_SPECIAL_TID_X:
		return thread % block[0];
	case PTX_SPECIAL_TID_Y:
		return thread / block[0] % block[1];
	case PTX_SPECIAL_TID_Z:
		return thread / block[0] / block[1];
	case PTX_SPECIAL_NTID_X:
		return block[0];
	case PTX_SPECIAL_NTID_Y:
		return block[1];
	case PTX_SPECIAL_NTID_Z:
		return block[2];
	case PTX_SPECIAL_CTAID_X:
		return w->block->id[0];
	case PTX_SPECIAL_CTAID_Y:
		return w->block->id[1];
	case PTX_SPECIAL_CTAID_Z:
		return w->block->id[2];
	case PTX_SPECIAL_NCTAID_X:
		return grid[0];
	case PTX_SPECIAL_NCTAID_Y:
		return grid[1];
	case PTX_SPECIAL_NCTAID_Z:
		return grid[2];
	case PTX_SPECIAL_LANEID:
		return lane;
	case PTX_SPECIAL_WARPID:
		return w->index;
	case PTX_SPECIAL_NWARPID:
		return MACHINE_THREADS_PER_SM / LANES;
	case PTX_SPECIAL_LANEMASK_EQ:
		return 1u << lane;
	case PTX_SPECIAL_LANEMASK_LE:
		return (2u << lane) - 1;
	case PTX_SPECIAL_LANEMASK_LT:
		return (1u << lane) - 1;
	case PTX_SPECIAL_LANEMASK_GE:
		return ALL_LANES << lane;
	case PTX_SPECIAL_LANEMASK_GT:
		return ~((2u << lane) - 1);
	case PTX_SPECIAL_SMID:
		return w->block->linear % MACHINE_SM_COUNT;
	case PTX_SPECIAL_NSMID:
		return MACHINE_SM_COUNT;
	case PTX_SPECIAL_ENVREG1:
		return l->spec->cooperative ? MACHINE_WORKSPACE >> 32 : 0;
	case PTX_SPECIAL_ENVREG2:
		return l->spec->cooperative ? MACHINE_WORKSPACE & 0xffffffffu : 0;
	case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
		return l->spec->dynamic_shared;
	case PTX_SPECIAL_TOTAL_SMEM_SIZE:
		return l->shared_counted;
	case PTX_SPECIAL_ONE:
		return 1;
	case PTX_SPECIAL_GRIDID:
	case PTX_SPECIAL_ZERO:
		return 0;
	}
	return 0;
}

static uint64_t param_value(const struct launch *l, const struct ptx_constant *c)
{
	const uint8_t *at = (const uint8_t *)l->spec->params + c->value;
	uint64_t v = 0;
	uint32_t size = c->load == PTX_LOAD_64    ? 8
			: c->load == PTX_LOAD_32  ? 4
			: c->load >= PTX_LOAD_U16 ? 2
						  : 1;

	if (c->value + size > l->spec->params_size)
		return 0;
	memcpy(&v, at, size);
	if (c->load == PTX_LOAD_S8)
		v = (uint64_t)(int64_t)(int8_t)v;
	if (c->load == PTX_LOAD_S16)
		v = (uint64_t)(int64_t)(int16_t)v;
	return v;
}

static void fill_row(uint8_t *row, bool wide, uint64_t value)
{
	if (wide)
		for (uint32_t lane = 0; lane < LANES; lane++)
			((uint64_t *)row)[lane] = value;
	else
		for (uint32_t lane = 0; lane < LANES; lane++)
			((uint32_t *)row)[lane] = (uint32_t)value;
}

static void fill_constant(const struct warp *w, const struct frame *f, const struct ptx_constant *c)
{
	const struct launch *launch = w->worker->launch;
	uint8_t *row = f->rows + c->row;
	uint64_t value = c->value;

	if (ptx_constant_by_lane(c)) {
		for (uint32_t lane = 0; lane < LANES; lane++) {
			value = warp_special(w, (enum ptx_special)c->value, lane);
			if (c->wide)
				((uint64_t *)row)[lane] = value;
			else
				((uint32_t *)row)[lane] = (uint32_t)value;
		}
		return;
	}
	if (c->kind == PTX_CONSTANT_SPECIAL)
		value = warp_special(w, (enum ptx_special)c->value, 0);
	else if (c->kind == PTX_CONSTANT_PARAM)
		value = param_value(launch, c);
	else if (c->kind == PTX_CONSTANT_DYNAMIC_SHARED)
		value += launch->dynamic_offset;
	else if (c->kind == PTX_CONSTANT_LOCAL)
		value += f->local_base;
	fill_row(row, c->wide, value);
}

void warp_fill_constants(struct warp *w, struct frame *f, bool blocks_only)
{
	const struct ptx_program *p = f->program;
	uint32_t count = blocks_only ? p->block_constant_count : p->constant_count;

	for (uint32_t i = 0; i < count; i++)
		fill_constant(w, f, &p->constants[i]);
}
