/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block becomes straight code over whole rows; a block that jumps to its own start becomes a loop
 * whose rows stay in registers while all lanes that came in go round. Each round counts against
 * w->budget as the interpreter's do. What parts the lanes, and every jump backwards to another
 * place, is left to the handler of the branch. So is a branch out of a loop as soon as any lane
 * takes it.
 */
#include "emulator/hot/hot-memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/warp/exec.h"

/*
 * Loads and stores of one block that are compiled, at most: LLVM takes 6 ms for each. For the same
 * reason only those in loops are, and not for parts of a warp.
 */
#define MEMORY_MAX 64

void hot_build_init(struct hot_build *b, LLVMContextRef context, LLVMModuleRef library,
		    LLVMModuleRef module, const struct hot_program *p,
		    const struct hot_meaning *meanings)
{
	LLVMTypeRef args[2];

	memset(b, 0, sizeof(*b));
	b->program = p;
	b->meanings = meanings;
	b->library = library;
	b->module = module;
	b->context = context;
	b->builder = LLVMCreateBuilderInContext(context);
	b->i1 = LLVMInt1TypeInContext(context);
	b->i32 = LLVMInt32TypeInContext(context);
	b->i64 = LLVMInt64TypeInContext(context);
	b->pointer = LLVMPointerTypeInContext(context, 0);
	b->narrow = LLVMVectorType(b->i32, LANES);
	b->wide = LLVMVectorType(b->i64, LANES);
	b->floats = LLVMVectorType(LLVMFloatTypeInContext(context), LANES);
	b->doubles = LLVMVectorType(LLVMDoubleTypeInContext(context), LANES);
	b->bits = LLVMVectorType(b->i1, LANES);
	args[0] = args[1] = b->pointer;
	b->handler = LLVMFunctionType(b->pointer, args, 2, false);
}

void hot_build_release(struct hot_build *b)
{
	LLVMDisposeBuilder(b->builder);
	free(b->rows);
}

static const struct op *place_of(const struct hot_build *b, const struct op *o)
{
	return b->program->place + (o - b->program->ops);
}

static LLVMValueRef as_bits(const struct hot_build *b, LLVMValueRef mask)
{
	return LLVMBuildBitCast(b->builder, mask, b->bits, "");
}

static LLVMBasicBlockRef add_block(const struct hot_build *b)
{
	return LLVMAppendBasicBlockInContext(b->context, b->function, "");
}

/* worker->instructions, with those of earlier rounds; the step loop counts the block itself as one.
 */
static void count_operations(const struct hot_build *b, uint32_t executed, LLVMValueRef earlier)
{
	LLVMValueRef worker = LLVMBuildLoad2(
		b->builder, b->pointer, hot_field(b, b->warp, offsetof(struct warp, worker)), "");
	LLVMValueRef at = hot_field(b, worker, offsetof(struct machine_worker, instructions));
	LLVMValueRef sum = LLVMBuildLoad2(b->builder, b->i64, at, "");

	sum = LLVMBuildAdd(b->builder, sum, LLVMConstInt(b->i64, (uint64_t)executed - 1, true), "");
	if (earlier)
		sum = LLVMBuildAdd(b->builder, sum, earlier, "");
	LLVMBuildStore(b->builder, sum, at);
}

static LLVMValueRef call_handler(const struct hot_build *b, const struct op *o)
{
	const struct op_handlers *h = &b->program->handlers[o->id];
	LLVMValueRef args[] = { b->warp, hot_const_pointer(b, place_of(b, o)) };
	uintptr_t code = (uintptr_t)(b->mask ? h->masked : h->full);

	return LLVMBuildCall2(b->builder, b->handler, hot_const_pointer(b, (void *)code), args, 2,
			      "");
}

void hot_block_call(struct hot_build *b, const struct op *o)
{
	LLVMBasicBlockRef leave = add_block(b), stay = add_block(b);
	LLVMValueRef next = call_handler(b, o),
		     expected = hot_const_pointer(b, place_of(b, o) + hot_width(o));

	LLVMBuildCondBr(b->builder, LLVMBuildICmp(b->builder, LLVMIntEQ, next, expected, ""), stay,
			leave);
	LLVMPositionBuilderAtEnd(b->builder, leave);
	count_operations(b, b->steps + 1, b->executed);
	LLVMBuildRet(b->builder, next);
	LLVMPositionBuilderAtEnd(b->builder, stay);
}

/* Everything in memory, and the interpreter's handler. */
static void emit_call(struct hot_build *b, const struct op *o)
{
	hot_rows_flush(b);
	hot_block_call(b, o);
	hot_rows_forget(b, o);
}

static enum hot_way way_of(const struct hot_build *b, const struct op *o)
{
	enum hot_way way = hot_way(b->meanings, o);

	return way == WAY_MEMORY && !b->memory ? WAY_CALL : way;
}

/* The one value of 0 or 1 a lane that a test gives, as a mask. */
static LLVMValueRef test_mask(const struct hot_build *b, LLVMValueRef value)
{
	if (LLVMIsAZExtInst(value) && LLVMTypeOf(LLVMGetOperand(value, 0)) == b->bits) {
		value = LLVMGetOperand(value, 0);
	} else {
		value = LLVMBuildICmp(b->builder, LLVMIntNE, value,
				      LLVMConstNull(LLVMTypeOf(value)), "");
	}
	return LLVMBuildBitCast(b->builder, value, b->i32, "");
}

static void emit_pick(struct hot_build *b, const struct op *o, const struct hot_meaning *m)
{
	LLVMValueRef set = as_bits(b, hot_rows_read(b, o->c, TYPE_PREDICATE, TYPE_PREDICATE));
	struct hot_value x = hot_rows_peek(b, o->a, m->a), y = hot_rows_peek(b, o->b, m->b), value;

	if (x.raw != y.raw) {
		hot_rows_make_canonical(b, &x);
		hot_rows_make_canonical(b, &y);
	}
	value = (struct hot_value){ NULL, x.raw, x.loose || y.loose };
	value.llvm = hot_choose(b, set, x.llvm, y.llvm);
	hot_rows_write(b, o->d, m->d, value);
}

static void emit_piece(struct hot_build *b, const struct op *o, const struct hot_meaning *m)
{
	const uint32_t offsets[] = { o->a, o->b, o->c };
	const enum hot_type types[] = { m->a, m->b, m->c };
	LLVMValueRef args[3], value;
	unsigned count = 0;

	for (int i = 0; i < 3; i++)
		if (types[i] != TYPE_NONE)
			args[count++] = hot_rows_read(b, offsets[i], types[i], m->d);
	/* A mask of one operand is written as one of two. */
	if (m->shape == HOT_MASK && count == 1)
		args[count++] = args[0];
	value = hot_library_splice(b->builder, b->module, m->piece, args);
	if (m->shape == HOT_TEST)
		value = test_mask(b, value);
	hot_rows_write(b, o->d, m->d, (struct hot_value){ .llvm = value, .raw = m->d == TYPE_F32 });
}

static void emit_native(struct hot_build *b, const struct op *o)
{
	const struct hot_meaning *m = &b->meanings[o->id];

	if (o->id == OP_nop)
		return;
	if (o->id == OP_guard || o->id == OP_guard_not) {
		LLVMValueRef set = hot_rows_read(b, o->a, TYPE_PREDICATE, TYPE_PREDICATE);

		if (o->id == OP_guard_not)
			set = LLVMBuildNot(b->builder, set, "");
		b->guard = as_bits(b, set);
		emit_native(b, o + 1);
		b->guard = NULL;
	} else if (o->id == OP_mov_b32 || o->id == OP_mov_b64) {
		hot_rows_write(b, o->d, m->d, hot_rows_peek(b, o->a, m->a));
	} else if (m->shape == HOT_PICK) {
		emit_pick(b, o, m);
	} else {
		emit_piece(b, o, m);
	}
}

static void leave_to(struct hot_build *b, const struct op *next)
{
	LLVMBuildRet(b->builder, hot_const_pointer(b, next));
}

static void leave_by_event(const struct hot_build *b, const struct op *next, enum warp_event event)
{
	LLVMBuildStore(b->builder, hot_const_pointer(b, next),
		       hot_field(b, b->warp, offsetof(struct warp, next)));
	LLVMBuildStore(b->builder, hot_const32(b, event),
		       hot_field(b, b->warp, offsetof(struct warp, event)));
	LLVMBuildRet(b->builder, LLVMConstNull(b->pointer));
}

/* Lanes of the running ones that a conditional branch takes. */
static LLVMValueRef taken_lanes(struct hot_build *b, const struct op *o)
{
	LLVMValueRef taken = hot_rows_read(b, o->a, TYPE_PREDICATE, TYPE_PREDICATE);

	if (o->id == OP_bra_unless)
		taken = LLVMBuildNot(b->builder, taken, "");
	return b->mask ? LLVMBuildAnd(b->builder, taken, b->mask, "") : taken;
}

static LLVMValueRef all_lanes(const struct hot_build *b)
{
	return b->mask ? b->mask : hot_const32(b, ALL_LANES);
}

/* With rows in memory: nothing taken goes on behind, all taken and forwards goes there, the rest is
 * the handler's. */
static void emit_branch(struct hot_build *b, const struct op *o, LLVMValueRef taken)
{
	LLVMBasicBlockRef behind = add_block(b), some = add_block(b), there = add_block(b),
			  part = add_block(b);
	LLVMValueRef none = LLVMBuildICmp(b->builder, LLVMIntEQ, taken, hot_const32(b, 0), "");
	LLVMValueRef all = LLVMBuildICmp(b->builder, LLVMIntEQ, taken, all_lanes(b), "");

	LLVMBuildCondBr(b->builder, none, behind, some);
	LLVMPositionBuilderAtEnd(b->builder, behind);
	leave_to(b, place_of(b, o) + 1);
	LLVMPositionBuilderAtEnd(b->builder, some);
	if (o->target <= place_of(b, o))
		all = LLVMConstInt(b->i1, 0, false);
	LLVMBuildCondBr(b->builder, all, there, part);
	LLVMPositionBuilderAtEnd(b->builder, there);
	leave_to(b, o->target);
	LLVMPositionBuilderAtEnd(b->builder, part);
	LLVMBuildRet(b->builder, call_handler(b, o));
}

/* The end of a block that is no loop. */
static void emit_end(struct hot_build *b, const struct hot_block *block)
{
	const struct op *last = &b->program->ops[block->first + b->done];
	LLVMValueRef taken = NULL;

	if (block->first + b->done == block->end) {
		hot_rows_flush(b);
		count_operations(b, b->steps, b->executed);
		leave_to(b, place_of(b, last));
		return;
	}
	if (last->id == OP_bra_if || last->id == OP_bra_unless)
		taken = taken_lanes(b, last);
	hot_rows_flush(b);
	count_operations(b, b->steps + 1, b->executed);
	if (taken)
		emit_branch(b, last, taken);
	else if (last->id == OP_bra)
		leave_to(b, last->target);
	else
		LLVMBuildRet(b->builder, call_handler(b, last));
}

/*
 * Rows to memory in the middle of a round. What this round has not written yet is there in the
 * first round, and may be no number; later it is what the round before has left.
 */
static void flush_in_round(struct hot_build *b)
{
	LLVMBasicBlockRef later = add_block(b), on = add_block(b);
	LLVMValueRef is_first =
		LLVMBuildICmp(b->builder, LLVMIntEQ, b->executed, LLVMConstNull(b->i64), "");

	for (uint32_t i = 0; i < b->count; i++)
		if (b->rows[i].dirty && b->rows[i].value.llvm != b->rows[i].phi)
			hot_rows_store_aside(b, &b->rows[i]);
	LLVMBuildCondBr(b->builder, is_first, on, later);
	LLVMPositionBuilderAtEnd(b->builder, later);
	for (uint32_t i = 0; i < b->count; i++)
		if (b->rows[i].phi && b->rows[i].value.llvm == b->rows[i].phi)
			hot_rows_store_aside(b, &b->rows[i]);
	LLVMBuildBr(b->builder, on);
	LLVMPositionBuilderAtEnd(b->builder, on);
}

/* A branch out of a loop, before its end. Where others of the warp wait behind it, the step loop
 * must see that, too. */
static void emit_exit(struct hot_build *b, const struct op *o)
{
	LLVMBasicBlockRef leave = add_block(b), stay = add_block(b);
	LLVMValueRef none = LLVMBuildICmp(b->builder, LLVMIntEQ, taken_lanes(b, o),
					  hot_const32(b, 0), ""),
		     next;

	if (b->mask) {
		LLVMValueRef at = hot_field(b, b->warp, offsetof(struct warp, limit));
		LLVMValueRef limit = LLVMBuildLoad2(b->builder, b->pointer, at, "");

		limit = LLVMBuildICmp(b->builder, LLVMIntNE, limit,
				      hot_const_pointer(b, place_of(b, o) + 1), "");
		none = LLVMBuildAnd(b->builder, none, limit, "");
	}
	hot_mark_likely(b, LLVMBuildCondBr(b->builder, none, stay, leave));
	LLVMPositionBuilderAtEnd(b->builder, leave);
	flush_in_round(b);
	count_operations(b, b->steps + 1, b->executed);
	next = call_handler(b, o);
	if (b->mask) {
		/* Here the step loop may not know of the mask. */
		LLVMBasicBlockRef goes_on = add_block(b), ends = add_block(b);

		LLVMBuildCondBr(b->builder, LLVMBuildIsNull(b->builder, next, ""), ends, goes_on);
		LLVMPositionBuilderAtEnd(b->builder, goes_on);
		LLVMBuildStore(b->builder, next,
			       hot_field(b, b->warp, offsetof(struct warp, next)));
		LLVMBuildStore(b->builder, hot_const32(b, WARP_RESUME),
			       hot_field(b, b->warp, offsetof(struct warp, event)));
		LLVMBuildBr(b->builder, ends);
		LLVMPositionBuilderAtEnd(b->builder, ends);
		next = LLVMConstNull(b->pointer);
	}
	LLVMBuildRet(b->builder, next);
	LLVMPositionBuilderAtEnd(b->builder, stay);
}

static void emit_body(struct hot_build *b, const struct hot_block *block)
{
	for (uint32_t i = block->first; i < block->end;) {
		const struct op *o = &b->program->ops[i];
		enum hot_way way = way_of(b, o);

		if (way == WAY_BRANCH && i + 1 == block->end)
			break;
		if (way == WAY_BRANCH)
			emit_exit(b, o);
		else if (way == WAY_NATIVE)
			emit_native(b, o);
		else if (way == WAY_MEMORY)
			hot_memory_emit(b, o);
		else
			emit_call(b, o);
		i += hot_width(o);
		b->done = i - block->first;
		b->steps++;
	}
}

/*
 * Behind OP_meet: when the warp beside this one waits there, operations of the two take turns,
 * since each warp's wait for their own. The builder ends where there is no such warp.
 */
static void emit_pair(struct hot_build *b, const struct hot_block *block)
{
	const struct op *end = b->program->place + block->end;
	LLVMTypeRef types[] = { b->pointer, b->pointer, b->pointer };
	LLVMTypeRef type = LLVMFunctionType(b->pointer, types, 3, false);
	LLVMValueRef args[] = { b->warp, hot_const_pointer(b, b->program->place + block->first - 1),
				hot_const_pointer(b, end) };
	LLVMValueRef partner = hot_const_pointer(b, (void *)(uintptr_t)b->program->partner), other;
	LLVMBasicBlockRef alone = add_block(b), pair = add_block(b);
	struct hot_build second = *b;

	other = LLVMBuildCall2(b->builder, type, partner, args, 3, "");
	LLVMBuildCondBr(b->builder, LLVMBuildIsNull(b->builder, other, ""), alone, pair);
	LLVMPositionBuilderAtEnd(b->builder, pair);
	second.warp = other;
	second.base = LLVMBuildLoad2(b->builder, b->pointer,
				     hot_field(b, other, offsetof(struct warp, rows)), "");
	second.rows = NULL;
	second.count = second.capacity = 0;
	for (uint32_t i = block->first; i < block->end; i += hot_width(&b->program->ops[i])) {
		emit_native(b, &b->program->ops[i]);
		emit_native(&second, &b->program->ops[i]);
		b->steps++;
	}
	hot_rows_flush(b);
	hot_rows_flush(&second);
	/* The other one does not come to its OP_meet again. */
	count_operations(b, 2 * b->steps + 1, NULL);
	leave_to(b, end);
	b->failed |= second.failed;
	free(second.rows);
	b->count = b->steps = 0;
	LLVMPositionBuilderAtEnd(b->builder, alone);
}

/* Rows that natives read and write become known before the loop, and whether a round leaves them
 * raw. */
static void note_operands(struct hot_build *b, const struct op *o, bool guarded)
{
	const struct hot_meaning *m = &b->meanings[o->id];
	const uint32_t offsets[] = { o->a, o->b, o->c };
	const enum hot_type types[] = { m->a, m->b, m->c };
	bool raw = m->d == TYPE_F32;
	struct hot_row *d;

	if (o->id == OP_nop)
		return;
	if (o->id == OP_guard || o->id == OP_guard_not) {
		hot_rows_find(b, o->a, TYPE_PREDICATE);
		note_operands(b, o + 1, true);
		return;
	}
	for (int i = 0; i < 3; i++)
		if (types[i] != TYPE_NONE)
			hot_rows_find(b, offsets[i], types[i]);
	if (o->id == OP_mov_b32 || o->id == OP_selp_b32)
		raw = hot_rows_find(b, o->a, m->a)->ends_raw;
	if (o->id == OP_selp_b32)
		raw &= hot_rows_find(b, o->b, m->b)->ends_raw;
	d = hot_rows_find(b, o->d, m->d);
	d->written = true;
	d->ends_raw = raw && (!guarded || d->ends_raw);
}

static bool note_all(struct hot_build *b, const struct hot_block *block)
{
	bool calls = false;

	for (uint32_t i = block->first; i < block->end; i += hot_width(&b->program->ops[i])) {
		enum hot_way way = way_of(b, &b->program->ops[i]);

		if (way == WAY_NATIVE)
			note_operands(b, &b->program->ops[i], false);
		else if (way == WAY_MEMORY)
			hot_memory_note(b, &b->program->ops[i]);
		else if (way == WAY_BRANCH)
			hot_rows_find(b, b->program->ops[i].a, TYPE_PREDICATE);
		calls |= way == WAY_CALL || way == WAY_MEMORY;
	}
	return calls;
}

/*
 * Rows live in registers through the rounds: at the head of the loop each that changes is a phi.
 * Those that a call may change wait in memory instead.
 */
static void open_loop(struct hot_build *b, const struct hot_block *block, LLVMBasicBlockRef head,
		      bool calls)
{
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b->builder);

	for (uint32_t i = 0; i < b->count; i++)
		hot_rows_load(b, &b->rows[i]);
	for (uint32_t i = block->first; i < block->end; i += hot_width(&b->program->ops[i]))
		if (way_of(b, &b->program->ops[i]) == WAY_CALL)
			hot_rows_forget(b, &b->program->ops[i]);
	LLVMBuildBr(b->builder, head);
	LLVMPositionBuilderAtEnd(b->builder, head);
	for (uint32_t i = 0; i < b->count; i++) {
		struct hot_row *r = &b->rows[i];

		if (!r->written || !r->value.llvm)
			continue;
		r->phi = LLVMBuildPhi(b->builder, LLVMTypeOf(r->value.llvm), "");
		LLVMAddIncoming(r->phi, &r->value.llvm, &before, 1);
		r->value.llvm = r->phi;
		r->value.raw = r->value.loose = b->keep_raw && r->ends_raw;
		r->dirty = calls;
	}
}

/* The end of a round: what goes round in memory is put there, the rest has the form of its phi. */
static void end_round(struct hot_build *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		struct hot_row *r = &b->rows[i];

		if (!r->phi && r->dirty)
			hot_rows_store(b, r);
		else if (r->phi && !(b->keep_raw && r->ends_raw))
			hot_rows_make_canonical(b, &r->value);
	}
}

static void close_loop(struct hot_build *b, LLVMBasicBlockRef latch)
{
	for (uint32_t i = 0; i < b->count; i++) {
		struct hot_row *r = &b->rows[i];
		LLVMValueRef v;

		if (!r->phi)
			continue;
		if (!r->value.llvm)
			hot_rows_load(b, r);
		v = LLVMBuildBitCast(b->builder, r->value.llvm, LLVMTypeOf(r->phi), "");
		LLVMAddIncoming(r->phi, &v, &latch, 1);
	}
}

/*
 * Some lanes leave the loop, or all, with rows in memory. The others go on in the code for parts of
 * a warp, if it is their turn. That code ends with an event, since the step loop does not know of
 * the new mask.
 */
static void emit_part(struct hot_build *b, const struct hot_block *block, LLVMValueRef taken)
{
	const struct op *branch = &b->program->ops[block->end - 1];
	LLVMTypeRef types[] = { b->pointer, b->pointer, b->i32 };
	LLVMTypeRef type = LLVMFunctionType(LLVMInt8TypeInContext(b->context), types, 3, false);
	LLVMValueRef args[] = { b->warp, hot_const_pointer(b, place_of(b, branch)), taken };
	LLVMValueRef part = hot_const_pointer(b, (void *)(uintptr_t)b->program->part), goes, next;
	LLVMBasicBlockRef none = add_block(b), some = add_block(b), on = add_block(b),
			  wait = add_block(b);

	LLVMBuildCondBr(b->builder,
			LLVMBuildICmp(b->builder, LLVMIntEQ, taken, hot_const32(b, 0), ""), none,
			some);
	LLVMPositionBuilderAtEnd(b->builder, none);
	if (b->mask)
		leave_by_event(b, place_of(b, branch) + 1, WARP_RESUME);
	else
		leave_to(b, place_of(b, branch) + 1);
	LLVMPositionBuilderAtEnd(b->builder, some);
	goes = LLVMBuildCall2(b->builder, type, part, args, 3, "");
	goes = LLVMBuildTrunc(b->builder, goes, b->i1, "");
	LLVMBuildCondBr(b->builder, goes, on, wait);
	LLVMPositionBuilderAtEnd(b->builder, wait);
	LLVMBuildRet(b->builder, LLVMConstNull(b->pointer));
	LLVMPositionBuilderAtEnd(b->builder, on);
	/* The step loop does not see this step. */
	count_operations(b, 2, NULL);
	args[1] = LLVMGetParam(b->function, 1);
	next = LLVMBuildCall2(b->builder, b->handler, b->parts, args, 2, "");
	LLVMSetTailCall(next, true);
	LLVMBuildRet(b->builder, next);
}

static void emit_loop(struct hot_build *b, const struct hot_block *block)
{
	const struct op *last = &b->program->ops[block->end - 1];
	uint32_t length;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b->builder), head = add_block(b), again, out,
			  slice, part;
	LLVMValueRef zero = LLVMConstNull(b->i64), taken, all, budget, at, over, rounds;
	bool calls = note_all(b, block);

	open_loop(b, block, head, calls);
	b->executed = LLVMBuildPhi(b->builder, b->i64, "");
	LLVMAddIncoming(b->executed, &zero, &before, 1);
	emit_body(b, block);
	length = b->steps + 1;
	taken = taken_lanes(b, last);
	all = LLVMBuildICmp(b->builder, LLVMIntEQ, taken, all_lanes(b), "");
	end_round(b);
	again = add_block(b);
	out = add_block(b);
	LLVMBuildCondBr(b->builder, all, again, out);

	LLVMPositionBuilderAtEnd(b->builder, again);
	at = hot_field(b, b->warp, offsetof(struct warp, budget));
	budget = LLVMBuildSub(b->builder, LLVMBuildLoad2(b->builder, b->i32, at, ""),
			      hot_const32(b, 1), "");
	LLVMBuildStore(b->builder, budget, at);
	over = LLVMBuildICmp(b->builder, LLVMIntSLT, budget, hot_const32(b, 0), "");
	rounds = LLVMBuildAdd(b->builder, b->executed, LLVMConstInt(b->i64, length, false), "");
	close_loop(b, again);
	LLVMAddIncoming(b->executed, &rounds, &again, 1);
	LLVMBuildCondBr(b->builder, over, out, head);

	LLVMPositionBuilderAtEnd(b->builder, out);
	hot_rows_flush(b);
	count_operations(b, length, b->executed);
	/* All lanes go round, and still the loop is left: the turn is over. */
	slice = add_block(b);
	part = add_block(b);
	LLVMBuildCondBr(b->builder, all, slice, part);
	LLVMPositionBuilderAtEnd(b->builder, slice);
	leave_by_event(b, last->target, WARP_SLICE);
	LLVMPositionBuilderAtEnd(b->builder, part);
	emit_part(b, block, taken);
}

static void add_attribute(const struct hot_build *b, LLVMValueRef function, const char *name,
			  const char *value)
{
	LLVMAttributeRef a = LLVMCreateStringAttribute(b->context, name, (unsigned)strlen(name),
						       value, (unsigned)strlen(value));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, a);
}

/* The instruction set of the interpreter's handlers, as clang names it. */
static const char *processor(const char *core)
{
	if (!strcmp(core, "avx512"))
		return "x86-64-v4";
	if (!strcmp(core, "avx2"))
		return "x86-64-v3";
#if defined(__x86_64__)
	return "x86-64";
#else
	return "generic";
#endif
}

void hot_block_attributes(const struct hot_build *b, LLVMValueRef function)
{
	static const char nounwind[] = "nounwind";
	unsigned kind = LLVMGetEnumAttributeKindForName(nounwind, sizeof(nounwind) - 1);

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(b->context, kind, 0));
	add_attribute(b, function, "target-cpu", processor(b->program->core));
	add_attribute(b, function, "prefer-vector-width", "512");
	add_attribute(b, function, "min-legal-vector-width", "512");
}

static void begin_function(struct hot_build *b, bool masked, const char *name)
{
	b->count = 0;
	b->done = b->steps = 0;
	b->guard = b->executed = b->mask = b->lanes = NULL;
	b->failed = b->spoiled = false;
	b->function = LLVMAddFunction(b->module, name, b->handler);
	if (masked)
		b->parts = b->function;
	hot_block_attributes(b, b->function);
	LLVMPositionBuilderAtEnd(b->builder, add_block(b));
	b->warp = LLVMGetParam(b->function, 0);
	b->base = LLVMBuildLoad2(b->builder, b->pointer,
				 hot_field(b, b->warp, offsetof(struct warp, rows)), "");
	if (b->memory) {
		b->scratch =
			LLVMBuildAlloca(b->builder, LLVMArrayType(b->wide, 1 + HOT_ELEMENTS), "");
		LLVMSetAlignment(b->scratch, 64);
	}
	if (!masked)
		return;
	b->mask = LLVMBuildLoad2(b->builder, b->i32,
				 hot_field(b, b->warp, offsetof(struct warp, mask)), "");
	b->lanes = as_bits(b, b->mask);
}

static uint32_t count_memory(const struct hot_build *b, const struct hot_block *block)
{
	uint32_t count = 0;

	for (uint32_t i = block->first; i < block->end; i += hot_width(&b->program->ops[i]))
		count += hot_way(b->meanings, &b->program->ops[i]) == WAY_MEMORY;
	return count;
}

static bool build(struct hot_build *b, const struct hot_block *block, bool masked, const char *name)
{
	uint32_t count = count_memory(b, block);

	b->memory = !masked && (block->loops || block->depth) && count && count <= MEMORY_MAX;
	b->keep_raw = true;
	for (;;) {
		begin_function(b, masked, name);
		if (block->loops) {
			emit_loop(b, block);
		} else {
			/* A pair of warps is slower than two when its rows are more than there are
			 * registers. */
			if (block->meets && !masked && !strcmp(b->program->core, "avx512"))
				emit_pair(b, block);
			emit_body(b, block);
			emit_end(b, block);
		}
		if (!b->failed && !b->spoiled)
			return true;
		LLVMDeleteFunction(b->function);
		if (b->failed)
			return false;
		b->keep_raw = false;
	}
}

bool hot_block_build(struct hot_build *b, const struct hot_block *block, const char *full,
		     const char *masked)
{
	if (!build(b, block, true, masked))
		return false;
	b->parts = b->function;
	if (build(b, block, false, full))
		return true;
	LLVMDeleteFunction(b->parts);
	return false;
}
