/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fewer operations for the same work, on drafts, before rows are given:
 *
 *	mul.wide d, a, b;  add e, x, d         becomes  mad.wide e, a, b, x
 *	add d, x, 16;      ld r, [d+4]         becomes  ld r, [x+20]
 *	@p bra L; bra M; L:                    becomes  @!p bra M
 *
 * and what nobody reads is left out. Both operations stand in one basic block and nothing between
 * them changes what the later one reads in place of the earlier one's result, so each lane computes
 * what it did. Addresses of accesses, and the PTX instructions they are blamed on, stay the same.
 * Operations behind `guard` or `mode` belong to these and are left alone.
 *
 * LLVM's back end for PTX cannot turn a condition round, and ends many a loop in two branches. One
 * that ends in a branch to its first operation is a loop for the compiler of hot code, too.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SHARERS 2 /* readers of a product that are worth a multiplication each */

struct peephole {
	struct decoder *d;
	uint8_t *leader, *target;
	uint32_t *uses;    /* register -> operands that read it */
	uint32_t *written; /* register -> last draft that writes it, + 1 */
	uint32_t block;    /* first draft of the current basic block */
};

/* The next operation runs inside this one. */
static bool leads(const struct draft *t)
{
	return t->id == OP_mode || t->id == OP_guard || t->id == OP_guard_not;
}

static bool stands_alone(const struct decoder *d, uint32_t i)
{
	return !d->drafts[i].partial && !(i && leads(&d->drafts[i - 1]));
}

static void count_use(struct peephole *p, struct ref r, int by)
{
	if (r.kind == REF_REGISTER)
		p->uses[r.index] += (uint32_t)by;
}

static void count_uses(struct peephole *p)
{
	for (uint32_t i = 0; i < p->d->draft_count; i++)
		for (int s = 0; s < SLOTS; s++)
			if (!(p->d->drafts[i].defines >> s & 1))
				count_use(p, p->d->drafts[i].slot[s], 1);
}

/* The operation in this block that the value comes from; NULL when there is none that could be
 * taken in. */
static const struct draft *origin(const struct peephole *p, struct ref r)
{
	uint32_t at = r.kind == REF_REGISTER ? p->written[r.index] : 0;

	if (!at-- || at < p->block || !stands_alone(p->d, at))
		return NULL;
	return &p->d->drafts[at];
}

/* Is the operand still what it was when `from` ran? */
static bool unchanged(const struct peephole *p, struct ref r, const struct draft *from)
{
	return r.kind == REF_CONSTANT ||
	       (r.kind == REF_REGISTER && p->written[r.index] <= (uint32_t)(from - p->d->drafts));
}

static void replace(struct peephole *p, struct draft *t, enum draft_slot s, struct ref with)
{
	count_use(p, t->slot[s], -1);
	t->slot[s] = with;
	count_use(p, with, 1);
}

/* t is 64-bit add with a product as operand s. */
static bool take_in_product(struct peephole *p, struct draft *t, enum draft_slot s)
{
	const struct draft *m = origin(p, t->slot[s]);
	struct ref other = t->slot[s == SLOT_A ? SLOT_B : SLOT_A];

	if (!m || (m->id != OP_mul_wide_s32 && m->id != OP_mul_wide_u32) ||
	    p->uses[t->slot[s].index] > MAX_SHARERS || !unchanged(p, m->slot[SLOT_A], m) ||
	    !unchanged(p, m->slot[SLOT_B], m))
		return false;
	t->id = m->id == OP_mul_wide_s32 ? OP_mad_wide_s32 : OP_mad_wide_u32;
	replace(p, t, SLOT_C, other);
	replace(p, t, SLOT_A, m->slot[SLOT_A]);
	replace(p, t, SLOT_B, m->slot[SLOT_B]);
	return true;
}

static bool is_value(const struct decoder *d, struct ref r)
{
	return r.kind == REF_CONSTANT && d->constants[r.index].kind == PTX_CONSTANT_VALUE;
}

/* t is a load or store whose address comes from an addition of a constant. */
static bool take_in_offset(struct peephole *p, struct draft *t)
{
	const struct draft *m = origin(p, t->slot[SLOT_A]);
	bool narrow = t->flags & OP_ADDRESS_32;
	enum draft_slot base;
	uint64_t value;

	if (!m || (narrow ? m->id != OP_add_s32 && m->id != OP_add_u32
			  : m->id != OP_add_s64 && m->id != OP_add_u64))
		return false;
	if (!is_value(p->d, m->slot[SLOT_A]) && !is_value(p->d, m->slot[SLOT_B]))
		return false;
	base = is_value(p->d, m->slot[SLOT_B]) ? SLOT_A : SLOT_B;
	if (!unchanged(p, m->slot[base], m))
		return false;
	value = p->d->constants[m->slot[base == SLOT_A ? SLOT_B : SLOT_A].index].value;
	t->imm = (int64_t)((uint64_t)t->imm + (narrow ? (uint64_t)(int32_t)value : value));
	replace(p, t, SLOT_A, m->slot[base]);
	return true;
}

/* target[i]: how a draft is reached other than from the one before it. */
static void mark_targets(const struct decoder *d, uint8_t *target)
{
	for (uint32_t i = 0; i < d->draft_count; i++) {
		const struct draft *t = &d->drafts[i];

		if (t->jumps)
			target[d->first_draft[t->imm]] = 1;
		for (uint32_t k = 0; t->targets && k < t->target_count; k++)
			target[d->first_draft[t->targets[k]]] = 1;
	}
}

/* The branch over another one goes where that goes, under the opposite condition. */
static void turn_branches(struct peephole *p, uint8_t *dead)
{
	struct decoder *d = p->d;

	for (uint32_t i = 0; i + 2 < d->draft_count; i++) {
		struct draft *over = &d->drafts[i], *next = &d->drafts[i + 1];

		if ((over->id != OP_bra_if && over->id != OP_bra_unless) || next->id != OP_bra ||
		    p->target[i + 1] || d->first_draft[over->imm] != i + 2)
			continue;
		over->id = over->id == OP_bra_if ? OP_bra_unless : OP_bra_if;
		over->imm = next->imm;
		dead[i + 1] = 1;
	}
}

static bool has_offset(const struct draft *t)
{
	return t->id >= OP_ld_global_u8 && t->id <= OP_st_local_b32v4;
}

static void take_in(struct peephole *p)
{
	struct decoder *d = p->d;

	for (uint32_t i = 0; i < d->draft_count; i++) {
		struct draft *t = &d->drafts[i];

		if (p->leader[i])
			p->block = i;
		if (stands_alone(d, i) && (t->id == OP_add_s64 || t->id == OP_add_u64) &&
		    !take_in_product(p, t, SLOT_B))
			take_in_product(p, t, SLOT_A);
		if (stands_alone(d, i) && has_offset(t))
			while (take_in_offset(p, t))
				;
		for (int s = 0; s < SLOTS; s++)
			if (t->slot[s].kind == REF_REGISTER && t->defines >> s & 1)
				p->written[t->slot[s].index] = i + 1;
	}
}

/* Nobody would miss it: its only effect is on a register that is not read. */
static bool is_dead(const struct peephole *p, uint32_t i)
{
	const struct draft *t = &p->d->drafts[i];
	bool copy = t->id == OP_mov_b32 || t->id == OP_mov_b64;

	return (copy || (!p->d->module->plain && op_table[t->id].shape != SHAPE_HAND)) &&
	       stands_alone(p->d, i) && t->defines == 1 << SLOT_D &&
	       t->slot[SLOT_D].kind == REF_REGISTER && !p->uses[t->slot[SLOT_D].index];
}

/* Backwards, since what a dead operation reads may be dead then, too. */
static void mark_dead(struct peephole *p, uint8_t *dead)
{
	for (uint32_t i = p->d->draft_count; i-- > 0;) {
		dead[i] |= is_dead(p, i);
		for (int s = 0; dead[i] && s < SLOTS; s++)
			if (s != SLOT_D)
				count_use(p, p->d->drafts[i].slot[s], -1);
	}
}

static void drop(struct decoder *d, const uint8_t *dead, uint32_t *moved)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < d->draft_count; i++) {
		moved[i] = kept;
		if (!dead[i])
			d->drafts[kept++] = d->drafts[i];
	}
	moved[d->draft_count] = kept;
	for (uint32_t i = 0; i <= d->body->instruction_count; i++)
		d->first_draft[i] = moved[d->first_draft[i]];
	d->draft_count = kept;
}

int ptx_peephole(struct decoder *d)
{
	struct peephole p = { .d = d };
	uint8_t *dead = calloc(d->draft_count + 1, 1);
	uint32_t *moved = calloc(d->draft_count + 1, sizeof(*moved));

	p.leader = calloc(d->draft_count + 2, 1);
	p.target = calloc(d->draft_count + 2, 1);
	p.uses = calloc(d->register_count + 1, sizeof(*p.uses));
	p.written = calloc(d->register_count + 1, sizeof(*p.written));
	if (dead && moved && p.leader && p.target && p.uses && p.written) {
		ptx_mark_leaders(d, p.leader);
		count_uses(&p);
		if (!d->module->plain) {
			mark_targets(d, p.target);
			turn_branches(&p, dead);
			take_in(&p);
		}
		mark_dead(&p, dead);
		drop(d, dead, moved);
	} else {
		d->out_of_memory = true;
	}
	free(dead);
	free(moved);
	free(p.leader);
	free(p.target);
	free(p.uses);
	free(p.written);
	return d->out_of_memory ? -1 : 0;
}
