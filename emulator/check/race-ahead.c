/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations from where shared memory may be written before the next barrier are found
 * backwards, over all operations until nothing changes. When all threads of a block leave a barrier
 * for places from where nothing is written, reads up to the next one race with nothing, and most
 * loops over tiles are of that kind.
 */
#include "emulator/check/race-plan.h"

#include <stdlib.h>

#include "emulator/ptx/ptx-ops.h"

static bool may_write_shared(const struct op *o)
{
	const struct access_shape *s = &access_table.shapes[o->id];

	switch (o->id) {
	case OP_atom:
		return o->x[0] >> 16 != PTX_SPACE_GLOBAL;
	case OP_cp_async:
	case OP_cp_bulk:
	case OP_mbarrier:
	case OP_matrix_store:
	case OP_stmatrix:
	case OP_call:
	case OP_call_indirect:
		return true;
	default:
		return s->count && s->kind == GPU_ACCESS_WRITE &&
		       (s->space == PTX_SPACE_SHARED ||
			(s->space == PTX_SPACE_GLOBAL && o->flags & OP_GENERIC));
	}
}

static bool is_barrier(const struct op *o)
{
	return o->id == OP_barrier && (o->flags & BARRIER_MODE) != BARRIER_ARRIVE;
}

static bool behind(const struct ptx_program *p, const uint8_t *ahead, uint32_t i)
{
	const struct op *o = &p->ops[i];
	const uint32_t *targets;

	switch (o->id) {
	case OP_bra:
	case OP_bra_back:
		return ahead[o->target - p->ops];
	case OP_bra_if:
	case OP_bra_unless:
		return ahead[o->target - p->ops] | ahead[i + 1];
	case OP_brx:
		targets = (const uint32_t *)(uintptr_t)o->imm;
		for (uint32_t k = 0; k < o->x[0]; k++)
			if (ahead[targets[k]])
				return true;
		return false;
	case OP_guard:
	case OP_guard_not:
		return ahead[i + 1] | ahead[i + 2];
	case OP_ret:
	case OP_exit:
	case OP_trap:
		return false;
	default:
		return ahead[i + 1];
	}
}

uint8_t *race_ahead(const struct ptx_program *p)
{
	uint8_t *ahead = calloc(p->op_count + 2, sizeof(*ahead));
	bool changed = ahead != NULL;

	while (changed) {
		changed = false;
		for (uint32_t i = p->op_count; i-- > 0;) {
			bool now = !is_barrier(&p->ops[i]) &&
				   (may_write_shared(&p->ops[i]) || behind(p, ahead, i));

			changed |= now && !ahead[i];
			ahead[i] |= now;
		}
	}
	return ahead;
}
