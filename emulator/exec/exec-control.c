/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control flow (PTX ISA 9.7.12): branches split the running fragment, calls open frames, barriers
 * park. An operation that changes which lanes run returns NULL with w->event telling how to go on.
 */
#define TAKE_CONTROL KEEP
#include "emulator/exec/barrier.h"
#include "emulator/exec/warp-call.h"
#include "emulator/ptx/ptx-code-address.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/syscall/syscall.h"
#include "emulator/warp/exec.h"

/* Every jump backwards is counted, so that no loop can keep the host thread for ever. */
static inline const struct op *go(struct warp *w, const struct op *o, const struct op *target)
{
	if (target <= o && --w->budget < 0) {
		w->next = target;
		w->event = WARP_SLICE;
		return NULL;
	}
	return target;
}

HANDLER(bra_full)
{
	(void)w;
	return o->target;
}

HANDLER(bra_masked)
{
	(void)w;
	return o->target;
}

HANDLER(bra_back_full)
{
	return go(w, o, o->target);
}

HANDLER(bra_back_masked)
{
	return go(w, o, o->target);
}

static inline const struct op *branch(struct warp *w, const struct op *o, uint32_t taken)
{
	uint32_t rest = w->mask & ~taken;
	const struct op *next;

	if (!taken)
		return o + 1;
	if (!rest)
		return go(w, o, o->target);
	if (o->target > o) {
		warp_ready(w, (struct fragment){ o->target, w->frame, taken, false });
		warp_set_mask(w, rest);
		next = o + 1;
	} else {
		warp_ready(w, (struct fragment){ o + 1, w->frame, rest, false });
		warp_set_mask(w, taken);
		next = go(w, o, o->target);
		if (!next)
			return NULL;
	}
	w->next = next;
	w->event = WARP_RESUME;
	return NULL;
}

HANDLER(bra_if_full)
{
	return branch(w, o, PREDICATE(w, o->a));
}

HANDLER(bra_if_masked)
{
	return branch(w, o, PREDICATE(w, o->a) & w->mask);
}

HANDLER(bra_unless_full)
{
	return branch(w, o, ~PREDICATE(w, o->a));
}

HANDLER(bra_unless_masked)
{
	return branch(w, o, ~PREDICATE(w, o->a) & w->mask);
}

/* x[0]: number of targets; the list of operation indices follows the table of operations. */
HANDLER(brx_masked)
{
	const struct op *first = w->frame->program->ops;
	const uint32_t *targets = (const uint32_t *)(uintptr_t)o->imm, *a = ROW(w, uint32_t, o->a);
	uint32_t left = w->mask;

	while (left) {
		uint32_t index = a[first_lane(left)], same = 0;

		FOR_ACTIVE (l, left)
			same |= (uint32_t)(a[l] == index) << l;
		if (index >= o->x[0])
			return warp_fault(w, o, GPU_FAULT_INVALID_PC, same,
					  "brx.idx past the end of its target list");
		left &= ~same;
		warp_ready(w, (struct fragment){ first + targets[index], w->frame, same, false });
	}
	w->event = WARP_GONE;
	w->budget--;
	return NULL;
}

HANDLER(brx_full)
{
	return brx_masked(w, o);
}

/* The next operation runs under a smaller mask; it never splits, parks or ends lanes (the decoder
 * sees to it). */
static inline const struct op *guarded(struct warp *w, const struct op *o, uint32_t set)
{
	uint32_t mask = w->mask;
	const struct op *next;

	set &= mask;
	if (!set)
		return o + 2;
	if (set == mask)
		return mask == ALL_LANES ? o[1].full(w, o + 1) : o[1].masked(w, o + 1);
	warp_set_mask(w, set);
	next = o[1].masked(w, o + 1);
	if (!next && w->event == WARP_RESUME)
		w->next = o; /* a load that is to be run again, watched */
	if (next || w->event == WARP_RESUME)
		warp_set_mask(w, mask);
	return next;
}

HANDLER(guard_full)
{
	return guarded(w, o, PREDICATE(w, o->a));
}

HANDLER(guard_masked)
{
	return guarded(w, o, PREDICATE(w, o->a));
}

HANDLER(guard_not_full)
{
	return guarded(w, o, ~PREDICATE(w, o->a));
}

HANDLER(guard_not_masked)
{
	return guarded(w, o, ~PREDICATE(w, o->a));
}

HANDLER(call_masked)
{
	return warp_call(w, o, o->call->callee);
}

/* Lanes with different addresses call one after the other; they meet again behind the call. */
HANDLER(call_indirect_masked)
{
	const uint64_t *a = ROW(w, uint64_t, o->a);
	uint64_t address = a[first_lane(w->mask)];
	struct ptx_function *callee = ptx_code_address_find(address);
	uint32_t same = 0;

	FOR_ACTIVE (l, w->mask)
		same |= (uint32_t)(a[l] == address) << l;
	if (!callee || callee->is_kernel)
		return warp_fault(w, o, GPU_FAULT_INVALID_PC, same,
				  "the address is no function of a loaded module");
	if (same != w->mask) {
		warp_ready(w, (struct fragment){ o, w->frame, w->mask & ~same, false });
		warp_set_mask(w, same);
	}
	return warp_call(w, o, callee);
}

HANDLER(call_system_masked)
{
	return syscall_run(w, o, o->call->name);
}

HANDLER(ret_masked)
{
	return warp_return(w, o);
}

HANDLER(exit_masked)
{
	(void)o;
	return warp_exit(w, w->mask);
}

HANDLER(trap_masked)
{
	return warp_fault(w, o, GPU_FAULT_TRAP, w->mask, "");
}

HANDLER(nop_masked)
{
	(void)w;
	return o + 1;
}

/* A sleeper gives its turn away, as a back edge does when the budget is used up. */
HANDLER(nanosleep_masked)
{
	w->budget = 0;
	w->next = o + 1;
	w->event = WARP_SLICE;
	return NULL;
}

HANDLER(give_turn_masked)
{
	if (!w->fresh || w->block->warp_count == 1)
		return o + 1;
	w->fresh = false;
	warp_ready(w, (struct fragment){ o + 1, w->frame, w->mask, false });
	w->event = WARP_OTHERS;
	return NULL;
}

HANDLER(meet_full)
{
	return warp_meet(w, o) ? o + 1 : NULL;
}

HANDLER(meet_masked)
{
	(void)w;
	return o + 1;
}

HANDLER(unknown_masked)
{
	return warp_fault(w, o, GPU_FAULT_ILLEGAL_INSTRUCTION, w->mask,
			  o->call && o->call->name
				  ? o->call->name
				  : "a limit of this emulator, not of the program");
}

HANDLER(barrier_masked)
{
	return barrier_arrive(w, o);
}

#define SAME_WHEN_FULL(name)                                                                       \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name##_masked(w, o);                                                        \
	}
SAME_WHEN_FULL(call)
SAME_WHEN_FULL(call_indirect)
SAME_WHEN_FULL(call_system)
SAME_WHEN_FULL(ret)
SAME_WHEN_FULL(exit)
SAME_WHEN_FULL(trap)
SAME_WHEN_FULL(nop)
SAME_WHEN_FULL(nanosleep)
SAME_WHEN_FULL(give_turn)
SAME_WHEN_FULL(unknown)
SAME_WHEN_FULL(barrier)

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_control)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
