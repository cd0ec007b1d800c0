/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An address is taken apart into terms `factor * register`, down to where it is multiplied: below
 * that stands the index, whose own making is told as an expression.
 */
#include "emulator/warp/fault-address.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "emulator/ptx/ptx-lines.h"
#include "emulator/warp/register-value.h"

#define TERMS 6
#define DEPTH 8
#define ADDRESSES (INT64_C(1) << 32) /* a constant from here on is one, of a variable */

struct term {
	struct ptx_operand operand;
	char name[24];
	int64_t factor;
	bool is_wide;     /* an address rather than an index */
	bool is_unsigned; /* an index of 32 bits */
};

/* The sign of an index before it is multiplied. */
enum scale { SCALE_NONE, SCALE_SIGNED, SCALE_UNSIGNED };

struct sum {
	struct register_values values;
	struct term terms[TERMS];
	uint32_t count;
	int64_t constant;
	bool overflow; /* more terms than fit */
};

static void add_term(struct sum *s, const struct ptx_operand *o, const char *name, int64_t factor,
		     bool is_wide, enum scale scale)
{
	struct term *t;

	for (uint32_t i = 0; i < s->count; i++)
		if (o->kind == PTX_OPERAND_REGISTER &&
		    s->terms[i].operand.kind == PTX_OPERAND_REGISTER &&
		    s->terms[i].operand.index == o->index) {
			s->terms[i].factor += factor;
			return;
		}
	if (s->count == TERMS) {
		s->overflow = true;
		return;
	}
	t = &s->terms[s->count++];
	*t = (struct term){ *o, "", factor, is_wide, scale == SCALE_UNSIGNED };
	snprintf(t->name, sizeof(t->name), "%s", name);
}

/* Another name of a register. */
static bool is_copy(const struct ptx_instruction *in)
{
	if (!in || in->operands[1].kind != PTX_OPERAND_REGISTER)
		return false;
	if (instruction_is(in, "cvta"))
		return !instruction_has(in, "shared") && !instruction_has(in, "local");
	return instruction_is(in, "mov");
}

static bool is_widened(const struct ptx_instruction *in)
{
	return instruction_is(in, "cvt") && instruction_bits(in) == 32 &&
	       (instruction_has(in, "s64") || instruction_has(in, "u64"));
}

static bool factor_of(const struct ptx_instruction *in, int64_t *ret)
{
	const struct ptx_operand *by = &in->operands[2];

	if (in->operand_count < 3 || by->kind != PTX_OPERAND_INTEGER || instruction_has(in, "hi") ||
	    !instruction_bits(in))
		return false;
	if (instruction_is(in, "shl") && by->value < 32)
		*ret = (int64_t)1 << by->value;
	else if (instruction_is(in, "mul") || instruction_is(in, "mad"))
		*ret = (int64_t)by->value;
	else
		return false;
	return *ret > 0 && *ret < INT32_MAX;
}

static void add(struct sum *s, const struct ptx_operand *o, const char *name, int64_t factor,
		enum scale scale, int depth);

static void add_operand(struct sum *s, const struct ptx_instruction *in, uint32_t n, int64_t factor,
			enum scale scale, int depth)
{
	char name[24];

	instruction_operand_text(in, n, name, sizeof(name));
	add(s, &in->operands[n], name, factor, scale, depth + 1);
}

static void add_register(struct sum *s, const struct ptx_operand *o, const char *name,
			 int64_t factor, enum scale scale, int depth)
{
	const struct ptx_instruction *in =
		depth < DEPTH ? register_values_definition(&s->values, o->index) : NULL;
	bool is_wide = s->values.function->body->registers[o->index].class == PTX_CLASS_64;
	int64_t by;

	if (in && in->operand_count < 2)
		in = NULL;
	if (is_copy(in)) {
		add_operand(s, in, 1, factor, scale, depth);
	} else if (in && is_widened(in)) {
		add_operand(s, in, 1, factor,
			    instruction_has(in, "u32") ? SCALE_UNSIGNED : SCALE_SIGNED, depth);
	} else if (!in || scale || !instruction_bits(in)) {
		add_term(s, o, name, factor, is_wide && !scale, scale);
	} else if (instruction_is(in, "add") && !instruction_has(in, "cc")) {
		add_operand(s, in, 1, factor, SCALE_NONE, depth);
		add_operand(s, in, 2, factor, SCALE_NONE, depth);
	} else if (instruction_is(in, "sub") && !instruction_has(in, "cc")) {
		add_operand(s, in, 1, factor, SCALE_NONE, depth);
		add_operand(s, in, 2, -factor, SCALE_NONE, depth);
	} else if (factor_of(in, &by)) {
		add_operand(s, in, 1, factor * by,
			    instruction_has(in, "u32") ? SCALE_UNSIGNED : SCALE_SIGNED, depth);
		if (instruction_is(in, "mad"))
			add_operand(s, in, 3, factor, SCALE_NONE, depth);
	} else if (instruction_is(in, "mov") && in->operands[1].kind != PTX_OPERAND_VECTOR) {
		add_operand(s, in, 1, factor, scale, depth);
	} else {
		add_term(s, o, name, factor, is_wide, scale);
	}
}

static void add(struct sum *s, const struct ptx_operand *o, const char *name, int64_t factor,
		enum scale scale, int depth)
{
	char shown[64];

	switch (o->kind) {
	case PTX_OPERAND_REGISTER:
		add_register(s, o, name, factor, scale, depth);
		break;
	case PTX_OPERAND_INTEGER:
		s->constant += factor * (int64_t)o->value;
		break;
	case PTX_OPERAND_SPECIAL:
		add_term(s, o, special_register_name(o->name), factor, false, scale);
		break;
	case PTX_OPERAND_VARIABLE:
	case PTX_OPERAND_SYMBOL:
		ptx_lines_source_name(o->kind == PTX_OPERAND_SYMBOL
					      ? o->name
					      : s->values.function->body->variables[o->index].name,
				      shown, sizeof(shown));
		add_term(s, o, shown, factor, true, scale);
		break;
	default:
		s->overflow = true;
	}
}

/* ---- values that follow from the address ---- */

static int64_t as_number(const struct register_values *v, const struct ptx_operand *o,
			 uint64_t value)
{
	if (o->kind == PTX_OPERAND_REGISTER &&
	    v->function->body->registers[o->index].class == PTX_CLASS_64)
		return (int64_t)value;
	return o->kind == PTX_OPERAND_INTEGER ? (int64_t)value : (int32_t)value;
}

static int64_t number_of(const struct sum *s, const struct term *t, uint64_t value)
{
	if (t->is_wide)
		return (int64_t)value;
	return t->is_unsigned ? (int64_t)(uint32_t)value
			      : as_number(&s->values, &t->operand, value);
}

/* x with factor * x = value, in the arithmetic of registers; there is one only when the factor is
 * odd. */
static uint64_t quotient(uint64_t value, uint64_t factor)
{
	uint64_t inverse = factor;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	return value * inverse;
}

static void solve_inside(struct sum *s, const struct ptx_instruction *user, uint32_t n,
			 uint64_t value, int depth);

/* The product of operands 1 and 2 is `value`. */
static void solve_product(struct sum *s, const struct ptx_instruction *in, uint64_t value,
			  int depth)
{
	uint64_t known;

	for (uint32_t i = 1; i <= 2; i++)
		if (register_values_get(&s->values, &in->operands[i], &known) && known & 1) {
			solve_inside(s, in, 3 - i, quotient(value, known), depth);
			return;
		}
}

static void solve_operation(struct sum *s, const struct ptx_instruction *in, uint64_t value,
			    int depth)
{
	bool adds = instruction_is(in, "add"), is_mad = instruction_is(in, "mad");
	uint64_t a, b, c;
	bool has_a = register_values_get(&s->values, &in->operands[1], &a);
	bool has_b = in->operand_count > 2 && register_values_get(&s->values, &in->operands[2], &b);
	bool has_c = in->operand_count > 3 && register_values_get(&s->values, &in->operands[3], &c);

	if (adds && (has_a || has_b))
		solve_inside(s, in, has_a ? 2 : 1, value - (has_a ? a : b), depth);
	else if (instruction_is(in, "sub") && has_a)
		solve_inside(s, in, 2, a - value, depth);
	else if (instruction_is(in, "sub") && has_b)
		solve_inside(s, in, 1, value + b, depth);
	else if (is_mad && has_a && has_b)
		solve_inside(s, in, 3, value - a * b, depth);
	else if (is_mad && has_c)
		solve_product(s, in, value - c, depth);
	else if (instruction_is(in, "mul"))
		solve_product(s, in, value, depth);
	else if (instruction_is(in, "mov"))
		solve_inside(s, in, 1, value, depth);
}

static bool is_simple(const struct ptx_instruction *in)
{
	return in && in->operand_count > 1 && instruction_bits(in) && !instruction_has(in, "hi") &&
	       !instruction_has(in, "wide") && !instruction_has(in, "cc") &&
	       !instruction_has(in, "sat") &&
	       (instruction_is(in, "add") || instruction_is(in, "sub") ||
		instruction_is(in, "mul") || instruction_is(in, "mad") ||
		(instruction_is(in, "mov") && in->operands[1].kind == PTX_OPERAND_REGISTER));
}

/* The operand has this value: what follows for the one register in its expression that is not
 * known. */
static void solve_inside(struct sum *s, const struct ptx_instruction *user, uint32_t n,
			 uint64_t value, int depth)
{
	const struct ptx_operand *o = &user->operands[n];
	const struct ptx_instruction *in;
	char name[24];
	uint64_t known;

	if (o->kind != PTX_OPERAND_REGISTER || depth == DEPTH ||
	    register_values_get(&s->values, o, &known))
		return;
	in = register_values_definition(&s->values, o->index);
	if (is_simple(in)) {
		solve_operation(s, in, value, depth + 1);
		return;
	}
	instruction_operand_text(user, n, name, sizeof(name));
	add_term(s, o, name, 0, false, SCALE_NONE);
	register_values_assume(&s->values, o->index, value);
}

/* Either what the term is made of follows from its value, or the value is all that is known of it.
 */
static void solve_term(struct sum *s, const struct term *t, uint64_t value)
{
	const struct ptx_instruction *in = register_values_definition(&s->values, t->operand.index);

	if (is_simple(in))
		solve_operation(s, in, value, 0);
	register_values_assume(&s->values, t->operand.index, value);
}

/* Finds the one term that is not known, when there is one. False: the sum is not what the address
 * is. */
static bool solve(struct sum *s, uint64_t address)
{
	struct term *unknown = NULL;
	int64_t rest = (int64_t)address - s->constant;
	uint64_t value;

	for (uint32_t i = 0; i < s->count; i++) {
		struct term *t = &s->terms[i];

		if (register_values_get(&s->values, &t->operand, &value)) {
			rest -= t->factor * number_of(s, t, value);
			continue;
		}
		if (unknown)
			return true;
		unknown = t;
	}
	if (!unknown)
		return !rest;
	if (unknown->operand.kind != PTX_OPERAND_REGISTER || !unknown->factor ||
	    rest % unknown->factor)
		return false;
	solve_term(s, unknown, (uint64_t)(rest / unknown->factor));
	return true;
}

/* ---- expressions ---- */

struct expression {
	struct register_values *values;
	struct buffer *out;
	bool numbers; /* rather than names */
	bool failed;  /* a part has no name or no value */
};

static const struct {
	const char *opcode, *sign;
	int level; /* how tightly it binds */
} operators[] = {
	{ "mad", "+", 1 }, { "add", "+", 1 }, { "sub", "-", 1 },
	{ "mul", "*", 2 }, { "div", "/", 2 }, { "rem", "%", 2 },
};

static void express(struct expression *x, const struct ptx_instruction *user, uint32_t n, int level,
		    int depth);

/* " - 2" rather than " + -2" */
static void express_right(struct expression *x, const struct ptx_instruction *in, const char *sign,
			  uint32_t n, int level, int depth)
{
	const struct ptx_operand *o = &in->operands[n];

	if (*sign == '+' && o->kind == PTX_OPERAND_INTEGER && (int64_t)o->value < 0) {
		buffer_printf(x->out, " - %" PRIu64, -o->value);
		return;
	}
	buffer_printf(x->out, " %s ", sign);
	express(x, in, n, level, depth);
}

static bool express_operation(struct expression *x, const struct ptx_instruction *in, int level,
			      int depth)
{
	int64_t by;

	if (instruction_is(in, "shl") && factor_of(in, &by)) {
		express(x, in, 1, 2, depth);
		buffer_printf(x->out, " * %" PRId64, by);
		return true;
	}
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		int own = operators[i].level;

		if (!instruction_is(in, operators[i].opcode) || instruction_has(in, "hi"))
			continue;
		buffer_puts(x->out, own < level ? "(" : "");
		express(x, in, 1, instruction_is(in, "mad") ? 2 : own, depth);
		if (instruction_is(in, "mad")) {
			buffer_puts(x->out, " * ");
			express(x, in, 2, 3, depth);
		}
		express_right(x, in, operators[i].sign, instruction_is(in, "mad") ? 3 : 2,
			      own + !instruction_is(in, "mad"), depth);
		buffer_puts(x->out, own < level ? ")" : "");
		return true;
	}
	return false;
}

static uint32_t parameter_number(const struct ptx_instruction *in)
{
	const struct ptx_operand *a = &in->operands[1];

	if (!instruction_is(in, "ld") || !instruction_has(in, "param") ||
	    a->kind != PTX_OPERAND_ADDRESS || a->elements[0].kind != PTX_OPERAND_VARIABLE)
		return 0;
	return a->elements[0].index + 1;
}

static void express_leaf(struct expression *x, const struct ptx_instruction *user, uint32_t n,
			 const struct ptx_instruction *in)
{
	const struct ptx_operand *o = &user->operands[n];
	char name[24];
	uint64_t value;

	if (x->numbers || o->kind == PTX_OPERAND_INTEGER) {
		if (register_values_get(x->values, o, &value))
			buffer_printf(x->out, "%" PRId64, as_number(x->values, o, value));
		else
			x->failed = true;
	} else if (o->kind == PTX_OPERAND_SPECIAL) {
		buffer_puts(x->out, special_register_name(o->name));
	} else if (in && parameter_number(in)) {
		buffer_printf(x->out, "parameter %u", parameter_number(in));
	} else {
		instruction_operand_text(user, n, name, sizeof(name));
		buffer_puts(x->out, name);
	}
}

static void express(struct expression *x, const struct ptx_instruction *user, uint32_t n, int level,
		    int depth)
{
	const struct ptx_operand *o = &user->operands[n];
	const struct ptx_instruction *in = NULL;

	if (o->kind == PTX_OPERAND_REGISTER && depth < DEPTH)
		in = register_values_definition(x->values, o->index);
	if (in && in->operand_count < 2)
		in = NULL;
	if (in && in->operands[1].kind != PTX_OPERAND_VECTOR &&
	    (instruction_is(in, "mov") || instruction_is(in, "cvta") ||
	     (instruction_is(in, "cvt") && instruction_bits(in)))) {
		express(x, in, 1, level, depth + 1);
		return;
	}
	if (!in || !instruction_bits(in) || !express_operation(x, in, level, depth + 1))
		express_leaf(x, user, n, in);
}

/* ---- what is told of a value ---- */

static void put_line(const struct ptx_function *f, const struct ptx_instruction *in,
		     struct buffer *out)
{
	struct ptx_lines_frame frame;

	if (ptx_lines_frames(f->module, in->loc, f->name, &frame, 1))
		buffer_printf(out, " %s:%u", frame.file, frame.line);
}

static bool assigns(const struct ptx_instruction *in, uint32_t index)
{
	return in->operand_count > 1 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
	       in->operands[0].index == index && !instruction_is(in, "st") &&
	       !instruction_is(in, "red");
}

/* Written in several places: a variable of a loop or of several branches. */
static void put_assignments(const struct ptx_function *f, uint32_t index, struct buffer *out)
{
	cleanup_buffer struct buffer last = BUFFER_INIT;
	uint32_t told = 0;

	for (uint32_t i = 0; i < f->body->instruction_count && told < 3; i++) {
		cleanup_buffer struct buffer line = BUFFER_INIT;

		if (!assigns(&f->body->instructions[i], index))
			continue;
		put_line(f, &f->body->instructions[i], &line);
		if (!line.len || !strcmp(buffer_text(&line), buffer_text(&last)))
			continue;
		buffer_printf(out, "%s%s", told++ ? " and" : ": set in", buffer_text(&line));
		buffer_clear(&last);
		buffer_puts(&last, buffer_text(&line));
	}
}

static void put_origin(struct sum *s, const struct term *t, struct buffer *out)
{
	const struct ptx_function *f = s->values.function;
	cleanup_buffer struct buffer names = BUFFER_INIT, numbers = BUFFER_INIT;
	struct expression x = { &s->values, &names, false, false },
			  y = { &s->values, &numbers, true, false };
	struct ptx_instruction use = { .operand_count = 1 };
	const struct ptx_instruction *in;
	struct ptx_operand operand = t->operand;

	in = register_values_definition(&s->values, t->operand.index);
	if (!in) {
		put_assignments(f, t->operand.index, out);
		return;
	}
	if (parameter_number(in)) {
		buffer_printf(out, ": parameter %u", parameter_number(in));
		return;
	}
	use.operands = &operand;
	use.text = t->name;
	use.text_len = (uint16_t)strlen(t->name);
	express(&x, &use, 0, 0, 0);
	express(&y, &use, 0, 0, 0);
	if (!strcmp(buffer_text(&names), t->name)) {
		buffer_puts(out, instruction_is(in, "ld") || instruction_is(in, "atom")
					 ? ": loaded in"
					 : ": made in");
		put_line(f, in, out);
		return;
	}
	buffer_printf(out, ": %s", buffer_text(&names));
	if (!y.failed && strchr(buffer_text(&numbers), ' '))
		buffer_printf(out, " = %s", buffer_text(&numbers));
}

static void put_term(struct sum *s, const struct term *t, struct gpu_fault *f)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct gpu_fault_value *to = &f->values[f->value_count];
	uint64_t value;

	if (f->value_count == GPU_FAULT_VALUES || t->operand.kind != PTX_OPERAND_REGISTER ||
	    !register_values_get(&s->values, &t->operand, &value))
		return;
	if (t->is_wide)
		buffer_printf(&out, "%s = 0x%" PRIx64, t->name, value);
	else
		buffer_printf(&out, "%s = %" PRId64, t->name, number_of(s, t, value));
	put_origin(s, t, &out);
	if (out.len < sizeof(to->text)) {
		snprintf(to->text, sizeof(to->text), "%s", buffer_text(&out));
		f->value_count++;
	}
}

static void put_formula(const struct sum *s, struct gpu_fault *f)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	bool from_constant = s->constant >= ADDRESSES;

	/* The value that it starts from stands first. */
	if (from_constant)
		buffer_printf(&out, "0x%" PRIx64, s->constant);
	for (int index = 0; index < 2; index++)
		for (uint32_t i = 0; i < s->count; i++) {
			const struct term *t = &s->terms[i];

			if (t->is_wide == (bool)index || !t->factor) /* 0: only part of an index */
				continue;
			buffer_puts(&out, !out.len        ? (t->factor < 0 ? "-" : "")
					  : t->factor < 0 ? " - "
							  : " + ");
			if (t->factor != 1 && t->factor != -1)
				buffer_printf(&out, "%" PRId64 " * ",
					      t->factor < 0 ? -t->factor : t->factor);
			buffer_puts(&out, t->name);
		}
	if (s->constant && !from_constant)
		buffer_printf(&out, " %c %" PRId64, s->constant < 0 ? '-' : '+',
			      s->constant < 0 ? -s->constant : s->constant);
	if (out.len < sizeof(f->formula))
		snprintf(f->formula, sizeof(f->formula), "%s", buffer_text(&out));
}

static const struct ptx_instruction *instruction_at(const struct warp *w, const struct op *o)
{
	const struct ptx_body *b = w->frame->program->function->body;

	return o->source < b->instruction_count ? &b->instructions[o->source] : NULL;
}

/* The operand in brackets; NULL: none, or several. */
static const struct ptx_operand *address_of(const struct ptx_instruction *in, uint32_t *ret_number)
{
	const struct ptx_operand *found = NULL;

	for (uint32_t i = 0; in && i < in->operand_count; i++) {
		if (in->operands[i].kind != PTX_OPERAND_ADDRESS)
			continue;
		if (found || in->operands[i].count != 1)
			return NULL;
		found = &in->operands[i];
		*ret_number = i;
	}
	return found;
}

void fault_address_explain(const struct warp *w, const struct op *o, uint32_t lane,
			   struct gpu_fault *f)
{
	const struct ptx_instruction *in = instruction_at(w, o);
	uint32_t number = 0;
	const struct ptx_operand *a = address_of(in, &number);
	struct sum s = { .count = 0 };
	char name[24];

	f->formula[0] = '\0';
	f->value_count = 0;
	if (!a)
		return;
	register_values_init(&s.values, w, lane);
	instruction_operand_text(in, number, name, sizeof(name));
	if (a->elements[0].kind == PTX_OPERAND_REGISTER)
		s.constant = (int64_t)a->elements[0].value;
	s.constant += (int64_t)a->value;
	add(&s, &a->elements[0], name, 1, SCALE_NONE, 0);
	if (s.overflow || !s.count)
		return;
	if (!solve(&s, f->address))
		return;
	put_formula(&s, f);
	for (uint32_t i = 0; i < s.count; i++)
		if (s.terms[i].is_wide)
			put_term(&s, &s.terms[i], f);
	for (uint32_t i = 0; i < s.count; i++)
		if (!s.terms[i].is_wide)
			put_term(&s, &s.terms[i], f);
}
