/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each name of a function has a set of what its value may be made of: bytes of parameters,
 * addresses in the text, and five facts. An instruction lets values flow from names to names; sets
 * grow along these flows until nothing changes, so the order of instructions, loops and predicates
 * need not be looked at. Then the addresses of all writes are.
 *
 * A pointer that comes out of memory may be any. Not so an index: it is multiplied, or it has less
 * than 64 bits. When such a value is put together or divided again it counts as a pointer.
 *
 * Functions that are called are followed with the entry's values; an unknown one, one that is
 * called through a pointer, and an instruction that is not in ptx-effects.def are the end of what
 * is known.
 */
#include "runtime/cuda/ptx/ptx-writes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "common/text/names.h"
#include "runtime/cuda/ptx/ptx-flow.h"

/* Facts about a value; bases follow. */
enum {
	MEMORY, /* 64 bits of it were read from memory */
	SCALED, /* the same, and then multiplied */
	PIECE,  /* it has less than 64 bits, or had */
	OWN, /* the address of what belongs to the thread, the cta, the device's heap, the module or
		the driver */
	PLACE, /* the address of a parameter */
	FACTS,
};

#define FACT(f) (1ull << (f))
#define ALL_FACTS (FACT(FACTS) - 1)

enum how {
	FLOW_COPY,
	FLOW_SCALE,
	FLOW_UNSCALE,
	FLOW_PACK,
	FLOW_PIECE,
	FLOW_FOLLOW, /* read through it: the parameter that it is the address of */
};

struct flow {
	uint32_t to, from;
	enum how how;
};

struct seed {
	uint32_t name, bit;
};

struct write {
	uint32_t name; /* of its address */
	bool atomic;
};

/* A module variable's address; ptx_variables_rewrite() sets it anew before each use. */
#define ADDRESS_REGISTER "%cgpu_address"
#define ADDRESS_REGISTERS 8

struct analysis {
	struct ptx_writes *w;
	struct ptx_flow text;
	struct names names; /* "FUNCTION NAME" */
	const struct ptx_flow_function *entry, *function;
	uint32_t number; /* of `function` */
	uint32_t version[ADDRESS_REGISTERS];
	uint32_t *first_bit; /* of each parameter of the entry */
	uint32_t n_words;
	uint64_t *constants;
	size_t n_constants, constants_cap;
	struct flow *flows;
	size_t n_flows, flows_cap;
	struct seed *seeds;
	size_t n_seeds, seeds_cap;
	struct write *stores;
	size_t n_stores, stores_cap;
	uint32_t *reached; /* functions, by index in the text; the entry is the first */
	size_t n_reached, reached_cap;
	bool *is_reached;
	uint64_t *sets;
	uint32_t row; /* words of a set */
};

#define OUT_OF_MEMORY (-1)
#define UNKNOWN PTX_FLOW_NOT_UNDERSTOOD

static int unknown(struct analysis *a, const char *why)
{
	a->w->why = why;
	return UNKNOWN;
}

/* ---- collecting ---- */

static uint32_t name_in(struct analysis *a, uint32_t function, struct ptx_slice s, uint32_t version)
{
	char text[512];
	int len = snprintf(text, sizeof(text), "%u %u %.*s", function, version, (int)s.len, s.text);

	return len < (int)sizeof(text) ? names_add(&a->names, text, (size_t)len) : NAME_NONE;
}

/* The number of a register of ptx_variables_rewrite(); ADDRESS_REGISTERS: it is none of them. */
static uint32_t address_register(struct ptx_slice s)
{
	size_t n = strlen(ADDRESS_REGISTER);

	if (s.len != n + 1 || memcmp(s.text, ADDRESS_REGISTER, n) ||
	    (uint32_t)(s.text[n] - '0') >= ADDRESS_REGISTERS)
		return ADDRESS_REGISTERS;
	return (uint32_t)(s.text[n] - '0');
}

static uint32_t name_of(struct analysis *a, struct ptx_slice s)
{
	uint32_t r = address_register(s);

	return name_in(a, a->number, s, r < ADDRESS_REGISTERS ? a->version[r] : 0);
}

static int seed(struct analysis *a, uint32_t name, uint32_t bit)
{
	if (name == NAME_NONE || !ARRAY_ROOM(a->seeds, a->n_seeds, &a->seeds_cap))
		return OUT_OF_MEMORY;
	a->seeds[a->n_seeds++] = (struct seed){ name, bit };
	return 0;
}

static int flow(struct analysis *a, uint32_t to, uint32_t from, enum how how)
{
	if (to == NAME_NONE || from == NAME_NONE ||
	    !ARRAY_ROOM(a->flows, a->n_flows, &a->flows_cap))
		return OUT_OF_MEMORY;
	a->flows[a->n_flows++] = (struct flow){ to, from, how };
	return 0;
}

/* Numbers that are addresses of session memory. */
static int seed_number(struct analysis *a, uint32_t name, uint64_t number)
{
	size_t i = 0;

	if (!address_in_device(number) && !address_in_arena(number))
		return 0;
	while (i < a->n_constants && a->constants[i] != number)
		i++;
	if (i == a->n_constants) {
		if (!ARRAY_ROOM(a->constants, a->n_constants, &a->constants_cap))
			return OUT_OF_MEMORY;
		a->constants[a->n_constants++] = number;
	}
	return seed(a, name, FACTS + a->n_words + (uint32_t)i);
}

static int flow_operand(struct analysis *a, const struct ptx_flow_operand *to,
			const struct ptx_flow_operand *from, enum how how)
{
	int failed = 0;

	for (uint32_t i = 0; i < to->n && !failed; i++) {
		uint32_t name = name_of(a, to->names[i]);

		for (uint32_t k = 0; k < from->n && !failed; k++)
			failed = flow(a, name, name_of(a, from->names[k]), how);
		if (!failed && from->has_number)
			failed = seed_number(a, name, from->number);
	}
	return failed;
}

static int seed_operand(struct analysis *a, const struct ptx_flow_operand *to, uint32_t bit)
{
	int failed = 0;

	for (uint32_t i = 0; i < to->n && !failed; i++)
		failed = seed(a, name_of(a, to->names[i]), bit);
	return failed;
}

static bool has(const struct ptx_flow_instruction *i, const char *modifier)
{
	for (uint32_t m = 0; m < i->n_modifiers; m++)
		if (ptx_slice_is(i->modifiers[m], modifier))
			return true;
	return false;
}

/* .shared, .shared::cta, .param::func */
static bool has_space(const struct ptx_flow_instruction *i, const char *space)
{
	size_t n = strlen(space);

	for (uint32_t m = 0; m < i->n_modifiers; m++)
		if (i->modifiers[m].len >= n && !memcmp(i->modifiers[m].text, space, n) &&
		    (i->modifiers[m].len == n || i->modifiers[m].text[n] == ':'))
			return true;
	return false;
}

/* The n-th type from behind, as it is written; empty when there are not so many. */
static struct ptx_slice type_of(const struct ptx_flow_instruction *i, unsigned n)
{
	for (uint32_t m = i->n_modifiers; m-- > 0;)
		if (ptx_flow_type_bits(i->modifiers[m]) && !n--)
			return i->modifiers[m];
	return (struct ptx_slice){ "", 0 };
}

static uint32_t bits_of(const struct ptx_flow_instruction *i)
{
	return ptx_flow_type_bits(type_of(i, 0));
}

/* Registers and parameters that a function declares have names that no other register has. */
static uint32_t declared_name(struct analysis *a, struct ptx_slice s, enum ptx_flow_space space,
			      bool add)
{
	char text[512];
	int len = snprintf(text, sizeof(text), "%u d%d %.*s", a->number, space, (int)s.len, s.text);

	if (len >= (int)sizeof(text))
		return NAME_NONE;
	return add ? names_add(&a->names, text, (size_t)len)
		   : names_find(&a->names, text, (size_t)len);
}

static bool is_declared(struct analysis *a, struct ptx_slice s, enum ptx_flow_space space)
{
	if (declared_name(a, s, space, false) != NAME_NONE)
		return true;
	/* .reg .b32 t<4>; */
	while (space == PTX_FLOW_REG && s.len && s.text[s.len - 1] >= '0' &&
	       s.text[s.len - 1] <= '9')
		s.len--;
	return declared_name(a, s, space, false) != NAME_NONE;
}

static int on_declaration(void *data, enum ptx_flow_space space, struct ptx_slice name)
{
	if (space == PTX_FLOW_MEMORY || declared_name(data, name, space, true) != NAME_NONE)
		return 0;
	return OUT_OF_MEMORY;
}

static int store(struct analysis *a, const struct ptx_flow_operand *o, bool atomic)
{
	uint32_t name;

	if (o->n > 1 || !o->address)
		return unknown(a, "a write to a place of another form");
	/* A number alone gets a name, too. */
	name = o->n ? name_of(a, o->names[0])
		    : name_in(a, a->number, (struct ptx_slice){ "", 0 }, (uint32_t)a->n_stores + 1);
	if (!o->n && seed_number(a, name, o->number))
		return OUT_OF_MEMORY;
	if (name == NAME_NONE || !ARRAY_ROOM(a->stores, a->n_stores, &a->stores_cap))
		return OUT_OF_MEMORY;
	a->stores[a->n_stores++] = (struct write){ name, atomic };
	return 0;
}

static const struct ptx_flow_parameter *parameter_at(const struct analysis *a, uint32_t i)
{
	return &a->text.parameters[i];
}

/* Index of the entry's parameter of that name, in the entry; UINT32_MAX: it is none. */
static uint32_t entry_parameter(const struct analysis *a, struct ptx_slice s)
{
	if (a->function != a->entry)
		return UINT32_MAX;
	for (uint32_t i = 0; i < a->entry->n_parameters; i++) {
		struct ptx_slice name = parameter_at(a, a->entry->first_parameter + i)->name;

		if (name.len == s.len && !memcmp(name.text, s.text, s.len))
			return i;
	}
	return UINT32_MAX;
}

/* Bytes [from, from + size) of a parameter. */
static int seed_parameter(struct analysis *a, const struct ptx_flow_operand *to, uint32_t parameter,
			  uint64_t from, uint64_t size)
{
	uint32_t bytes = a->w->sizes[parameter];
	int failed = 0;

	for (uint64_t word = from / 8; word * 8 < from + size && word * 8 < bytes && !failed;
	     word++)
		failed = seed_operand(a, to, a->first_bit[parameter] + (uint32_t)word);
	return failed;
}

/* ---- what instructions do, one function an effect ---- */

typedef int effect_fn(struct analysis *a, const struct ptx_flow_instruction *i);

static int effect_NOTHING(struct analysis *a, const struct ptx_flow_instruction *i)
{
	(void)a;
	(void)i;
	return 0;
}

static int effect_NUMBER(struct analysis *a, const struct ptx_flow_instruction *i)
{
	return i->n ? seed_operand(a, &i->operands[0], PIECE) : 0;
}

static int effect_PIECES(struct analysis *a, const struct ptx_flow_instruction *i)
{
	return effect_NUMBER(a, i);
}

static int effect_OWN(struct analysis *a, const struct ptx_flow_instruction *i)
{
	return i->n ? seed_operand(a, &i->operands[0], OWN) : 0;
}

static int flow_all(struct analysis *a, const struct ptx_flow_instruction *i, enum how how)
{
	int failed = 0;

	for (uint32_t k = 1; k < i->n && !failed; k++)
		failed = flow_operand(a, &i->operands[0], &i->operands[k], how);
	return failed;
}

static bool calculates_with_floats(const struct ptx_flow_instruction *i)
{
	return ptx_flow_type_is_float(type_of(i, 0)) && !ptx_slice_is(i->opcode, "selp") &&
	       !ptx_slice_is(i->opcode, "slct");
}

static int effect_COPY(struct analysis *a, const struct ptx_flow_instruction *i)
{
	return calculates_with_floats(i) ? effect_NUMBER(a, i) : flow_all(a, i, FLOW_COPY);
}

static int effect_UNSCALE(struct analysis *a, const struct ptx_flow_instruction *i)
{
	return calculates_with_floats(i) ? effect_NUMBER(a, i) : flow_all(a, i, FLOW_UNSCALE);
}

static int effect_PACK(struct analysis *a, const struct ptx_flow_instruction *i)
{
	return flow_all(a, i, bits_of(i) < 64 ? FLOW_COPY : FLOW_PACK);
}

/* Does it move 32 bits to where the upper half of an address is? */
static bool scales_far(const struct ptx_flow_instruction *i)
{
	bool shift = ptx_slice_is(i->opcode, "shl");

	if (bits_of(i) < 64 || i->n < 3)
		return false;
	if (shift)
		return !i->operands[2].has_number || i->operands[2].n ||
		       i->operands[2].number >= 32;
	for (uint32_t k = 1; k < 3; k++)
		if (i->operands[k].has_number && (i->operands[k].number >> 32) &&
		    (i->operands[k].number >> 31) != 0x1ffffffffull)
			return true;
	return false;
}

static int effect_SCALE(struct analysis *a, const struct ptx_flow_instruction *i)
{
	enum how how = scales_far(i) ? FLOW_PACK : FLOW_SCALE;
	int failed;

	if (calculates_with_floats(i))
		return effect_NUMBER(a, i);
	if (i->n < 3)
		return unknown(a, "a product of another form");
	failed = flow_operand(a, &i->operands[0], &i->operands[1], how);
	if (!failed)
		failed = flow_operand(a, &i->operands[0], &i->operands[2], how);
	for (uint32_t k = 3; k < i->n && !failed; k++)
		failed = flow_operand(a, &i->operands[0], &i->operands[k], FLOW_COPY);
	return failed;
}

static int effect_CONVERT(struct analysis *a, const struct ptx_flow_instruction *i)
{
	struct ptx_slice from = type_of(i, 0), to = type_of(i, 1);

	if (ptx_flow_type_is_float(from) || ptx_flow_type_is_float(to))
		return effect_NUMBER(a, i);
	return flow_all(a, i, ptx_flow_type_bits(to) < 64 ? FLOW_PIECE : FLOW_COPY);
}

/* Registers between vectors and scalars; addresses of what has a name. */
static int effect_MOVE(struct analysis *a, const struct ptx_flow_instruction *i)
{
	const struct ptx_flow_operand *to = &i->operands[0], *from = &i->operands[1];
	uint32_t r, parameter;
	int failed;

	if (i->n != 2 || !to->n)
		return unknown(a, "a move of another form");
	r = address_register(to->names[0]);
	if (r < ADDRESS_REGISTERS)
		a->version[r]++;
	parameter = from->n == 1 ? entry_parameter(a, from->names[0]) : UINT32_MAX;
	if (parameter != UINT32_MAX) {
		failed = seed_operand(a, to, PLACE);
		return failed ? failed
			      : seed_parameter(a, to, parameter, 0, a->w->sizes[parameter]);
	}
	if (from->n == 1 && is_declared(a, from->names[0], PTX_FLOW_PARAM) &&
	    seed_operand(a, to, PLACE))
		return OUT_OF_MEMORY;
	if (to->n > 1)
		return flow_operand(a, to, from, bits_of(i) > 64 ? FLOW_COPY : FLOW_PIECE);
	return flow_operand(a, to, from, from->n > 1 ? FLOW_PACK : FLOW_COPY);
}

static int effect_LOAD(struct analysis *a, const struct ptx_flow_instruction *i)
{
	const struct ptx_flow_operand *to = &i->operands[0], *from = &i->operands[1];
	bool of_parameter = has_space(i, "param");
	uint32_t bits = bits_of(i), parameter;
	int failed = 0;

	if (i->n < 2 || !from->address || !bits)
		return unknown(a, "a load of another form");
	parameter = from->n ? entry_parameter(a, from->names[0]) : UINT32_MAX;
	if (of_parameter && parameter != UINT32_MAX)
		return seed_parameter(a, to, parameter, from->number, (uint64_t)bits / 8 * to->n);
	/* Parameters of functions and of calls are names as registers are. */
	if (of_parameter && from->n && from->names[0].text[0] != '%')
		return flow_operand(a, to, from, FLOW_COPY);
	for (uint32_t k = 0; k < to->n && from->n && !failed; k++)
		failed = flow(a, name_of(a, to->names[k]), name_of(a, from->names[0]), FLOW_FOLLOW);
	if (!failed && !of_parameter)
		failed = seed_operand(a, to, bits < 64 ? PIECE : MEMORY);
	return failed;
}

static bool is_of_the_cta(const struct ptx_flow_instruction *i)
{
	return has_space(i, "shared") || has_space(i, "local");
}

static int effect_STORE(struct analysis *a, const struct ptx_flow_instruction *i)
{
	if (!i->n)
		return unknown(a, "a store of another form");
	if (is_of_the_cta(i))
		return 0;
	if (!has_space(i, "param"))
		return store(a, &i->operands[0], false);
	if (i->n < 2 || !i->operands[0].n)
		return unknown(a, "a store of another form");
	/* Parts of an aggregate: who loads all of it puts them together. */
	return flow_operand(a, &i->operands[0], &i->operands[1],
			    bits_of(i) < 64 && i->operands[0].number ? FLOW_PACK : FLOW_COPY);
}

static int effect_ATOMIC(struct analysis *a, const struct ptx_flow_instruction *i)
{
	int failed;

	if (i->n < 2)
		return unknown(a, "an atomic operation of another form");
	failed = seed_operand(a, &i->operands[0], bits_of(i) < 64 ? PIECE : MEMORY);
	return failed || is_of_the_cta(i) ? failed : store(a, &i->operands[1], true);
}

static int effect_REDUCE(struct analysis *a, const struct ptx_flow_instruction *i)
{
	if (!i->n)
		return unknown(a, "a reduction of another form");
	return is_of_the_cta(i) ? 0 : store(a, &i->operands[0], true);
}

static int effect_MATRIX(struct analysis *a, const struct ptx_flow_instruction *i)
{
	if (has(i, "store"))
		return is_of_the_cta(i) || !i->n ? 0 : store(a, &i->operands[0], false);
	return effect_NUMBER(a, i);
}

/* cp: to shared memory, but for bulk copies that name .global first. */
static int effect_ASYNC(struct analysis *a, const struct ptx_flow_instruction *i)
{
	if (has(i, "prefetch") || !i->n || !i->operands[0].address)
		return 0;
	for (uint32_t m = 0; m < i->n_modifiers; m++) {
		if (i->modifiers[m].len >= 6 && !memcmp(i->modifiers[m].text, "shared", 6))
			return 0;
		if (ptx_slice_is(i->modifiers[m], "global"))
			return has(i, "tensor") ? unknown(a, "a copy to a tensor")
						: store(a, &i->operands[0], has(i, "reduce"));
	}
	return 0;
}

static int reach(struct analysis *a, const struct ptx_flow_function *f)
{
	uint32_t index = (uint32_t)(f - a->text.functions);

	if (a->is_reached[index])
		return 0;
	if (!ARRAY_ROOM(a->reached, a->n_reached, &a->reached_cap))
		return OUT_OF_MEMORY;
	a->is_reached[index] = true;
	a->reached[a->n_reached++] = index;
	return 0;
}

/* Functions of the device itself. */
static int call_known(struct analysis *a, struct ptx_slice name, const struct ptx_flow_operand *ret,
		      const struct ptx_flow_operand *arguments)
{
	struct ptx_flow_operand first;

	if (ptx_slice_is(name, "vprintf") || ptx_slice_is(name, "__assertfail") ||
	    ptx_slice_is(name, "free"))
		return ret ? seed_operand(a, ret, PIECE) : 0;
	if (ptx_slice_is(name, "malloc") && ret)
		return seed_operand(a, ret, OWN);
	if (!ptx_slice_is(name, "cudaGraphSetConditional") || !arguments || !arguments->n)
		return unknown(a, "a call of a function that is not there");
	/* The handle of a condition is the address of its value. */
	first.n = 1;
	first.names[0] = arguments->names[0];
	first.address = true;
	return store(a, &first, false);
}

/* call (results), function, (arguments) */
static int effect_CALL(struct analysis *a, const struct ptx_flow_instruction *i)
{
	uint32_t k = i->n && i->operands[0].list;
	const struct ptx_flow_operand *ret = k ? &i->operands[0] : NULL, *arguments;
	const struct ptx_flow_function *f;
	uint32_t number;
	int failed;

	if (k >= i->n || i->operands[k].n != 1)
		return unknown(a, "a call of another form");
	f = ptx_flow_function(&a->text, i->operands[k].names[0]);
	arguments = k + 1 < i->n && i->operands[k + 1].list ? &i->operands[k + 1] : NULL;
	if (!f)
		return unknown(a, "a call through a pointer");
	if (!f->body)
		return call_known(a, f->name, ret, arguments);
	number = (uint32_t)(f - a->text.functions);
	if ((arguments ? arguments->n : 0) != f->n_parameters || (ret ? ret->n : 0) > f->n_returns)
		return unknown(a, "a call with other arguments");
	failed = reach(a, f);
	for (uint32_t n = 0; n < f->n_parameters && !failed; n++)
		failed = flow(a,
			      name_in(a, number, parameter_at(a, f->first_parameter + n)->name, 0),
			      name_of(a, arguments->names[n]), FLOW_COPY);
	for (uint32_t n = 0; ret && n < ret->n && !failed; n++)
		failed = flow(a, name_of(a, ret->names[n]),
			      name_in(a, number, parameter_at(a, f->first_return + n)->name, 0),
			      FLOW_COPY);
	return failed;
}

static const struct {
	const char *opcode;
	effect_fn *effect;
} effects[] = {
#define EFFECT(opcode, effect) { #opcode, effect_##effect },
#include "runtime/cuda/ptx/ptx-effects.def"
#undef EFFECT
};

static int by_opcode(const void *key, const void *row)
{
	const struct ptx_slice *s = key;
	const char *opcode = ((const char *const *)row)[0];
	int order = strncmp(s->text, opcode, s->len);

	return order ? order : opcode[s->len] ? -1 : 0;
}

/* A name of the module, of the cta or of the driver is an address of none of the session's buffers.
 */
static int seed_names(struct analysis *a, const struct ptx_flow_instruction *i)
{
	int failed = 0;

	for (uint32_t k = 0; k < i->n && !failed; k++)
		for (uint32_t n = 0; n < i->operands[k].n && !failed; n++) {
			struct ptx_slice s = i->operands[k].names[n];

			if (s.len > 7 && !memcmp(s.text, "%envreg", 7))
				failed = seed(a, name_of(a, s), OWN);
			else if (s.text[0] != '%' && entry_parameter(a, s) == UINT32_MAX &&
				 !is_declared(a, s, PTX_FLOW_REG) &&
				 !is_declared(a, s, PTX_FLOW_PARAM))
				failed = seed(a, name_of(a, s), OWN);
		}
	return failed;
}

static int on_instruction(void *data, const struct ptx_flow_instruction *i)
{
	struct analysis *a = data;
	const void *row = bsearch(&i->opcode, effects, sizeof(effects) / sizeof(effects[0]),
				  sizeof(effects[0]), by_opcode);
	int failed;

	if (!row)
		return unknown(a, "an instruction that is not known");
	failed = ((const typeof(effects[0]) *)row)->effect(a, i);
	return failed ? failed : seed_names(a, i);
}

/* ---- working out ---- */

static uint64_t *set_of(const struct analysis *a, uint32_t name)
{
	return a->sets + (size_t)name * a->row;
}

static uint64_t facts_after(uint64_t facts, enum how how)
{
	uint64_t wide = facts & (FACT(MEMORY) | FACT(SCALED)),
		 rest = facts & ~(FACT(MEMORY) | FACT(SCALED));

	switch (how) {
	case FLOW_SCALE:
		return rest | (wide ? FACT(SCALED) : 0);
	case FLOW_UNSCALE:
		return rest | (wide ? FACT(MEMORY) : 0);
	case FLOW_PACK:
		return (rest & ~FACT(PIECE)) | (wide || facts & FACT(PIECE) ? FACT(MEMORY) : 0);
	case FLOW_PIECE:
		return rest | (wide ? FACT(PIECE) : 0);
	case FLOW_FOLLOW:
		return facts & ~FACT(PLACE);
	case FLOW_COPY:
		break;
	}
	return facts;
}

static bool pass(const struct analysis *a, const struct flow *f)
{
	const uint64_t *from = set_of(a, f->from);
	uint64_t *to = set_of(a, f->to), more;
	bool changed = false;

	if (f->how == FLOW_FOLLOW && !(from[0] & FACT(PLACE)))
		return false;
	for (uint32_t i = 0; i < a->row; i++) {
		more = i ? from[i]
			 : (from[0] & ~ALL_FACTS) | facts_after(from[0] & ALL_FACTS, f->how);
		changed |= (more & ~to[i]) != 0;
		to[i] |= more;
	}
	return changed;
}

static int settle(struct analysis *a)
{
	bool changed = true;

	a->row = (uint32_t)((FACTS + a->n_words + a->n_constants + 63) / 64);
	a->sets = calloc((size_t)a->names.n * a->row + 1, sizeof(*a->sets));
	if (!a->sets)
		return OUT_OF_MEMORY;
	for (size_t i = 0; i < a->n_seeds; i++)
		set_of(a, a->seeds[i].name)[a->seeds[i].bit / 64] |= 1ull << a->seeds[i].bit % 64;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < a->n_flows; i++)
			changed |= pass(a, &a->flows[i]);
	}
	return 0;
}

static struct ptx_writes_base base_of(const struct analysis *a, uint32_t bit)
{
	uint32_t i = 0;

	if (bit >= FACTS + a->n_words)
		return (struct ptx_writes_base){ PTX_WRITES_ADDRESS,
						 a->constants[bit - FACTS - a->n_words] };
	while (i + 1 < a->entry->n_parameters && a->first_bit[i + 1] <= bit)
		i++;
	return (struct ptx_writes_base){ i, (uint64_t)(bit - a->first_bit[i]) * 8 };
}

/* Many stores have the same addresses. */
static bool is_new(const struct analysis *a, size_t store)
{
	for (size_t i = 0; i < store; i++)
		if (a->stores[i].atomic == a->stores[store].atomic &&
		    !memcmp(set_of(a, a->stores[i].name), set_of(a, a->stores[store].name),
			    a->row * sizeof(uint64_t)))
			return false;
	return true;
}

static int add_set(struct analysis *a, const struct write *store, size_t *sets_cap,
		   size_t *bases_cap)
{
	struct ptx_writes *w = a->w;
	const uint64_t *bits = set_of(a, store->name);
	struct ptx_writes_set s = { .first = w->n_bases,
				    .own = bits[0] & (FACT(OWN) | FACT(PLACE)),
				    .atomic = store->atomic };

	if (bits[0] & FACT(MEMORY))
		return unknown(a, "a write to an address from memory");
	for (uint32_t bit = FACTS; bit < FACTS + a->n_words + a->n_constants; bit++) {
		if (!(bits[bit / 64] >> bit % 64 & 1))
			continue;
		if (!ARRAY_ROOM(w->bases, w->n_bases, bases_cap))
			return OUT_OF_MEMORY;
		w->bases[w->n_bases++] = base_of(a, bit);
	}
	s.n = w->n_bases - s.first;
	if (!s.n && !s.own)
		return unknown(a, "a write to an address out of nothing");
	if (!s.n)
		return 0;
	if (!ARRAY_ROOM(w->sets, w->n_sets, sets_cap))
		return OUT_OF_MEMORY;
	w->sets[w->n_sets++] = s;
	return 0;
}

static int add_sets(struct analysis *a)
{
	size_t sets_cap = 0, bases_cap = 0;
	int failed = 0, of_one;

	for (size_t i = 0; i < a->n_stores && failed != OUT_OF_MEMORY; i++) {
		of_one = is_new(a, i) ? add_set(a, &a->stores[i], &sets_cap, &bases_cap) : 0;
		failed = of_one ? of_one : failed;
	}
	return failed;
}

static int begin_entry(struct analysis *a, const char *entry)
{
	struct ptx_writes *w = a->w;
	int failed = ptx_flow_functions(&a->text);

	if (failed)
		return failed == OUT_OF_MEMORY ? failed : unknown(a, "text of another form");
	a->entry =
		ptx_flow_function(&a->text, (struct ptx_slice){ entry, (uint32_t)strlen(entry) });
	if (!a->entry || !a->entry->body || !a->entry->is_entry)
		return unknown(a, "an entry that is not there");
	w->n_parameters = a->entry->n_parameters;
	w->sizes = calloc(w->n_parameters + 1, sizeof(*w->sizes));
	a->first_bit = calloc(w->n_parameters + 1, sizeof(*a->first_bit));
	a->is_reached = calloc(a->text.n_functions, sizeof(*a->is_reached));
	if (!w->sizes || !a->first_bit || !a->is_reached)
		return OUT_OF_MEMORY;
	for (uint32_t i = 0; i < w->n_parameters; i++) {
		w->sizes[i] = parameter_at(a, a->entry->first_parameter + i)->size;
		a->first_bit[i] = FACTS + a->n_words;
		a->n_words += (w->sizes[i] + 7) / 8;
	}
	return reach(a, a->entry);
}

static int read_body(struct analysis *a, uint32_t index)
{
	static const struct ptx_flow_visitor visitor = { on_declaration, on_instruction };
	int failed = 0;

	a->number = index;
	a->function = &a->text.functions[index];
	memset(a->version, 0, sizeof(a->version));
	for (uint32_t i = 0; a->function != a->entry &&
			     i < a->function->n_parameters + a->function->n_returns && !failed;
	     i++) {
		uint32_t n = a->function->n_parameters;

		failed = on_declaration(a, PTX_FLOW_PARAM,
					parameter_at(a, i < n ? a->function->first_parameter + i
							      : a->function->first_return + i - n)
						->name);
	}
	if (!failed)
		failed = ptx_flow_body(&a->text, a->function, &visitor, a);
	if (failed == UNKNOWN && !a->w->why)
		a->w->why = "text of another form";
	return failed;
}

static void analysis_release(struct analysis *a)
{
	ptx_flow_release(&a->text);
	names_release(&a->names);
	free(a->first_bit);
	free(a->constants);
	free(a->flows);
	free(a->seeds);
	free(a->stores);
	free(a->reached);
	free(a->is_reached);
	free(a->sets);
}

uint64_t ptx_writes_value(const struct ptx_writes *w, const struct ptx_writes_base *b, void **args)
{
	uint64_t value = 0, left;

	if (b->parameter == PTX_WRITES_ADDRESS)
		return b->value;
	left = w->sizes[b->parameter] - b->value;
	memcpy(&value, (const char *)args[b->parameter] + b->value,
	       left < sizeof(value) ? left : sizeof(value));
	return value;
}

void ptx_writes_release(struct ptx_writes *w)
{
	free(w->sets);
	free(w->bases);
	free(w->sizes);
	*w = (struct ptx_writes){ 0 };
}

int ptx_writes_read(struct ptx_writes *w, const char *text, size_t len, const char *entry,
		    struct error *err)
{
	struct analysis a = { .w = w };
	int failed;

	*w = (struct ptx_writes){ 0 };
	names_init(&a.names);
	ptx_flow_init(&a.text, text, len);
	failed = begin_entry(&a, entry);
	for (size_t i = 0; i < a.n_reached && !failed; i++)
		failed = read_body(&a, a.reached[i]);
	if (!failed)
		failed = settle(&a);
	if (!failed)
		failed = add_sets(&a);
	analysis_release(&a);
	w->all = failed;
	if (failed != OUT_OF_MEMORY)
		return 0;
	ptx_writes_release(w);
	w->all = true;
	return error_set(err, ERROR_MEMORY, "out of memory for what an entry writes");
}
