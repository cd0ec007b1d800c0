/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each way that an access may take ends in one block, where phi nodes take the values it loaded.
 * Offsets count from the start of the buffer, in 32 bits for addresses of 32 bits.
 */
#include "emulator/hot/hot-memory.h"

#include <stddef.h>
#include <stdio.h>

#include "emulator/memory/shadow.h"
#include "emulator/warp/exec.h"
#include "emulator/warp/lane-halves.h"

struct access {
	struct hot_build *b;
	const struct op *o;
	const struct hot_access *kind;
	uint32_t size;                    /* bytes a lane */
	bool loads, wide;                 /* offsets of 64 bits */
	LLVMTypeRef offset, element, row; /* one offset, one element in memory and in a row */
	LLVMValueRef base, extent, bytes, shadow; /* of the buffer */
	LLVMValueRef off, starts; /* of all lanes; each half's first one, spread over it */
	LLVMValueRef first[2];
	LLVMValueRef value[HOT_ELEMENTS]; /* phi nodes of a load, rows of a store */
	LLVMBasicBlockRef call, join;
};

static const struct hot_access *access_of(const struct hot_meaning *meanings, const struct op *o)
{
	return &meanings[o->id].access;
}

bool hot_memory_knows(const struct hot_meaning *meanings, const struct op *o)
{
	const struct hot_access *a = access_of(meanings, o);

	if (a->space == HOT_SPACE_NONE || o->flags & OP_STRONG)
		return false;
	return a->space == HOT_SPACE_SHARED || !(o->flags & OP_ADDRESS_32);
}

static uint32_t row_offset(const struct op *o, uint32_t first, unsigned k)
{
	return k ? o->x[k - 1] : first;
}

static enum hot_type address_type(const struct op *o)
{
	return o->flags & OP_ADDRESS_32 ? TYPE_NARROW : TYPE_WIDE;
}

static enum hot_type value_type(const struct hot_access *a)
{
	return a->bits == 64 ? TYPE_WIDE : TYPE_NARROW;
}

void hot_memory_note(struct hot_build *b, const struct op *o)
{
	const struct hot_access *a = access_of(b->meanings, o);

	hot_rows_find(b, o->a, address_type(o));
	for (unsigned k = 0; k < a->count; k++) {
		struct hot_row *r =
			hot_rows_find(b, row_offset(o, a->loads ? o->d : o->b, k), value_type(a));

		if (a->loads) {
			r->written = true;
			r->ends_raw = false;
		}
	}
}

static LLVMBasicBlockRef add_block(const struct access *a)
{
	return LLVMAppendBasicBlockInContext(a->b->context, a->b->function, "");
}

static LLVMValueRef constant(const struct access *a, uint64_t v)
{
	return LLVMConstInt(a->offset, v, false);
}

static LLVMValueRef both(const struct access *a, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildAnd(a->b->builder, x, y, "");
}

static LLVMValueRef compare(const struct access *a, LLVMIntPredicate how, LLVMValueRef x,
			    LLVMValueRef y)
{
	return LLVMBuildICmp(a->b->builder, how, x, y, "");
}

/* `then` when the condition holds; else the builder stands in a new block. */
static void unless(const struct access *a, LLVMValueRef condition, LLVMBasicBlockRef then)
{
	LLVMBasicBlockRef otherwise = add_block(a);

	LLVMBuildCondBr(a->b->builder, condition, then, otherwise);
	LLVMPositionBuilderAtEnd(a->b->builder, otherwise);
}

/* On only when the condition holds: else to the call of the handler. */
static void demand(const struct access *a, LLVMValueRef condition)
{
	LLVMBasicBlockRef on = add_block(a);

	hot_mark_likely(a->b, LLVMBuildCondBr(a->b->builder, condition, on, a->call));
	LLVMPositionBuilderAtEnd(a->b->builder, on);
}

/* Lanes first, first + step ... of one vector, or of two that are taken for one. */
static LLVMValueRef shuffle(const struct access *a, LLVMValueRef x, LLVMValueRef y, unsigned count,
			    unsigned (*from)(unsigned lane, unsigned k), unsigned k)
{
	LLVMValueRef places[LANES * HOT_ELEMENTS];

	for (unsigned i = 0; i < count; i++)
		places[i] = hot_const32(a->b, from(i, k));
	return LLVMBuildShuffleVector(a->b->builder, x, y, LLVMConstVector(places, count), "");
}

static unsigned from_start_of_half(unsigned lane, unsigned k)
{
	(void)k;
	return lane / HALF_LANES * HALF_LANES;
}

static unsigned from_first(unsigned lane, unsigned k)
{
	(void)lane;
	return k;
}

static unsigned from_behind(unsigned lane, unsigned k)
{
	return lane + k;
}

static unsigned from_second_of_two(unsigned lane, unsigned k)
{
	return lane * 2 + k;
}

static unsigned from_second_of_four(unsigned lane, unsigned k)
{
	return lane * 4 + k;
}

/* Element by element from `k` vectors of a half each that lie behind each other. */
static unsigned from_columns(unsigned lane, unsigned k)
{
	return lane % k * HALF_LANES + lane / k;
}

static LLVMValueRef join_halves(const struct access *a, LLVMValueRef low, LLVMValueRef high)
{
	return shuffle(a, low, high, LANES, from_behind, 0);
}

static LLVMValueRef spread(const struct access *a, LLVMValueRef v, unsigned lanes)
{
	LLVMValueRef none = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(v), lanes));

	v = LLVMBuildInsertElement(a->b->builder, none, v, hot_const32(a->b, 0), "");
	return shuffle(a, v, none, lanes, from_first, 0);
}

/* All of the 32 lanes of a comparison. */
static LLVMValueRef all(const struct access *a, LLVMValueRef bits)
{
	return compare(a, LLVMIntEQ, LLVMBuildBitCast(a->b->builder, bits, a->b->i32, ""),
		       hot_const32(a->b, ALL_LANES));
}

static LLVMValueRef load(const struct access *a, LLVMTypeRef type, LLVMValueRef at, unsigned align)
{
	LLVMValueRef v = LLVMBuildLoad2(a->b->builder, type, at, "");

	LLVMSetAlignment(v, align);
	return v;
}

static LLVMValueRef field(const struct access *a, LLVMTypeRef type, LLVMValueRef p, uint64_t offset)
{
	return LLVMBuildLoad2(a->b->builder, type, hot_field(a->b, p, offset), "");
}

/* Behind a pointer, by an offset or a number of bytes. */
static LLVMValueRef behind(const struct access *a, LLVMValueRef p, LLVMValueRef offset)
{
	if (!a->wide)
		offset = LLVMBuildZExt(a->b->builder, offset, a->b->i64, "");
	return LLVMBuildGEP2(a->b->builder, LLVMInt8TypeInContext(a->b->context), p, &offset, 1,
			     "");
}

/* The fields of the operation's cache that are needed, and the offsets of the lanes. */
static void find_offsets(struct access *a)
{
	struct hot_build *b = a->b;
	LLVMValueRef address = hot_rows_read(b, a->o->a, address_type(a->o), TYPE_WIDE), from,
		     cache, index;

	cache = field(a, b->pointer, b->warp, offsetof(struct warp, caches));
	cache = hot_field(b, cache, a->o->cache * sizeof(struct memory_cache));
	if (a->kind->space == HOT_SPACE_SHARED) {
		index = field(a, b->i64, cache, offsetof(struct memory_cache, array));
		index = LLVMBuildMul(b->builder, index,
				     LLVMConstInt(b->i64, sizeof(struct memory_cache), false), "");
		cache = field(a, b->pointer, b->warp, offsetof(struct warp, arrays));
		cache = LLVMBuildGEP2(b->builder, LLVMInt8TypeInContext(b->context), cache, &index,
				      1, "");
	}
	/* The low half of a number comes first. */
	a->base = field(a, a->offset, cache, offsetof(struct memory_cache, base));
	a->extent = field(a, a->offset, cache, offsetof(struct memory_cache, size));
	a->bytes = field(a, b->pointer, cache, offsetof(struct memory_cache, bytes));
	a->shadow = field(a, b->pointer, cache, offsetof(struct memory_cache, shadow));
	from = LLVMBuildSub(b->builder, constant(a, (uint64_t)a->o->imm), a->base, "");
	a->off = LLVMBuildAdd(b->builder, address, spread(a, from, LANES), "");
	a->starts =
		shuffle(a, a->off, LLVMGetPoison(LLVMTypeOf(a->off)), LANES, from_start_of_half, 0);
	for (unsigned h = 0; h < 2; h++)
		a->first[h] = LLVMBuildExtractElement(b->builder, a->starts,
						      hot_const32(b, h * HALF_LANES), "");
}

/* An address is, when both the base and the offset are. */
static LLVMValueRef is_aligned(const struct access *a, LLVMValueRef offset)
{
	LLVMValueRef low = LLVMBuildOr(a->b->builder, offset, a->base, "");

	low = LLVMBuildAnd(a->b->builder, low, constant(a, a->size - 1), "");
	return compare(a, LLVMIntEQ, low, constant(a, 0));
}

/* Both halves lie in the buffer and are aligned. */
static void demand_halves(const struct access *a, uint32_t extent)
{
	LLVMValueRef last = LLVMBuildSub(a->b->builder, a->extent, constant(a, extent), ""), inside;

	inside = compare(a, LLVMIntUGE, a->extent, constant(a, extent));
	inside = both(a, inside, compare(a, LLVMIntULE, a->first[0], last));
	inside = both(a, inside, compare(a, LLVMIntULE, a->first[1], last));
	inside = both(a, inside,
		      is_aligned(a, LLVMBuildOr(a->b->builder, a->first[0], a->first[1], "")));
	demand(a, inside);
}

static LLVMValueRef has_no_shadow(const struct access *a)
{
	return LLVMBuildIsNull(a->b->builder, a->shadow, "");
}

static LLVMValueRef shadow_at(const struct access *a, unsigned half)
{
	LLVMValueRef word = LLVMBuildLShr(a->b->builder, a->first[half], constant(a, 2), "");

	return behind(a, a->shadow, word);
}

static LLVMValueRef known_words(const struct access *a, uint32_t count)
{
	LLVMValueRef words[LANES * HOT_ELEMENTS];

	for (uint32_t i = 0; i < count; i++)
		words[i] = LLVMConstInt(LLVMInt8TypeInContext(a->b->context), SHADOW_KNOWN, false);
	return LLVMConstVector(words, count);
}

/* Words of the shadow that a half of the warp touches: `extent` bytes from its first offset on. */
static LLVMValueRef half_is_known(const struct access *a, unsigned half, uint32_t extent)
{
	uint32_t count = extent / SHADOW_WORD;
	LLVMTypeRef words = LLVMVectorType(LLVMInt8TypeInContext(a->b->context), count);
	LLVMTypeRef whole = LLVMIntTypeInContext(a->b->context, count);
	LLVMValueRef bits =
		compare(a, LLVMIntEQ, load(a, words, shadow_at(a, half), 1), known_words(a, count));

	return compare(a, LLVMIntEQ, LLVMBuildBitCast(a->b->builder, bits, whole, ""),
		       LLVMConstAllOnes(whole));
}

/* All that is loaded was written. */
static void demand_known_halves(const struct access *a, uint32_t extent)
{
	LLVMBasicBlockRef known = add_block(a);

	if (a->size < SHADOW_WORD) {
		demand(a, has_no_shadow(a));
		LLVMDeleteBasicBlock(known);
		return;
	}
	unless(a, has_no_shadow(a), known);
	demand(a, both(a, half_is_known(a, 0, extent), half_is_known(a, 1, extent)));
	LLVMBuildBr(a->b->builder, known);
	LLVMPositionBuilderAtEnd(a->b->builder, known);
}

static void mark_halves(const struct access *a, uint32_t extent)
{
	LLVMBasicBlockRef marked = add_block(a);

	if (a->size < SHADOW_WORD) {
		demand(a, has_no_shadow(a));
		LLVMDeleteBasicBlock(marked);
		return;
	}
	unless(a, has_no_shadow(a), marked);
	for (unsigned h = 0; h < 2; h++)
		LLVMSetAlignment(LLVMBuildStore(a->b->builder, known_words(a, extent / SHADOW_WORD),
						shadow_at(a, h)),
				 1);
	LLVMBuildBr(a->b->builder, marked);
	LLVMPositionBuilderAtEnd(a->b->builder, marked);
}

/* As it lies in a row: narrow elements are extended. */
static LLVMValueRef extend(const struct access *a, LLVMValueRef v, LLVMTypeRef to)
{
	if (a->kind->bits >= 32)
		return v;
	return a->kind->sign ? LLVMBuildSExt(a->b->builder, v, to, "")
			     : LLVMBuildZExt(a->b->builder, v, to, "");
}

/* One way has ended: its values, and on. */
static void arrive(const struct access *a, LLVMValueRef *values)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(a->b->builder);

	for (unsigned k = 0; a->loads && k < a->kind->count; k++)
		LLVMAddIncoming(a->value[k], &values[k], &here, 1);
	LLVMBuildBr(a->b->builder, a->join);
}

static LLVMTypeRef row_of(const struct access *a)
{
	return LLVMVectorType(a->row, LANES);
}

static LLVMValueRef is_ramp(const struct access *a)
{
	LLVMValueRef steps[LANES];

	for (unsigned l = 0; l < LANES; l++)
		steps[l] = constant(a, (uint64_t)(l % HALF_LANES) * a->size);
	return all(a, compare(a, LLVMIntEQ, a->off,
			      LLVMBuildAdd(a->b->builder, a->starts, LLVMConstVector(steps, LANES),
					   "")));
}

/* A later warp is going to look there. */
static void prefetch(const struct access *a, LLVMValueRef at)
{
	LLVMValueRef args[] = { hot_field(a->b, at, AHEAD), hot_const32(a->b, 0),
				hot_const32(a->b, 3), hot_const32(a->b, 1) };

	if (a->kind->space == HOT_SPACE_GLOBAL)
		hot_call_intrinsic(a->b, "llvm.prefetch", a->b->pointer, args, 4);
}

static void load_ramp(const struct access *a)
{
	unsigned (*const from[])(unsigned, unsigned) = { NULL, from_behind, from_second_of_two,
							 NULL, from_second_of_four };
	unsigned count = a->kind->count;
	LLVMTypeRef piece = LLVMVectorType(a->element, HALF_LANES * count);
	LLVMValueRef half[2], values[HOT_ELEMENTS];

	for (unsigned h = 0; h < 2; h++) {
		LLVMValueRef at = behind(a, a->bytes, a->first[h]);

		prefetch(a, at);
		half[h] = load(a, piece, at, a->kind->bits / 8);
	}
	for (unsigned k = 0; k < count; k++) {
		LLVMValueRef part[2];

		for (unsigned h = 0; h < 2; h++)
			part[h] = count == 1 ? half[h]
					     : shuffle(a, half[h], LLVMGetPoison(piece), HALF_LANES,
						       from[count], k);
		values[k] = extend(a, join_halves(a, part[0], part[1]), row_of(a));
	}
	arrive(a, values);
}

static void store_ramp(const struct access *a)
{
	unsigned count = a->kind->count;

	for (unsigned h = 0; h < 2; h++) {
		LLVMValueRef part[HOT_ELEMENTS] = { NULL }, piece;
		LLVMValueRef at = behind(a, a->bytes, a->first[h]);

		for (unsigned k = 0; k < count; k++) {
			part[k] = shuffle(a, a->value[k], LLVMGetPoison(row_of(a)), HALF_LANES,
					  from_behind, h * HALF_LANES);
			if (a->kind->bits < 32)
				part[k] =
					LLVMBuildTrunc(a->b->builder, part[k],
						       LLVMVectorType(a->element, HALF_LANES), "");
		}
		piece = part[0];
		if (count > 1)
			piece = shuffle(a, part[0], part[1], 2 * HALF_LANES, from_behind, 0);
		if (count > 2) {
			LLVMValueRef rest =
				shuffle(a, part[2], part[3], 2 * HALF_LANES, from_behind, 0);

			piece = shuffle(a, piece, rest, 4 * HALF_LANES, from_behind, 0);
		}
		if (count > 1)
			piece = shuffle(a, piece, LLVMGetPoison(LLVMTypeOf(piece)),
					count * HALF_LANES, from_columns, count);
		prefetch(a, at);
		LLVMSetAlignment(LLVMBuildStore(a->b->builder, piece, at), a->kind->bits / 8);
	}
	arrive(a, NULL);
}

/* Each half reads one place. */
static void load_same(const struct access *a)
{
	LLVMValueRef values[HOT_ELEMENTS];

	demand_halves(a, a->size);
	demand_known_halves(a, a->size);
	for (unsigned k = 0; k < a->kind->count; k++) {
		LLVMValueRef part[2];

		for (unsigned h = 0; h < 2; h++) {
			LLVMValueRef at = behind(a, a->bytes, a->first[h]);

			at = hot_field(a->b, at, (uint64_t)k * a->kind->bits / 8);
			part[h] = extend(a, load(a, a->element, at, a->kind->bits / 8), a->row);
			part[h] = spread(a, part[h], HALF_LANES);
		}
		values[k] = join_halves(a, part[0], part[1]);
	}
	arrive(a, values);
}

static void demand_lanes(const struct access *a)
{
	LLVMValueRef last = LLVMBuildSub(a->b->builder, a->extent, constant(a, a->size), ""), low,
		     whole;

	whole = both(a, compare(a, LLVMIntUGE, a->extent, constant(a, a->size)),
		     is_aligned(a, constant(a, 0)));
	demand(a, both(a, whole, has_no_shadow(a)));
	demand(a, all(a, compare(a, LLVMIntULE, a->off, spread(a, last, LANES))));
	if (a->size == 1)
		return;
	low = LLVMBuildAnd(a->b->builder, a->off, spread(a, constant(a, a->size - 1), LANES), "");
	demand(a, all(a, compare(a, LLVMIntEQ, low, LLVMConstNull(LLVMTypeOf(low)))));
}

/*
 * Lane by lane is long, so it is a function of its own, one of each kind a module: offsets, and
 * what is stored, lie in a piece of memory, and what is loaded comes back there.
 */
static LLVMValueRef room(const struct access *a, LLVMValueRef scratch, unsigned k)
{
	return hot_field(a->b, scratch, (k + 1) * LANES * sizeof(uint64_t));
}

static void copy_lane(const struct access *a, LLVMValueRef scratch, LLVMValueRef bytes,
		      unsigned lane, LLVMValueRef *values)
{
	LLVMBuilderRef builder = a->b->builder;
	uint32_t size = a->kind->bits / 8;
	LLVMValueRef index = hot_const32(a->b, lane), at;

	at = behind(a, bytes,
		    field(a, a->offset, scratch,
			  lane * (a->wide ? sizeof(uint64_t) : sizeof(uint32_t))));
	for (unsigned k = 0; k < a->kind->count; k++) {
		LLVMValueRef place = hot_field(a->b, at, (uint64_t)k * size), one;

		if (a->loads) {
			one = load(a, a->element, place, size);
			values[k] = LLVMBuildInsertElement(builder, values[k], one, index, "");
		} else {
			one = field(a, a->row, room(a, scratch, k),
				    (uint64_t)lane * (a->kind->bits == 64 ? 8 : 4));
			one = LLVMBuildTruncOrBitCast(builder, one, a->element, "");
			LLVMSetAlignment(LLVMBuildStore(builder, one, place), size);
		}
	}
}

static void define_lanes(const struct access *a, LLVMValueRef function)
{
	LLVMBuilderRef builder = a->b->builder;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
	LLVMValueRef scratch = LLVMGetParam(function, 0), bytes = LLVMGetParam(function, 1),
		     values[HOT_ELEMENTS];

	LLVMPositionBuilderAtEnd(builder,
				 LLVMAppendBasicBlockInContext(a->b->context, function, ""));
	for (unsigned k = 0; k < a->kind->count; k++)
		values[k] = LLVMGetPoison(LLVMVectorType(a->element, LANES));
	/* In the order of the lanes: of those that write to one place the last one stays. */
	for (unsigned l = 0; l < LANES; l++)
		copy_lane(a, scratch, bytes, l, values);
	for (unsigned k = 0; a->loads && k < a->kind->count; k++)
		LLVMSetAlignment(LLVMBuildStore(builder, extend(a, values[k], row_of(a)),
						room(a, scratch, k)),
				 64);
	LLVMBuildRetVoid(builder);
	LLVMPositionBuilderAtEnd(builder, here);
}

static void call_lanes(const struct access *a)
{
	struct hot_build *b = a->b;
	LLVMTypeRef types[] = { b->pointer, b->pointer };
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(b->context), types, 2, false);
	LLVMValueRef function, args[] = { b->scratch, a->bytes };
	char name[64];

	snprintf(name, sizeof(name), "%s%u%s%ux%u", a->loads ? "ld" : "st", a->kind->bits,
		 a->kind->sign ? "s" : "u", a->kind->count, a->wide ? 64 : 32);
	function = LLVMGetNamedFunction(b->module, name);
	if (!function) {
		function = LLVMAddFunction(b->module, name, type);
		LLVMSetLinkage(function, LLVMInternalLinkage);
		hot_block_attributes(b, function);
		define_lanes(a, function);
	}
	LLVMSetAlignment(LLVMBuildStore(b->builder, a->off, b->scratch), 64);
	LLVMBuildCall2(b->builder, type, function, args, 2, "");
}

static void load_lanes(const struct access *a)
{
	LLVMValueRef values[HOT_ELEMENTS];

	call_lanes(a);
	for (unsigned k = 0; k < a->kind->count; k++)
		values[k] = load(a, row_of(a), room(a, a->b->scratch, k), 64);
	arrive(a, values);
}

static void store_lanes(const struct access *a)
{
	for (unsigned k = 0; k < a->kind->count; k++)
		LLVMSetAlignment(
			LLVMBuildStore(a->b->builder, a->value[k], room(a, a->b->scratch, k)), 64);
	call_lanes(a);
	arrive(a, NULL);
}

/* With all rows in memory; what is known of them stays so for the other ways. */
static void call_handler(const struct access *a)
{
	struct hot_build *b = a->b;
	LLVMValueRef values[HOT_ELEMENTS];

	LLVMPositionBuilderAtEnd(b->builder, a->call);
	hot_rows_flush_aside(b);
	hot_block_call(b, a->o);
	for (unsigned k = 0; a->loads && k < a->kind->count; k++)
		values[k] =
			load(a, row_of(a), hot_field(b, b->base, row_offset(a->o, a->o->d, k)), 64);
	arrive(a, values);
}

static void begin(struct access *a)
{
	struct hot_build *b = a->b;
	enum hot_type type = value_type(a->kind);

	a->call = add_block(a);
	a->join = add_block(a);
	if (a->loads) {
		LLVMBasicBlockRef here = LLVMGetInsertBlock(b->builder);

		LLVMPositionBuilderAtEnd(b->builder, a->join);
		for (unsigned k = 0; k < a->kind->count; k++)
			a->value[k] = LLVMBuildPhi(b->builder, row_of(a), "");
		LLVMPositionBuilderAtEnd(b->builder, here);
		return;
	}
	for (unsigned k = 0; k < a->kind->count; k++)
		a->value[k] = hot_rows_read(b, row_offset(a->o, a->o->b, k), type, type);
}

/* Lanes of a half that follow each other. */
static void emit_ramp(const struct access *a)
{
	LLVMBasicBlockRef ramp = add_block(a), other = add_block(a);

	LLVMBuildCondBr(a->b->builder, is_ramp(a), ramp, other);
	LLVMPositionBuilderAtEnd(a->b->builder, ramp);
	demand_halves(a, HALF_LANES * a->size);
	if (a->loads) {
		demand_known_halves(a, HALF_LANES * a->size);
		load_ramp(a);
	} else {
		mark_halves(a, HALF_LANES * a->size);
		store_ramp(a);
	}
	LLVMPositionBuilderAtEnd(a->b->builder, other);
}

void hot_memory_emit(struct hot_build *b, const struct op *o)
{
	const struct hot_access *kind = access_of(b->meanings, o);
	struct access a = {
		.b = b,
		.o = o,
		.kind = kind,
		.size = (uint32_t)kind->bits / 8 * kind->count,
		.loads = kind->loads,
		.wide = !(o->flags & OP_ADDRESS_32),
	};

	a.offset = a.wide ? b->i64 : b->i32;
	a.element = LLVMIntTypeInContext(b->context, kind->bits);
	a.row = kind->bits == 64 ? b->i64 : b->i32;
	begin(&a);
	find_offsets(&a);
	emit_ramp(&a);
	if (a.loads) {
		LLVMBasicBlockRef same = add_block(&a);

		unless(&a, all(&a, compare(&a, LLVMIntEQ, a.off, a.starts)), same);
		demand_lanes(&a);
		load_lanes(&a);
		LLVMPositionBuilderAtEnd(b->builder, same);
		load_same(&a);
	} else {
		demand_lanes(&a);
		store_lanes(&a);
	}
	call_handler(&a);
	LLVMPositionBuilderAtEnd(b->builder, a.join);
	for (unsigned k = 0; a.loads && k < kind->count; k++)
		hot_rows_write(b, row_offset(o, o->d, k), value_type(kind),
			       (struct hot_value){ .llvm = a.value[k] });
}
