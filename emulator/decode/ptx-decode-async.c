/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous copies and mbarrier objects (PTX ISA 9.7.9.25, 9.7.13.15), and clusters of one
 * block. A copy is done when its instruction runs, which the ISA allows, so commits and waits for
 * groups have nothing to do.
 */
#include "emulator/decode/ptx-decode.h"

#include <string.h>

struct ref decode_address_row(struct decoder *d, const struct ptx_operand *o, enum ptx_space space)
{
	struct address a;
	struct ref row, wide;

	if (decode_address_in(d, o, space, &a))
		return REF_NOTHING;
	row = a.row;
	if (a.flags & OP_ADDRESS_32) {
		wide = decode_temporary(d, PTX_CLASS_64);
		decode_emit_op(d, OP_cvt_u64_u32, wide, row, REF_NOTHING, REF_NOTHING);
		row = wide;
	}
	if (a.offset) {
		wide = decode_temporary(d, PTX_CLASS_64);
		decode_emit_op(d, OP_add_u64, wide, row, decode_value(d, (uint64_t)a.offset, true),
			       REF_NOTHING);
		row = wide;
	}
	return row;
}

/* An operand that is a 32-bit number or, where copies may be ignored, a predicate. */
static struct ref size_source(struct decoder *d, const struct ptx_operand *o, uint32_t bytes)
{
	bool predicate = o->kind == PTX_OPERAND_REGISTER &&
			 d->registers[o->index].class == PTX_CLASS_PREDICATE;
	struct ref t;

	if (!predicate)
		return decode_source(d, o, TYPE_u32);
	t = decode_temporary(d, PTX_CLASS_32);
	decode_emit_op(d, OP_selp_b32, t, decode_value(d, 0, false), decode_value(d, bytes, false),
		       decode_source(d, o, TYPE_p));
	return t;
}

static int decode_cp_async(struct decoder *d, const struct ptx_instruction *in)
{
	struct ref to, from, exists;
	const struct ptx_operand *size = &in->operands[2], *more = &in->operands[3];
	bool policy = in->operand_count > 3 && more->kind == PTX_OPERAND_REGISTER &&
		      d->registers[more->index].class == PTX_CLASS_64;

	if (in->operand_count < 3 || size->kind != PTX_OPERAND_INTEGER ||
	    (size->value != 4 && size->value != 8 && size->value != 16))
		return decode_unknown(d, "cp.async copies 4, 8 or 16 bytes");
	to = decode_address_row(d, &in->operands[0], PTX_SPACE_SHARED);
	from = decode_address_row(d, &in->operands[1], PTX_SPACE_GLOBAL);
	exists = in->operand_count > 3 && !policy ? size_source(d, more, (uint32_t)size->value)
						  : decode_value(d, size->value, false);
	if (d->problem[0])
		return -1;
	decode_emit_op(d, OP_cp_async, REF_NOTHING, to, from, exists)->imm = (int64_t)size->value;
	return 0;
}

/* cp.async.bulk between shared and global memory, without tensor maps */
static int decode_cp_bulk(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool stores = f->count > 2 && !strcmp(f->modifiers[2], "global");
	bool counts = form_has(f, "mbarrier::complete_tx::bytes");
	struct ref to, from, size, barrier = REF_NOTHING;
	struct draft *draft;

	if (form_has(f, "tensor") || form_has(f, "prefetch") ||
	    in->operand_count < (counts ? 4 : 3))
		return decode_unknown(d, "cp.async.bulk of this shape is not emulated");
	to = decode_address_row(d, &in->operands[0], stores ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED);
	from = decode_address_row(d, &in->operands[1],
				  stores ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL);
	size = decode_source(d, &in->operands[2], TYPE_u32);
	if (counts)
		barrier = decode_address_row(d, &in->operands[3], PTX_SPACE_SHARED);
	if (d->problem[0])
		return -1;
	draft = decode_emit_op(d, OP_cp_bulk, REF_NOTHING, to, from, size);
	draft->slot[SLOT_X0] = counts ? barrier : (struct ref){ PTX_NO_OPERAND, REF_RAW };
	draft->imm = stores;
	return 0;
}

static struct draft *emit_mbarrier(struct decoder *d, enum mbarrier_what what, struct ref address,
				   struct ref operand, enum ptx_space space)
{
	struct draft *to =
		decode_emit_op(d, OP_mbarrier, REF_NOTHING, address, operand, REF_NOTHING);

	to->flags = (uint16_t)what;
	to->slot[SLOT_X0] = (struct ref){ (uint32_t)space, REF_RAW };
	to->slot[SLOT_X1] = (struct ref){ PTX_NO_OPERAND, REF_RAW };
	return to;
}

int decode_cp(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	struct ref address;

	if (f->count < 2 || strcmp(f->modifiers[0], "async"))
		return decode_unknown(d, "a copy of this kind is not emulated");
	if (form_has(f, "commit_group") || form_has(f, "wait_group") || form_has(f, "wait_all")) {
		decode_emit(d, OP_nop);
		return 0;
	}
	if (form_has(f, "bulk"))
		return decode_cp_bulk(d, in, f);
	if (!form_has(f, "mbarrier"))
		return decode_cp_async(d, in);
	/* Without .noinc the object first expects one arrival more, which is then made: nothing
	 * changes. */
	address = in->operand_count ? decode_address_row(d, &in->operands[0], form_space(f))
				    : REF_NOTHING;
	if (d->problem[0] || !in->operand_count)
		return decode_unknown(d, "too few operands");
	if (form_has(f, "noinc"))
		emit_mbarrier(d, MBARRIER_ARRIVE, address, decode_value(d, 1, false),
			      form_space(f));
	else
		decode_emit(d, OP_nop);
	return 0;
}

/* state, [address]{, count}: the state may be _ or missing */
static int decode_arrive(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	const struct ptx_operand *o = in->operands, *end = o + in->operand_count;
	bool expects = form_has(f, "expect_tx");
	struct ref address, count, state = { PTX_NO_OPERAND, REF_RAW };
	struct draft *to;

	if (o < end && o->kind != PTX_OPERAND_ADDRESS) {
		if (o->kind != PTX_OPERAND_SINK)
			state = decode_dest(d, o, TYPE_u64);
		o++;
	}
	if (o == end || (expects && o + 1 == end))
		return decode_unknown(d, "too few operands");
	address = decode_address_row(d, o++, form_space(f));
	count = o < end ? decode_source(d, o, TYPE_u32) : decode_value(d, 1, false);
	if (d->problem[0])
		return -1;
	if (expects)
		emit_mbarrier(d, MBARRIER_EXPECT, address, count, form_space(f));
	to = emit_mbarrier(d, form_has(f, "arrive_drop") ? MBARRIER_DROP : MBARRIER_ARRIVE, address,
			   expects ? decode_value(d, 1, false) : count, form_space(f));
	to->slot[SLOT_X1] = state;
	if (state.kind == REF_REGISTER)
		to->defines |= 1 << SLOT_X1;
	return 0;
}

static int decode_wait(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool parity = form_has(f, "parity");
	struct ref dest, address, state;
	struct draft *to;

	if (in->operand_count < 3)
		return decode_unknown(d, "too few operands");
	dest = decode_dest(d, &in->operands[0], TYPE_p);
	address = decode_address_row(d, &in->operands[1], form_space(f));
	state = decode_source(d, &in->operands[2], parity ? TYPE_u32 : TYPE_u64);
	if (d->problem[0])
		return -1;
	to = emit_mbarrier(d, parity ? MBARRIER_TEST_PARITY : MBARRIER_TEST, address, state,
			   form_space(f));
	to->slot[SLOT_X1] = dest;
	to->defines |= 1 << SLOT_X1;
	return 0;
}

static int decode_pending(struct decoder *d, const struct ptx_instruction *in)
{
	struct ref low = decode_temporary(d, PTX_CLASS_32), state, dest;

	if (in->operand_count != 2)
		return decode_unknown(d, "too few operands");
	state = decode_source(d, &in->operands[1], TYPE_u64);
	dest = decode_dest(d, &in->operands[0], TYPE_u32);
	decode_emit_op(d, OP_low_b32, low, state, REF_NOTHING, REF_NOTHING);
	decode_emit_op(d, OP_and_b32, dest, low, decode_value(d, 0xfffff, false), REF_NOTHING);
	return 0;
}

int decode_mbarrier(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	const char *what = f->count ? f->modifiers[0] : "";
	struct ref address, count;
	enum mbarrier_what id;

	if (!strcmp(what, "arrive") || !strcmp(what, "arrive_drop"))
		return decode_arrive(d, in, f);
	if (!strcmp(what, "test_wait") || !strcmp(what, "try_wait"))
		return decode_wait(d, in, f);
	if (!strcmp(what, "pending_count"))
		return decode_pending(d, in);
	if (!strcmp(what, "init"))
		id = MBARRIER_INIT;
	else if (!strcmp(what, "inval"))
		id = MBARRIER_INVAL;
	else if (!strcmp(what, "expect_tx"))
		id = MBARRIER_EXPECT;
	else if (!strcmp(what, "complete_tx"))
		id = MBARRIER_COMPLETE;
	else
		return decode_unknown(d, "no such operation in this emulator");
	if (in->operand_count < (id == MBARRIER_INVAL ? 1 : 2))
		return decode_unknown(d, "too few operands");
	address = decode_address_row(d, &in->operands[0], form_space(f));
	count = id == MBARRIER_INVAL ? decode_value(d, 0, false)
				     : decode_source(d, &in->operands[1], TYPE_u32);
	if (d->problem[0])
		return -1;
	emit_mbarrier(d, id, address, count, form_space(f));
	return 0;
}

/* A cluster is one block: an address of its first member is the block's own, and every rank is 0.
 */
int decode_mapa(struct decoder *d, const struct ptx_instruction *in, const struct form *f)
{
	bool rank = !strcmp(f->opcode, "getctarank");
	enum lane_type type = rank ? TYPE_u32 : form_last_type(f);
	struct ref source, dest;

	if (in->operand_count < 2 || type == TYPE__)
		return decode_unknown(d, "too few operands");
	source = rank ? decode_value(d, 0, false) : decode_source(d, &in->operands[1], type);
	dest = decode_dest(d, &in->operands[0], type);
	if (d->problem[0])
		return -1;
	decode_emit_op(d, type_size(type) == 8 ? OP_mov_b64 : OP_mov_b32, dest, source, REF_NOTHING,
		       REF_NOTHING);
	return 0;
}
