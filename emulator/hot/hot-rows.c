/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are the same for all lanes (immediates, parameters, sizes) are loaded as one value and
 * spread. */
#include "emulator/hot/hot-rows.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/bug.h"
#include "emulator/warp/exec.h"

LLVMValueRef hot_const32(const struct hot_build *b, uint32_t v)
{
	return LLVMConstInt(b->i32, v, false);
}

LLVMValueRef hot_const_pointer(const struct hot_build *b, const void *at)
{
	return LLVMConstIntToPtr(LLVMConstInt(b->i64, (uintptr_t)at, false), b->pointer);
}

LLVMValueRef hot_field(const struct hot_build *b, LLVMValueRef p, uint64_t offset)
{
	LLVMValueRef index = LLVMConstInt(b->i64, offset, false);

	return LLVMBuildGEP2(b->builder, LLVMInt8TypeInContext(b->context), p, &index, 1, "");
}

LLVMValueRef hot_call_intrinsic(const struct hot_build *b, const char *name, LLVMTypeRef type,
				LLVMValueRef *args, unsigned count)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(b->module, id, &type, 1);

	return LLVMBuildCall2(b->builder, LLVMIntrinsicGetType(b->context, id, &type, 1), function,
			      args, count, "");
}

void hot_mark_likely(const struct hot_build *b, LLVMValueRef branch)
{
	LLVMMetadataRef weights[] = {
		LLVMMDStringInContext2(b->context, "branch_weights", strlen("branch_weights")),
		LLVMValueAsMetadata(hot_const32(b, 2000)),
		LLVMValueAsMetadata(hot_const32(b, 1)),
	};
	LLVMMetadataRef node = LLVMMDNodeInContext2(b->context, weights, 3);

	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(b->context, "prof", 4),
			LLVMMetadataAsValue(b->context, node));
}

static enum hot_type storage(enum hot_type type)
{
	return type == TYPE_F32 ? TYPE_NARROW : type == TYPE_F64 ? TYPE_WIDE : type;
}

static LLVMTypeRef llvm_type(const struct hot_build *b, enum hot_type type)
{
	switch (type) {
	case TYPE_NARROW:
		return b->narrow;
	case TYPE_F32:
		return b->floats;
	case TYPE_WIDE:
		return b->wide;
	case TYPE_F64:
		return b->doubles;
	default:
		return b->i32;
	}
}

struct hot_row *hot_rows_find(struct hot_build *b, uint32_t offset, enum hot_type type)
{
	struct hot_row *grown;

	type = storage(type);
	for (uint32_t i = 0; i < b->count; i++)
		if (b->rows[i].offset == offset) {
			b->failed |= b->rows[i].type != type;
			return &b->rows[i];
		}
	if (b->count == b->capacity) {
		b->capacity = b->capacity ? 2 * b->capacity : 32;
		grown = realloc(b->rows, b->capacity * sizeof(*grown));
		/* As LLVM itself does. */
		if (!grown)
			BUG("out of memory while compiling device code");
		b->rows = grown;
	}
	b->rows[b->count] = (struct hot_row){ .offset = offset, .type = type };
	return &b->rows[b->count++];
}

static LLVMValueRef spread(struct hot_build *b, LLVMValueRef scalar, LLVMTypeRef vector)
{
	LLVMValueRef undefined = LLVMGetPoison(vector);
	LLVMValueRef first =
		LLVMBuildInsertElement(b->builder, undefined, scalar, hot_const32(b, 0), "");

	return LLVMBuildShuffleVector(b->builder, first, undefined, LLVMConstNull(b->narrow), "");
}

static const struct ptx_constant *constant_of(const struct hot_build *b, uint32_t offset)
{
	for (uint32_t i = 0; i < b->program->constant_count; i++)
		if (b->program->constants[i].row == offset)
			return &b->program->constants[i];
	return NULL;
}

static LLVMValueRef load(const struct hot_build *b, LLVMTypeRef type, LLVMValueRef at,
			 unsigned align)
{
	LLVMValueRef v = LLVMBuildLoad2(b->builder, type, at, "");

	LLVMSetAlignment(v, align);
	return v;
}

/*
 * Immediates of 32 bits become constants of the code. Those of 64 bits stay in memory: LLVM would
 * compute with two of them and make another NaN than the processor.
 */
void hot_rows_load(struct hot_build *b, struct hot_row *r)
{
	LLVMValueRef at = hot_field(b, b->base, r->offset), v;
	const struct ptx_constant *c = r->type == TYPE_PREDICATE ? NULL : constant_of(b, r->offset);
	LLVMTypeRef element = r->type == TYPE_WIDE ? b->i64 : b->i32;
	bool same = c && !ptx_constant_by_lane(c);

	if (r->value.llvm)
		return;
	if (same && c->kind == PTX_CONSTANT_VALUE && r->type == TYPE_NARROW)
		v = spread(b, hot_const32(b, (uint32_t)c->value), b->narrow);
	else if (same)
		v = spread(b, load(b, element, at, 64), llvm_type(b, r->type));
	else
		v = load(b, llvm_type(b, r->type), at, r->type == TYPE_PREDICATE ? 4 : 64);
	r->value = (struct hot_value){ .llvm = v };
}

void hot_rows_make_canonical(struct hot_build *b, struct hot_value *v)
{
	LLVMValueRef raw;

	if (!v->raw)
		return;
	b->spoiled |= v->loose;
	raw = LLVMBuildBitCast(b->builder, v->llvm, b->floats, "");
	v->llvm =
		hot_library_splice(b->builder, b->module, hot_library_canonical(b->library), &raw);
	v->raw = v->loose = false;
}

LLVMValueRef hot_rows_read(struct hot_build *b, uint32_t offset, enum hot_type type,
			   enum hot_type reader)
{
	struct hot_row *r = hot_rows_find(b, offset, type);

	hot_rows_load(b, r);
	/* A value that a binary64 is made of keeps the bits of a NaN. */
	if (type != TYPE_F32 || reader == TYPE_F64)
		hot_rows_make_canonical(b, &r->value);
	return LLVMBuildBitCast(b->builder, r->value.llvm, llvm_type(b, type), "");
}

struct hot_value hot_rows_peek(struct hot_build *b, uint32_t offset, enum hot_type type)
{
	struct hot_row *r = hot_rows_find(b, offset, type);
	struct hot_value v;

	hot_rows_load(b, r);
	v = r->value;
	v.llvm = LLVMBuildBitCast(b->builder, v.llvm, llvm_type(b, type), "");
	return v;
}

/*
 * On AVX-512 by logic instead of a select: LLVM 19 merges a select into a vpternlog that reads
 * memory, and then mixes up what that one's operands mean.
 */
LLVMValueRef hot_choose(const struct hot_build *b, LLVMValueRef set, LLVMValueRef x, LLVMValueRef y)
{
	LLVMTypeRef type = LLVMTypeOf(x), element = LLVMGetElementType(type), whole;
	LLVMValueRef mask;

	y = LLVMBuildBitCast(b->builder, y, type, "");
	if (strcmp(b->program->core, "avx512"))
		return LLVMBuildSelect(b->builder, set, x, y, "");
	whole = element == b->i64 || LLVMGetTypeKind(element) == LLVMDoubleTypeKind ? b->wide
										    : b->narrow;
	mask = LLVMBuildSExt(b->builder, set, whole, "");
	x = LLVMBuildBitCast(b->builder, x, whole, "");
	y = LLVMBuildBitCast(b->builder, y, whole, "");
	x = LLVMBuildAnd(b->builder, LLVMBuildXor(b->builder, x, y, ""), mask, "");
	return LLVMBuildBitCast(b->builder, LLVMBuildXor(b->builder, x, y, ""), type, "");
}

/* Lanes of the guard from one value, the others from the row. */
static struct hot_value blend(struct hot_build *b, struct hot_row *r, struct hot_value value)
{
	struct hot_value *old = &r->value;
	LLVMValueRef set = b->guard, kept;

	hot_rows_load(b, r);
	if (r->type == TYPE_PREDICATE) {
		set = LLVMBuildBitCast(b->builder, set, b->i32, "");
		kept = LLVMBuildAnd(b->builder, old->llvm, LLVMBuildNot(b->builder, set, ""), "");
		value.llvm = LLVMBuildOr(b->builder, LLVMBuildAnd(b->builder, value.llvm, set, ""),
					 kept, "");
		return value;
	}
	if (value.raw != old->raw) {
		hot_rows_make_canonical(b, &value);
		hot_rows_make_canonical(b, old);
	}
	value.llvm = hot_choose(b, set, value.llvm, old->llvm);
	value.loose |= old->loose;
	return value;
}

void hot_rows_write(struct hot_build *b, uint32_t offset, enum hot_type type,
		    struct hot_value value)
{
	struct hot_row *r = hot_rows_find(b, offset, type);

	r->value = b->guard ? blend(b, r, value) : value;
	r->dirty = true;
}

void hot_rows_store(struct hot_build *b, struct hot_row *r)
{
	LLVMTypeRef type = llvm_type(b, r->type);
	unsigned align = r->type == TYPE_PREDICATE ? 4 : 64;
	LLVMValueRef at = hot_field(b, b->base, r->offset), value;

	hot_rows_make_canonical(b, &r->value);
	value = LLVMBuildBitCast(b->builder, r->value.llvm, type, "");
	if (b->mask && r->type == TYPE_PREDICATE) {
		LLVMValueRef off = LLVMBuildNot(b->builder, b->mask, "");

		value = LLVMBuildOr(b->builder, LLVMBuildAnd(b->builder, value, b->mask, ""),
				    LLVMBuildAnd(b->builder, load(b, type, at, align), off, ""),
				    "");
	} else if (b->mask) {
		value = hot_choose(b, b->lanes, value, load(b, type, at, align));
	}
	LLVMSetAlignment(LLVMBuildStore(b->builder, value, at), align);
	r->dirty = false;
}

void hot_rows_flush(struct hot_build *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (b->rows[i].dirty)
			hot_rows_store(b, &b->rows[i]);
}

/*
 * A loose value may be made canonical here though it was no float before the first round: if its
 * bits were seen in the loop it would not go round raw, and each round writes it before it ends.
 */
void hot_rows_store_aside(struct hot_build *b, struct hot_row *r)
{
	struct hot_value known = r->value;
	bool dirty = r->dirty;

	r->value.loose = false;
	hot_rows_store(b, r);
	r->value = known;
	r->dirty = dirty;
}

void hot_rows_flush_aside(struct hot_build *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (b->rows[i].dirty)
			hot_rows_store_aside(b, &b->rows[i]);
}

static void forget(struct hot_build *b, const struct op *o)
{
	const uint32_t touched[] = { o->d, o->x[0], o->x[1], o->x[2], 0 };

	for (uint32_t i = 0; i < b->count; i++)
		for (unsigned k = 0; k < sizeof(touched) / sizeof(touched[0]); k++)
			if (b->rows[i].offset == touched[k])
				b->rows[i].value = (struct hot_value){ 0 };
}

void hot_rows_forget(struct hot_build *b, const struct op *o)
{
	forget(b, o);
	if (o->id == OP_guard || o->id == OP_guard_not || o->id == OP_mode)
		forget(b, o + 1);
}
