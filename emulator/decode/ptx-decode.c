/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From syntax to operations: for each PTX instruction the family's decoder appends drafts; then
 * rows are allocated and the final array is written. An instruction that cannot be decoded becomes
 * an operation that faults when it is reached, so that code never run does no harm.
 *
 * Plain copies (mov, cvta of global memory) to a register written once disappear: readers are bound
 * to the original, when that is a constant or is written once and outside of loops, so that it
 * stays what it was when it was copied.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/error.h"
#include "emulator/hot/hot.h"

const struct op_info op_table[OP_COUNT] = {
#define OP(family, name, form, shape, D, A, B, C, ...)                                             \
	[OP_##name] = { form, SHAPE_##shape, { TYPE_##D, TYPE_##A, TYPE_##B, TYPE_##C } },
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
};

#define FORM_HASH 4096

static uint16_t form_hash[FORM_HASH];
static pthread_once_t form_once = PTHREAD_ONCE_INIT;

static uint32_t hash_text(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return h ^ h >> 15;
}

static void fill_form_hash(void)
{
	for (unsigned id = 0; id < OP_COUNT; id++) {
		uint32_t i = hash_text(op_table[id].form) % FORM_HASH;

		while (form_hash[i])
			i = (i + 1) % FORM_HASH;
		form_hash[i] = (uint16_t)(id + 1);
	}
}

enum ptx_op op_find(const char *form)
{
	uint32_t i;

	pthread_once(&form_once, fill_form_hash);
	for (i = hash_text(form) % FORM_HASH; form_hash[i]; i = (i + 1) % FORM_HASH)
		if (!strcmp(op_table[form_hash[i] - 1].form, form))
			return (enum ptx_op)(form_hash[i] - 1);
	return OP_COUNT;
}

struct draft *decode_emit(struct decoder *d, enum ptx_op id)
{
	static struct draft nowhere;
	struct draft *to;

	if (!ARRAY_ROOM(d->drafts, d->draft_count, &d->draft_cap)) {
		d->out_of_memory = true;
		return &nowhere;
	}
	to = &d->drafts[d->draft_count++];
	memset(to, 0, sizeof(*to));
	to->id = (uint16_t)id;
	to->source = d->current;
	return to;
}

struct draft *decode_emit_op(struct decoder *d, enum ptx_op id, struct ref dest, struct ref a,
			     struct ref b, struct ref c)
{
	struct draft *to = decode_emit(d, id);

	to->slot[SLOT_D] = dest;
	to->slot[SLOT_A] = a;
	to->slot[SLOT_B] = b;
	to->slot[SLOT_C] = c;
	to->defines = dest.kind == REF_REGISTER ? 1 << SLOT_D : 0;
	return to;
}

int ptx_insert(struct decoder *d, const uint8_t *before, enum ptx_op id)
{
	uint32_t from = d->draft_count, to = from, last = d->body->instruction_count + 1;

	for (uint32_t i = 0; i < from; i++)
		to += before[i];
	for (uint32_t i = from; i < to && !d->out_of_memory; i++)
		d->out_of_memory = !ARRAY_ROOM(d->drafts, i, &d->draft_cap);
	if (d->out_of_memory)
		return -1;
	d->draft_count = to;
	while (from-- > 0) {
		d->drafts[--to] = d->drafts[from];
		if (before[from])
			d->drafts[--to] = (struct draft){ .id = (uint16_t)id,
							  .source = d->drafts[from].source };
		while (last > 0 && d->first_draft[last - 1] == from)
			d->first_draft[--last] = to;
	}
	return 0;
}

int decode_unknown(struct decoder *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!d->problem[0])
		vsnprintf(d->problem, sizeof(d->problem), fmt, ap);
	va_end(ap);
	return -1;
}

struct ref decode_temporary(struct decoder *d, enum ptx_register_class class)
{
	if (!ARRAY_ROOM(d->registers, d->register_count, &d->register_cap)) {
		d->out_of_memory = true;
		return REF_NOTHING;
	}
	d->registers[d->register_count] = (struct ptx_register){
		.class = (uint8_t)class,
		.bits = class == PTX_CLASS_64   ? 64
			: class == PTX_CLASS_32 ? 32
						: 1,
	};
	return (struct ref){ d->register_count++, REF_REGISTER };
}

static bool same_constant(const struct ptx_constant *a, const struct ptx_constant *b)
{
	return a->kind == b->kind && a->value == b->value && a->wide == b->wide &&
	       a->load == b->load;
}

static int grow_constant_hash(struct decoder *d)
{
	uint32_t cap = d->constant_hash_cap ? d->constant_hash_cap * 2 : 128;
	uint32_t *table = calloc(cap, sizeof(*table));

	if (!table)
		return -1;
	for (uint32_t i = 0; i < d->constant_count; i++) {
		uint32_t k = (uint32_t)(d->constants[i].value * 0x9e3779b97f4a7c15ull >> 40) % cap;

		while (table[k])
			k = (k + 1) % cap;
		table[k] = i + 1;
	}
	free(d->constant_hash);
	d->constant_hash = table;
	d->constant_hash_cap = cap;
	return 0;
}

struct ref decode_constant(struct decoder *d, struct ptx_constant c)
{
	uint32_t k;

	if (d->constant_count * 2 >= d->constant_hash_cap && grow_constant_hash(d)) {
		d->out_of_memory = true;
		return REF_NOTHING;
	}
	k = (uint32_t)(c.value * 0x9e3779b97f4a7c15ull >> 40) % d->constant_hash_cap;
	for (; d->constant_hash[k]; k = (k + 1) % d->constant_hash_cap)
		if (same_constant(&d->constants[d->constant_hash[k] - 1], &c))
			return (struct ref){ d->constant_hash[k] - 1, REF_CONSTANT };
	if (!ARRAY_ROOM(d->constants, d->constant_count, &d->constant_cap)) {
		d->out_of_memory = true;
		return REF_NOTHING;
	}
	d->constants[d->constant_count++] = c;
	d->constant_hash[k] = d->constant_count;
	return (struct ref){ d->constant_count - 1, REF_CONSTANT };
}

struct ref decode_value(struct decoder *d, uint64_t value, bool wide)
{
	return decode_constant(d, (struct ptx_constant){ .kind = PTX_CONSTANT_VALUE,
							 .wide = wide,
							 .value = wide ? value : (uint32_t)value });
}

static const struct {
	const char *name;
	uint16_t special; /* enum ptx_special, or an operation + SPECIAL_OP */
} specials[] = {
#define SPECIAL_OP 0x1000
	{ "%tid.x", PTX_SPECIAL_TID_X },
	{ "%tid.y", PTX_SPECIAL_TID_Y },
	{ "%tid.z", PTX_SPECIAL_TID_Z },
	{ "%ntid.x", PTX_SPECIAL_NTID_X },
	{ "%ntid.y", PTX_SPECIAL_NTID_Y },
	{ "%ntid.z", PTX_SPECIAL_NTID_Z },
	{ "%ctaid.x", PTX_SPECIAL_CTAID_X },
	{ "%ctaid.y", PTX_SPECIAL_CTAID_Y },
	{ "%ctaid.z", PTX_SPECIAL_CTAID_Z },
	{ "%nctaid.x", PTX_SPECIAL_NCTAID_X },
	{ "%nctaid.y", PTX_SPECIAL_NCTAID_Y },
	{ "%nctaid.z", PTX_SPECIAL_NCTAID_Z },
	{ "%laneid", PTX_SPECIAL_LANEID },
	{ "%warpid", PTX_SPECIAL_WARPID },
	{ "%nwarpid", PTX_SPECIAL_NWARPID },
	{ "%lanemask_eq", PTX_SPECIAL_LANEMASK_EQ },
	{ "%lanemask_le", PTX_SPECIAL_LANEMASK_LE },
	{ "%lanemask_lt", PTX_SPECIAL_LANEMASK_LT },
	{ "%lanemask_ge", PTX_SPECIAL_LANEMASK_GE },
	{ "%lanemask_gt", PTX_SPECIAL_LANEMASK_GT },
	{ "%smid", PTX_SPECIAL_SMID },
	{ "%nsmid", PTX_SPECIAL_NSMID },
	{ "%gridid", PTX_SPECIAL_GRIDID },
	{ "%envreg1", PTX_SPECIAL_ENVREG1 },
	{ "%envreg2", PTX_SPECIAL_ENVREG2 },
	{ "%dynamic_smem_size", PTX_SPECIAL_DYNAMIC_SMEM_SIZE },
	{ "%total_smem_size", PTX_SPECIAL_TOTAL_SMEM_SIZE },
	{ "%clusterid.x", PTX_SPECIAL_CTAID_X },
	{ "%clusterid.y", PTX_SPECIAL_CTAID_Y },
	{ "%clusterid.z", PTX_SPECIAL_CTAID_Z },
	{ "%nclusterid.x", PTX_SPECIAL_NCTAID_X },
	{ "%nclusterid.y", PTX_SPECIAL_NCTAID_Y },
	{ "%nclusterid.z", PTX_SPECIAL_NCTAID_Z },
	{ "%cluster_ctaid.x", PTX_SPECIAL_ZERO },
	{ "%cluster_ctaid.y", PTX_SPECIAL_ZERO },
	{ "%cluster_ctaid.z", PTX_SPECIAL_ZERO },
	{ "%cluster_ctarank", PTX_SPECIAL_ZERO },
	{ "%cluster_nctaid.x", PTX_SPECIAL_ONE },
	{ "%cluster_nctaid.y", PTX_SPECIAL_ONE },
	{ "%cluster_nctaid.z", PTX_SPECIAL_ONE },
	{ "%cluster_nctarank", PTX_SPECIAL_ONE },
	{ "%clock", SPECIAL_OP + OP_clock32 },
	{ "%clock64", SPECIAL_OP + OP_clock64 },
	{ "%globaltimer", SPECIAL_OP + OP_globaltimer },
	{ "%globaltimer_lo", SPECIAL_OP + OP_globaltimer_lo },
	{ "%globaltimer_hi", SPECIAL_OP + OP_globaltimer_hi },
};

static struct ref special_source(struct decoder *d, const struct ptx_operand *o, bool wide)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		uint16_t s = specials[i].special;
		bool clock_wide = s == SPECIAL_OP + OP_clock64 || s == SPECIAL_OP + OP_globaltimer;
		struct ref t;

		if (strcmp(specials[i].name, o->name))
			continue;
		if (s < SPECIAL_OP)
			return decode_constant(
				d, (struct ptx_constant){ .kind = PTX_CONSTANT_SPECIAL,
							  .wide = wide,
							  .value = s,
							  .per_cta = (s >= PTX_SPECIAL_CTAID_X &&
								      s <= PTX_SPECIAL_CTAID_Z) ||
								     s == PTX_SPECIAL_SMID });
		if (clock_wide != wide)
			break;
		t = decode_temporary(d, wide ? PTX_CLASS_64 : PTX_CLASS_32);
		decode_emit_op(d, (enum ptx_op)(s - SPECIAL_OP), t, REF_NOTHING, REF_NOTHING,
			       REF_NOTHING);
		return t;
	}
	decode_unknown(d, "special register %s is not emulated", o->name);
	return REF_NOTHING;
}

/* The address of a name as its state space has it: global and const generic, shared and local as
 * offsets. */
static struct ref symbol_source(struct decoder *d, const struct ptx_operand *o, bool wide)
{
	const struct ptx_variable *v;
	const struct ptx_function *f;

	if (o->kind == PTX_OPERAND_VARIABLE) {
		const struct ptx_body_variable *b = &d->body->variables[o->index];

		switch (b->space) {
		case PTX_SPACE_LOCAL:
			return decode_constant(
				d, (struct ptx_constant){ .kind = PTX_CONSTANT_LOCAL,
							  .wide = wide,
							  .value = b->offset + o->value });
		case PTX_SPACE_SHARED:
			return decode_value(d, b->offset + o->value, wide);
		default:
			return decode_value(
				d,
				MACHINE_PARAM_WINDOW +
					(d->function->is_entry && o->index < d->body->formal_count
						 ? 0
						 : 0x1000000) +
					b->offset + o->value,
				wide);
		}
	}
	if (!strcmp(o->name, "WARP_SZ"))
		return decode_value(d, LANES, wide);
	v = ptx_module_variable(d->module, o->name);
	if (v && v->space == PTX_SPACE_SHARED && v->is_extern)
		return decode_constant(d,
				       (struct ptx_constant){ .kind = PTX_CONSTANT_DYNAMIC_SHARED,
							      .wide = wide,
							      .value = o->value });
	if (v && (v->address || v->space == PTX_SPACE_SHARED))
		return decode_value(d, v->address + o->value, wide);
	f = ptx_module_function(d->module, o->name);
	if (f && f->code_address)
		return decode_value(d, f->code_address, wide);
	decode_unknown(d, v ? "variable `%s` has no address yet" : "`%s` is not defined", o->name);
	return REF_NOTHING;
}

unsigned type_size(enum lane_type t)
{
	switch (t) {
	case TYPE_u8:
	case TYPE_s8:
		return 1;
	case TYPE_u16:
	case TYPE_s16:
	case TYPE_f16:
	case TYPE_bf16:
		return 2;
	case TYPE_u64:
	case TYPE_s64:
	case TYPE_f64:
		return 8;
	case TYPE__:
	case TYPE_p:
		return 0;
	default:
		return 4;
	}
}

bool decode_is_wide(const struct decoder *d, struct ref r)
{
	if (r.kind == REF_REGISTER)
		return d->registers[r.index].class == PTX_CLASS_64;
	return r.kind == REF_CONSTANT && d->constants[r.index].wide;
}

static uint64_t float_bits(const struct ptx_operand *o, enum lane_type type)
{
	double v;
	float f;
	uint32_t bits;

	if (type == TYPE_f64 && o->single) {
		bits = (uint32_t)o->value;
		memcpy(&f, &bits, 4);
		v = f;
		return double_bits(v);
	}
	if ((type == TYPE_f32 || (type != TYPE_f64 && type_size(type) == 4)) && !o->single) {
		memcpy(&v, &o->value, 8);
		return bits_of((float)v);
	}
	return o->value;
}

static struct ref predicate_source(struct decoder *d, const struct ptx_operand *o)
{
	struct ref r = REF_NOTHING, t;

	if (o->kind == PTX_OPERAND_INTEGER)
		/* setp and its kind take no constants, but 0 and 1 stand where a predicate may be
		 * fixed. */
		return decode_constant(d, (struct ptx_constant){ .kind = PTX_CONSTANT_VALUE,
								 .value = o->value ? ~0u : 0 });
	if (o->kind != PTX_OPERAND_REGISTER ||
	    d->registers[o->index].class != PTX_CLASS_PREDICATE) {
		decode_unknown(d, "a predicate register expected");
		return r;
	}
	r = (struct ref){ o->index, REF_REGISTER };
	if (!o->negated)
		return r;
	t = decode_temporary(d, PTX_CLASS_PREDICATE);
	decode_emit_op(d, OP_not_pred, t, r, r, REF_NOTHING);
	return t;
}

struct ref decode_source(struct decoder *d, const struct ptx_operand *o, enum lane_type type)
{
	bool wide = type_size(type) == 8;

	if (type == TYPE_p)
		return predicate_source(d, o);
	switch (o->kind) {
	case PTX_OPERAND_REGISTER:
		if (d->registers[o->index].class == PTX_CLASS_PREDICATE ||
		    (d->registers[o->index].class == PTX_CLASS_64) != wide) {
			decode_unknown(d, "an operand register has the wrong size");
			return REF_NOTHING;
		}
		if (d->aliases[o->index].kind)
			return d->aliases[o->index];
		return (struct ref){ o->index, REF_REGISTER };
	case PTX_OPERAND_INTEGER:
		return decode_value(d, o->value, wide);
	case PTX_OPERAND_FLOAT:
		return decode_value(d, float_bits(o, type), wide);
	case PTX_OPERAND_SPECIAL:
		return special_source(d, o, wide);
	case PTX_OPERAND_SYMBOL:
	case PTX_OPERAND_VARIABLE:
		return symbol_source(d, o, wide);
	default:
		decode_unknown(d, "an operand of a kind that does not fit here");
		return REF_NOTHING;
	}
}

struct ref decode_dest(struct decoder *d, const struct ptx_operand *o, enum lane_type type)
{
	enum ptx_register_class class = type == TYPE_p         ? PTX_CLASS_PREDICATE
					: type_size(type) == 8 ? PTX_CLASS_64
							       : PTX_CLASS_32;

	if (o->kind == PTX_OPERAND_SINK)
		return decode_temporary(d, class);
	if (o->kind != PTX_OPERAND_REGISTER || d->registers[o->index].class != class) {
		decode_unknown(d, "the destination register has the wrong size");
		return REF_NOTHING;
	}
	return (struct ref){ o->index, REF_REGISTER };
}

static const struct {
	const char *opcode;
	decode_function *decode;
} families[] = {
	{ "mov", decode_mov },
	{ "ld", decode_ld },
	{ "ldu", decode_ld },
	{ "st", decode_st },
	{ "setp", decode_setp },
	{ "bra", decode_bra },
	{ "cvt", decode_cvt },
	{ "cvta", decode_cvta },
	{ "selp", decode_selp },
	{ "ret", decode_ret },
	{ "exit", decode_plain },
	{ "trap", decode_plain },
	{ "brkpt", decode_plain },
	{ "bar", decode_bar },
	{ "barrier", decode_bar },
	{ "atom", decode_atom },
	{ "red", decode_red },
	{ "shfl", decode_shfl },
	{ "vote", decode_vote },
	{ "match", decode_match },
	{ "redux", decode_redux },
	{ "activemask", decode_activemask },
	{ "elect", decode_elect },
	{ "membar", decode_fence },
	{ "fence", decode_fence },
	{ "call", decode_call },
	{ "brx", decode_brx },
	{ "nanosleep", decode_nanosleep },
	{ "prefetch", decode_nop },
	{ "prefetchu", decode_nop },
	{ "applypriority", decode_nop },
	{ "discard", decode_nop },
	{ "pmevent", decode_nop },
	{ "griddepcontrol", decode_nop },
	{ "createpolicy", decode_nop },
	{ "setmaxnreg", decode_nop },
	{ "set", decode_set },
	{ "lop3", decode_lop3 },
	{ "bfi", decode_bfi },
	{ "isspacep", decode_isspacep },
	{ "madc", decode_mad_carry },
	{ "mad", decode_mad_carry },
	{ "vabsdiff2", decode_video },
	{ "vabsdiff4", decode_video },
	{ "vadd2", decode_video },
	{ "vadd4", decode_video },
	{ "vsub2", decode_video },
	{ "vsub4", decode_video },
	{ "vmin2", decode_video },
	{ "vmin4", decode_video },
	{ "vmax2", decode_video },
	{ "vmax4", decode_video },
	{ "vavrg2", decode_video },
	{ "vavrg4", decode_video },
	{ "tex", decode_tex },
	{ "tld4", decode_tex },
	{ "txq", decode_image_query },
	{ "suq", decode_image_query },
	{ "suld", decode_surface },
	{ "sust", decode_surface },
	{ "sured", decode_surface },
	{ "wmma", decode_wmma },
	{ "mma", decode_mma },
	{ "ldmatrix", decode_ldmatrix },
	{ "stmatrix", decode_ldmatrix },
	{ "movmatrix", decode_movmatrix },
	{ "cp", decode_cp },
	{ "mbarrier", decode_mbarrier },
	{ "mapa", decode_mapa },
	{ "getctarank", decode_mapa },
	{ "alloca", decode_alloca },
	{ "stacksave", decode_alloca },
	{ "stackrestore", decode_alloca },
};

static decode_function *family_of(const char *opcode)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (!strcmp(families[i].opcode, opcode))
			return families[i].decode;
	return decode_alu;
}

static void take_form_apart(const struct ptx_instruction *in, struct form *f)
{
	char *at;
	size_t n = 0;

	/* A blank or comment may stand between the words. */
	for (size_t i = 0; i < in->form_len && n < sizeof(f->text) - 1; i++)
		if ((unsigned char)in->text[i] > ' ')
			f->text[n++] = in->text[i];
	f->text[n] = '\0';
	f->count = 0;
	f->opcode = f->text;
	for (at = strchr(f->text, '.'); at; at = strchr(at, '.')) {
		*at++ = '\0';
		if (f->count < FORM_MODIFIERS)
			f->modifiers[f->count++] = at;
	}
}

bool form_has(const struct form *f, const char *word)
{
	for (unsigned i = 0; i < f->count; i++)
		if (!strcmp(f->modifiers[i], word))
			return true;
	return false;
}

enum lane_type form_type(const char *word)
{
	static const struct {
		const char *name;
		enum lane_type type;
	} types[] = {
		{ "pred", TYPE_p },    { "b8", TYPE_u8 },     { "u8", TYPE_u8 },
		{ "s8", TYPE_s8 },     { "b16", TYPE_u16 },   { "u16", TYPE_u16 },
		{ "s16", TYPE_s16 },   { "f16", TYPE_f16 },   { "bf16", TYPE_bf16 },
		{ "b32", TYPE_u32 },   { "u32", TYPE_u32 },   { "s32", TYPE_s32 },
		{ "f32", TYPE_f32 },   { "f16x2", TYPE_u32 }, { "bf16x2", TYPE_u32 },
		{ "u16x2", TYPE_u32 }, { "s16x2", TYPE_u32 }, { "b64", TYPE_u64 },
		{ "u64", TYPE_u64 },   { "s64", TYPE_s64 },   { "f64", TYPE_f64 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, word))
			return types[i].type;
	return TYPE__;
}

enum lane_type form_last_type(const struct form *f)
{
	for (unsigned i = f->count; i-- > 0;)
		if (form_type(f->modifiers[i]) != TYPE__)
			return form_type(f->modifiers[i]);
	return TYPE__;
}

static void count_definitions(struct decoder *d, const struct ptx_operand *o, uint32_t instruction)
{
	if (o->kind == PTX_OPERAND_REGISTER) {
		d->definitions[o->index]++;
		d->defined_at[o->index] = instruction;
	} else if (o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR) {
		for (unsigned i = 0; i < o->count; i++)
			count_definitions(d, &o->elements[i], instruction);
	}
}

/* Never parks, splits, calls or ends lanes. */
static bool stays_in_line(const struct draft *t)
{
	return !t->jumps && !t->ends && !(t->id >= OP_shfl && t->id <= OP_elect) &&
	       !(t->id >= OP_bra && t->id <= OP_barrier);
}

/*
 * A guarded instruction: when it is one simple operation, that runs under a guard; else a branch
 * leads around it.
 */
static void apply_guard(struct decoder *d, const struct ptx_instruction *in, uint32_t start)
{
	struct draft *first;
	uint32_t made = d->draft_count - start - 1;

	first = &d->drafts[start];
	first->slot[SLOT_A] = (struct ref){ in->guard, REF_REGISTER };
	if (made == 1 && stays_in_line(&d->drafts[start + 1])) {
		first->id = in->guard_negated ? OP_guard_not : OP_guard;
		d->drafts[start + 1].partial = true;
		return;
	}
	first->id = in->guard_negated ? OP_bra_if : OP_bra_unless;
	first->jumps = true;
	first->imm = d->current + 1;
}

static void decode_instruction(struct decoder *d, const struct ptx_instruction *in)
{
	uint32_t start = d->draft_count;
	struct form f;
	int rc;

	take_form_apart(in, &f);
	d->problem[0] = '\0';
	if (in->guard != PTX_NONE && strcmp(f.opcode, "bra")) {
		decode_emit(d, OP_guard);
		if (d->registers[in->guard].class != PTX_CLASS_PREDICATE)
			decode_unknown(d, "the guard is no predicate register");
	}
	rc = family_of(f.opcode)(d, in, &f);
	if ((rc || d->problem[0]) && !d->out_of_memory) {
		struct ptx_call *why = mem_pool_alloc(&d->module->pool, sizeof(*why));

		d->draft_count = start;
		if (in->guard != PTX_NONE && strcmp(f.opcode, "bra"))
			decode_emit(d, OP_guard);
		if (why)
			why->name = mem_pool_strdup(&d->module->pool, d->problem);
		decode_emit(d, OP_unknown)->imm = (int64_t)(uintptr_t)why;
		d->drafts[d->draft_count - 1].ends = true;
	}
	if (in->guard != PTX_NONE && strcmp(f.opcode, "bra") && !d->out_of_memory)
		apply_guard(d, in, start);
}

static uint32_t resolve_ref(const struct decoder *d, const uint32_t *rows, struct ref r)
{
	if (r.kind == REF_REGISTER)
		return rows[r.index];
	if (r.kind == REF_CONSTANT)
		return d->constants[r.index].row;
	return r.kind == REF_RAW ? r.index : 0;
}

static void finish_op(struct decoder *d, const uint32_t *rows, const struct draft *from,
		      struct op *ops, struct op *to)
{
	const struct op_handlers *h = &machine_handlers()[from->id];
	uint32_t *fields[SLOTS] = {
		&to->d, &to->a, &to->b, &to->c, &to->x[0], &to->x[1], &to->x[2]
	};

	to->id = from->id;
	to->flags = from->flags;
	to->source = from->source;
	to->imm = from->imm;
	for (int i = 0; i < SLOTS; i++)
		*fields[i] = resolve_ref(d, rows, from->slot[i]);
	if (from->jumps) {
		to->target = ops + d->first_draft[from->imm];
		if (from->id == OP_bra && to->target <= to)
			to->id = OP_bra_back;
		h = &machine_handlers()[to->id];
	}
	if (from->targets) {
		uint32_t *list =
			mem_pool_array(&d->module->pool, from->target_count, sizeof(*list));

		if (!list) {
			d->out_of_memory = true;
			return;
		}
		for (uint32_t i = 0; i < from->target_count; i++)
			list[i] = d->first_draft[from->targets[i]];
		to->imm = (int64_t)(uintptr_t)list;
	}
	to->full = h->full;
	to->masked = h->masked;
	if ((from->id >= OP_ld_global_u8 && from->id <= OP_atom) ||
	    (from->id >= OP_matrix_load && from->id <= OP_mbarrier))
		to->cache = d->cache_count++;
}

static void list_formals(const struct ptx_body *b, uint32_t first, uint32_t count,
			 struct ptx_call_argument *to)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = (struct ptx_call_argument){ b->variables[first + i].offset,
						    b->variables[first + i].size };
}

static void list_constants(const struct decoder *d, struct ptx_program *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->constant_count; i++)
		if (d->constants[i].per_cta)
			p->constants[n++] = d->constants[i];
	p->cta_constant_count = n;
	for (uint32_t i = 0; i < d->constant_count; i++)
		if (!d->constants[i].per_cta)
			p->constants[n++] = d->constants[i];
}

static struct ptx_program *finish(struct decoder *d)
{
	struct mem_pool *pool = &d->module->pool;
	struct ptx_program *p = mem_pool_alloc(pool, sizeof(*p));
	uint32_t *rows = calloc(d->register_count + 1, sizeof(*rows));
	size_t op_bytes = ((size_t)d->draft_count + 1) * sizeof(struct op);
	struct ptx_program *done = NULL;

	if (!p || !rows || ptx_allocate(d, rows, &p->frame_bytes))
		goto out;
	p->ops = p->memory = aligned_alloc(64, (op_bytes + 63) / 64 * 64);
	p->constants = mem_pool_array(pool, d->constant_count + 1, sizeof(*p->constants));
	p->formals = mem_pool_array(pool, d->body->formal_count + 1, sizeof(*p->formals));
	p->returns = mem_pool_array(pool, d->body->return_count + 1, sizeof(*p->returns));
	if (!p->ops || !p->constants || !p->formals || !p->returns) {
		free(p->memory);
		goto out;
	}
	memset(p->ops, 0, op_bytes);
	for (uint32_t i = 0; i < d->draft_count; i++)
		finish_op(d, rows, &d->drafts[i], p->ops, &p->ops[i]);
	if (d->out_of_memory) {
		free(p->memory);
		goto out;
	}
	list_constants(d, p);
	p->op_count = d->draft_count;
	p->constant_count = d->constant_count;
	p->cache_count = d->cache_count;
	p->function = d->function;
	p->calls = d->calls;
	p->local_bytes = d->body->local_bytes;
	p->param_area =
		d->function->is_entry && !d->area ? 0 : (d->body->param_area + 15) / 16 * 16;
	p->formal_count = d->body->formal_count;
	p->return_count = d->body->return_count;
	list_formals(d->body, 0, p->formal_count, p->formals);
	list_formals(d->body, p->formal_count, p->return_count, p->returns);
	done = p;
out:
	free(rows);
	return done;
}

static void count_registers(struct decoder *d, const struct ptx_program *p)
{
	uint32_t rows = p->frame_bytes / (LANES * 4);

	d->function->registers = rows > 255 ? 255 : rows < 16 ? 16 : rows;
	d->function->local_size = p->local_bytes;
}

static int decode_body(struct decoder *d)
{
	struct ptx_body *b = d->body;

	for (uint32_t i = 0; i < b->instruction_count; i++) {
		const struct ptx_instruction *in = &b->instructions[i];
		bool stores = in->form_len >= 3 &&
			      (!memcmp(in->text, "st.", 3) || !memcmp(in->text, "red", 3));

		if (in->operand_count && !stores)
			count_definitions(d, &in->operands[0], i);
	}
	if (decode_find_loops(d))
		return -1;
	for (d->current = 0; d->current < b->instruction_count && !d->out_of_memory; d->current++) {
		d->first_draft[d->current] = d->draft_count;
		decode_instruction(d, &b->instructions[d->current]);
	}
	d->first_draft[b->instruction_count] = d->draft_count;
	d->current = b->instruction_count ? b->instruction_count - 1 : 0;
	/* A body may end without `ret`. */
	decode_emit(d, OP_ret)->ends = true;
	if (d->out_of_memory || ptx_peephole(d) || ptx_turns(d) || ptx_chains(d))
		return -1;
	__atomic_store_n(&b->program, finish(d), __ATOMIC_RELEASE);
	return b->program ? 0 : -1;
}

static int decode(struct ptx_function *f, struct error *err)
{
	struct decoder d = { .function = f, .body = f->body, .module = f->module, .err = err };
	int rc = -1;

	d.register_count = f->body->register_count;
	d.register_cap = d.register_count + 64;
	d.registers = malloc(d.register_cap * sizeof(*d.registers));
	d.definitions = calloc(d.register_count + 1, sizeof(*d.definitions));
	d.defined_at = calloc(d.register_count + 1, sizeof(*d.defined_at));
	d.repeats = calloc(f->body->instruction_count + 1, sizeof(*d.repeats));
	d.aliases = calloc(d.register_count + 1, sizeof(*d.aliases));
	d.first_draft = calloc(f->body->instruction_count + 2, sizeof(*d.first_draft));
	if (d.registers && d.definitions && d.defined_at && d.repeats && d.aliases &&
	    d.first_draft) {
		memcpy(d.registers, f->body->registers, d.register_count * sizeof(*d.registers));
		rc = decode_body(&d);
	}
	if (rc)
		error_set(err, ERROR_MEMORY, "out of memory while decoding `%s`", f->name);
	else
		count_registers(&d, f->body->program);
	free(d.registers);
	free(d.definitions);
	free(d.defined_at);
	free(d.repeats);
	free(d.aliases);
	free(d.first_draft);
	free(d.drafts);
	free(d.constants);
	free(d.constant_hash);
	return rc;
}

int ptx_function_prepare(struct ptx_function *f, struct error *err)
{
	int rc = 0;

	if (!f->has_body)
		return error_set(
			err, ERROR_NOT_FOUND,
			"function `%s` is declared .extern but no loaded module defines it",
			f->name);
	if (__atomic_load_n(&f->body->program, __ATOMIC_ACQUIRE))
		return 0;
	pthread_mutex_lock(&f->module->lock);
	if (!f->body->program)
		rc = decode(f, err);
	pthread_mutex_unlock(&f->module->lock);
	return rc;
}

void ptx_program_free(struct ptx_program *p)
{
	if (!p)
		return;
	hot_forget(p);
	free(p->memory);
}
