/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms are worked out from definitions, backwards. PTX of compilers is nearly SSA: a register that
 * several instructions write, the counter of a loop, has no form, nor has what is loaded. A form
 * stands for the exact sum, so whatever may not fit into the register on some thread has none
 * either; what is 32 bits wide is kept as a signed number, and one that may be negative cannot be
 * widened as an unsigned one.
 */
#include "emulator/check/race-form.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/warp/register-value.h"

#define DEPTH 64
#define LARGEST (INT64_C(1) << 62)

__extension__ typedef __int128 wide;

enum known { UNASKED, ASKED, NONE, KNOWN };

struct race_definition {
	const struct ptx_instruction *in; /* NULL: none, or several */
	bool several;
	uint8_t known; /* enum known */
	struct race_form form;
};

static const char *const numbers[RACE_NUMBERS_OF_THREAD] = {
	"%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z",
};
static const char *const counts[RACE_NUMBERS_OF_THREAD] = {
	"%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
};

/* Whatever stands first may be written; too many is no harm. */
static void note_definition(struct race_forms *x, const struct ptx_operand *o,
			    const struct ptx_instruction *in)
{
	struct race_definition *d;

	if (o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR ||
	    o->kind == PTX_OPERAND_LIST)
		for (uint32_t i = 0; i < o->count; i++)
			note_definition(x, &o->elements[i], in);
	if (o->kind != PTX_OPERAND_REGISTER)
		return;
	d = &x->definitions[o->index];
	d->several |= d->in || in->guard != PTX_NONE;
	d->in = in;
}

int race_forms_init(struct race_forms *x, const struct machine_launch *l)
{
	const struct ptx_body *b = l->kernel->body;

	*x = (struct race_forms){ .launch = l };
	x->definitions = calloc(b->register_count + 1, sizeof(*x->definitions));
	if (!x->definitions)
		return -1;
	for (uint32_t i = 0; i < b->instruction_count; i++)
		if (b->instructions[i].operand_count)
			note_definition(x, &b->instructions[i].operands[0], &b->instructions[i]);
	return 0;
}

void race_forms_release(struct race_forms *x)
{
	free(x->definitions);
}

bool race_forms_parameter(const struct machine_launch *l, const struct ptx_instruction *in,
			  uint32_t element, uint64_t *ret)
{
	const struct ptx_operand *address = &in->operands[1];
	const struct ptx_operand *base = address->kind == PTX_OPERAND_ADDRESS && address->count == 1
						 ? address->elements
						 : NULL;
	const struct ptx_body *b = l->kernel->body;
	uint32_t bytes = instruction_bits(in) / 8;
	uint64_t offset;

	if (!base || base->kind != PTX_OPERAND_VARIABLE || base->index >= b->formal_count ||
	    (bytes != 4 && bytes != 8))
		return false;
	offset = b->variables[base->index].offset + base->value + address->value +
		 (uint64_t)element * bytes;
	if (offset > l->params_size || l->params_size - offset < bytes)
		return false;
	*ret = 0;
	memcpy(ret, (const uint8_t *)l->params + offset, bytes);
	if (bytes == 4)
		*ret = (uint64_t)(int64_t)(int32_t)*ret;
	return true;
}

/* The least and the greatest value on any thread of the launch. False: they are too large to be
 * told. */
static bool range_of(const struct race_forms *x, const struct race_form *f, int64_t *ret_min,
		     int64_t *ret_max)
{
	wide min = f->start, max = f->start;

	for (int i = 0; i < RACE_NUMBERS_OF_THREAD; i++) {
		wide most = (wide)f->factor[i] * (race_form_count(x->launch, i) - 1);

		if (most < 0)
			min += most;
		else
			max += most;
	}
	if (min < -LARGEST || max > LARGEST)
		return false;
	*ret_min = (int64_t)min;
	*ret_max = (int64_t)max;
	return true;
}

static bool fits(const struct race_forms *x, const struct race_form *f, uint32_t bits)
{
	int64_t min, max;

	if (!range_of(x, f, &min, &max))
		return false;
	return bits == 64 || (bits == 32 && min >= INT32_MIN && max <= INT32_MAX);
}

static bool is_negative(const struct race_forms *x, const struct race_form *f)
{
	int64_t min, max;

	return !range_of(x, f, &min, &max) || min < 0;
}

static struct race_form constant(int64_t value)
{
	return (struct race_form){ .start = value };
}

static bool is_constant(const struct race_form *f)
{
	for (int i = 0; i < RACE_NUMBERS_OF_THREAD; i++)
		if (f->factor[i])
			return false;
	return true;
}

/* a += b * by. False: too large. */
static bool add_times(struct race_form *a, const struct race_form *b, int64_t by)
{
	int64_t product;

	if (__builtin_mul_overflow(b->start, by, &product) ||
	    __builtin_add_overflow(a->start, product, &a->start))
		return false;
	for (int i = 0; i < RACE_NUMBERS_OF_THREAD; i++)
		if (__builtin_mul_overflow(b->factor[i], by, &product) ||
		    __builtin_add_overflow(a->factor[i], product, &a->factor[i]))
			return false;
	return true;
}

static bool product(const struct race_form *a, const struct race_form *b, struct race_form *ret)
{
	*ret = constant(0);
	if (is_constant(b))
		return add_times(ret, a, b->start);
	return is_constant(a) && add_times(ret, b, a->start);
}

static bool find_register(struct race_forms *x, uint32_t index, struct race_form *ret);

static bool find(struct race_forms *x, const struct ptx_operand *o, struct race_form *ret)
{
	const struct ptx_variable *v;

	*ret = constant(0);
	switch (o->kind) {
	case PTX_OPERAND_REGISTER:
		return find_register(x, o->index, ret);
	case PTX_OPERAND_INTEGER:
		ret->start = (int64_t)o->value;
		return true;
	case PTX_OPERAND_SYMBOL:
		v = ptx_module_variable(x->launch->kernel->module, o->name);
		ret->start =
			v && v->space == PTX_SPACE_GLOBAL ? (int64_t)(v->address + o->value) : 0;
		return ret->start;
	case PTX_OPERAND_SPECIAL:
		for (int i = 0; i < RACE_NUMBERS_OF_THREAD; i++) {
			ret->factor[i] = !strcmp(o->name, numbers[i]);
			if (!strcmp(o->name, counts[i]))
				ret->start = race_form_count(x->launch, i);
			if (ret->factor[i] || ret->start)
				return true;
		}
		return false;
	default:
		return false;
	}
}

static bool is_unsigned(const struct ptx_instruction *in)
{
	size_t at = in->form_len;

	while (at && in->text[at - 1] != '.')
		at--;
	return in->text[at] != 's';
}

/* As many bits of a sum are right whatever is taken for their sign; what is widened must be the
 * number itself. */
static bool find_source(struct race_forms *x, const struct ptx_instruction *in, uint32_t n,
			struct race_form *ret)
{
	if (!find(x, &in->operands[n], ret))
		return false;
	if (!instruction_is(in, "cvt") && !instruction_has(in, "wide"))
		return true;
	return fits(x, ret, instruction_bits(in)) && !(is_unsigned(in) && is_negative(x, ret));
}

/* Arithmetic of 32 or 64 bits whose result are the low bits. */
static bool is_plain(const struct ptx_instruction *in)
{
	return instruction_bits(in) >= 32 && !instruction_has(in, "hi") &&
	       !instruction_has(in, "sat") && !instruction_has(in, "cc");
}

/* From one integer of 32 or 64 bits to another: "cvt.s64.u32". */
static bool is_resize(const struct ptx_instruction *in)
{
	return instruction_is(in, "cvt") && in->form_len == strlen("cvt.s64.u32") &&
	       strchr("su", in->text[4]);
}

static bool work_out(struct race_forms *x, const struct ptx_instruction *in, struct race_form *ret)
{
	struct race_form a, b, c = constant(0);
	uint64_t value;

	if (instruction_is(in, "ld")) {
		*ret = constant(0);
		if (!instruction_has(in, "param") ||
		    !race_forms_parameter(x->launch, in, 0, &value) ||
		    x->launch->kernel->body->registers[in->operands[0].index].bits !=
			    instruction_bits(in))
			return false;
		ret->start = (int64_t)value;
		return true;
	}
	if (!is_plain(in) || in->operand_count < 2 || !find_source(x, in, 1, &a))
		return false;
	*ret = a;
	if (in->operand_count == 2)
		return instruction_is(in, "mov") || is_resize(in) ||
		       (instruction_is(in, "cvta") && !instruction_has(in, "shared") &&
			!instruction_has(in, "local"));
	if (!find_source(x, in, 2, &b))
		return false;
	if (instruction_is(in, "add"))
		return add_times(ret, &b, 1);
	if (instruction_is(in, "sub"))
		return add_times(ret, &b, -1);
	if (instruction_is(in, "mul"))
		return product(&a, &b, ret);
	if (instruction_is(in, "mad"))
		return product(&a, &b, ret) && find(x, &in->operands[3], &c) &&
		       add_times(ret, &c, 1);
	if (!instruction_is(in, "shl") || !is_constant(&b) || b.start < 0 || b.start > 31)
		return false;
	*ret = constant(0);
	return add_times(ret, &a, (int64_t)1 << b.start);
}

static bool find_register(struct race_forms *x, uint32_t index, struct race_form *ret)
{
	struct race_definition *d = &x->definitions[index];
	bool found;

	if (d->known == UNASKED && x->depth < DEPTH) {
		d->known = ASKED;
		x->depth++;
		found = d->in && !d->several && d->in->operands[0].kind == PTX_OPERAND_REGISTER &&
			work_out(x, d->in, &d->form) &&
			fits(x, &d->form, x->launch->kernel->body->registers[index].bits);
		d->known = found ? KNOWN : NONE;
		x->depth--;
	}
	*ret = d->form;
	return d->known == KNOWN;
}

bool race_forms_address(struct race_forms *x, const struct ptx_operand *o, struct race_form *ret)
{
	int64_t min, max;

	if (o->kind != PTX_OPERAND_ADDRESS || o->count != 1 || !find(x, &o->elements[0], ret) ||
	    __builtin_add_overflow(ret->start, (int64_t)o->value, &ret->start))
		return false;
	return range_of(x, ret, &min, &max);
}
