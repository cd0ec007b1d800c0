/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack machine of DWARF 4, section 2.5, as far as clang uses it for C. Unsupported operations
 * (values made of pieces, values of the caller) give "unknown"; nothing is guessed.
 */
#include "kernel/presenter/debug-value.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/buffer.h"
#include "kernel/presenter/session-view.h"

#define STACK_MAX 32
#define TYPE_DEPTH_MAX 16
#define STRING_SHOWN 40
/* The largest value in bytes that is read as bits. */
#define BITS_MAX 8

struct machine {
	const struct debug_frame *frame;
	uint64_t stack[STACK_MAX];
	unsigned n;
	bool in_register; /* the result is the value, not its address */
	bool failed;
};

static bool read_memory(const struct debug_frame *f, uint64_t address, void *out, size_t len)
{
	return session_view_read(f->view, address, out, len);
}

static uint64_t read_bits(const struct debug_frame *f, uint64_t address, size_t size, bool *ok)
{
	uint64_t v = 0;

	*ok = size <= sizeof(v) && read_memory(f, address, &v, size);
	return *ok ? v : 0;
}

static void push(struct machine *m, uint64_t v)
{
	if (m->n == STACK_MAX)
		m->failed = true;
	else
		m->stack[m->n++] = v;
}

static uint64_t pop(struct machine *m)
{
	if (!m->n) {
		m->failed = true;
		return 0;
	}
	return m->stack[--m->n];
}

static uint64_t register_value(struct machine *m, uint64_t number)
{
	if (number >= 64 || !(m->frame->known >> number & 1)) {
		m->failed = true;
		return 0;
	}
	return m->frame->registers[number];
}

static void load(struct machine *m, size_t size)
{
	bool ok;
	uint64_t v = read_bits(m->frame, pop(m), size, &ok);

	m->failed |= !ok;
	push(m, v);
}

static uint64_t frame_base(struct machine *m);

static uint64_t place_of(struct machine *m, uint64_t in_layout)
{
	const struct debug_frame *f = m->frame;
	uint64_t place = f->place ? f->place(f->place_data, in_layout) : 0;

	m->failed |= !place;
	return place;
}

static void binary(struct machine *m, uint8_t op)
{
	uint64_t b = pop(m), a = pop(m);

	switch (op) {
	case DW_OP_plus:
		push(m, a + b);
		return;
	case DW_OP_minus:
		push(m, a - b);
		return;
	case DW_OP_mul:
		push(m, a * b);
		return;
	case DW_OP_and:
		push(m, a & b);
		return;
	case DW_OP_or:
		push(m, a | b);
		return;
	case DW_OP_xor:
		push(m, a ^ b);
		return;
	case DW_OP_shl:
		push(m, b < 64 ? a << b : 0);
		return;
	case DW_OP_shr:
		push(m, b < 64 ? a >> b : 0);
		return;
	case DW_OP_shra:
		push(m, (uint64_t)((int64_t)a >> (b < 64 ? b : 63)));
		return;
	default:
		m->failed = true;
	}
}

static void stack_operation(struct machine *m, uint8_t op)
{
	uint64_t a = pop(m);

	switch (op) {
	case DW_OP_dup:
		push(m, a);
		push(m, a);
		return;
	case DW_OP_neg:
		push(m, -a);
		return;
	case DW_OP_not:
		push(m, ~a);
		return;
	default: /* DW_OP_drop */
		return;
	}
}

static void step(struct machine *m, const Dwarf_Op *o)
{
	uint8_t op = o->atom;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(m, op - DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push(m, register_value(m, op - DW_OP_breg0) + o->number);
	} else if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		push(m, register_value(m, op - DW_OP_reg0));
		m->in_register = true;
	} else if (op == DW_OP_dup || op == DW_OP_drop || op == DW_OP_neg || op == DW_OP_not) {
		stack_operation(m, op);
	} else {
		switch (op) {
		case DW_OP_const1u:
		case DW_OP_const1s:
		case DW_OP_const2u:
		case DW_OP_const2s:
		case DW_OP_const4u:
		case DW_OP_const4s:
		case DW_OP_const8u:
		case DW_OP_const8s:
		case DW_OP_constu:
		case DW_OP_consts:
			push(m, o->number);
			return;
		case DW_OP_addr:
			push(m, place_of(m, o->number));
			return;
		case DW_OP_fbreg:
			push(m, frame_base(m) + o->number);
			return;
		case DW_OP_plus_uconst:
			push(m, pop(m) + o->number);
			return;
		case DW_OP_deref:
			load(m, 8);
			return;
		case DW_OP_deref_size:
			load(m, o->number);
			return;
		case DW_OP_stack_value:
			m->in_register = true;
			return;
		case DW_OP_nop:
			return;
		default:
			binary(m, op);
		}
	}
}

static bool run(struct machine *m, Dwarf_Attribute *location)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation_addr(location, m->frame->address, &ops, &n, 1) != 1)
		return false;
	for (size_t i = 0; i < n && !m->failed; i++)
		step(m, &ops[i]);
	return !m->failed && m->n;
}

static uint64_t frame_base(struct machine *m)
{
	struct machine base = { .frame = m->frame };
	Dwarf_Die function = m->frame->function;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	/* The frame base must not be defined by itself. */
	if (!dwarf_attr(&function, DW_AT_frame_base, &a) ||
	    dwarf_getlocation_addr(&a, m->frame->address, &ops, &n, 1) != 1 || n != 1 ||
	    ops[0].atom == DW_OP_fbreg) {
		m->failed = true;
		return 0;
	}
	step(&base, &ops[0]);
	m->failed |= base.failed;
	return base.n ? base.stack[0] : 0;
}

/* ---- types ---- */

static bool peel(Dwarf_Die *type)
{
	for (int i = 0; i < TYPE_DEPTH_MAX; i++) {
		Dwarf_Attribute a;

		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		default:
			return true;
		}
		if (!dwarf_formref_die(dwarf_attr(type, DW_AT_type, &a), type))
			return false;
	}
	return false;
}

/* Finds the type of a DIE, peeled. False: void, or a broken entry. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute a;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &a), ret) && peel(ret);
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) ? 0 : size;
}

static bool is_scalar(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_base_type || tag == DW_TAG_pointer_type ||
	       tag == DW_TAG_enumeration_type;
}

static void set_type(struct debug_value *v, const Dwarf_Die *type)
{
	v->type = *type;
	v->size = size_of(&v->type);
}

static void fetch(const struct debug_frame *f, struct debug_value *v)
{
	if (v->has_address && v->size && v->size <= BITS_MAX && is_scalar(&v->type))
		v->bits = read_bits(f, v->address, v->size, &v->has_bits);
}

/* Tells whether the location is a static address; *ret is in the unit's layout. */
static bool is_static(Dwarf_Attribute *location, const struct debug_frame *f, uint64_t *ret)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation_addr(location, f->address, &ops, &n, 1) != 1 || n != 1 ||
	    ops[0].atom != DW_OP_addr)
		return false;
	*ret = ops[0].number;
	return true;
}

/* Tells whether the location is a number that is added to the frame pointer, register 6 of x86-64
 * and 29 of aarch64. */
static bool is_in_frame(Dwarf_Attribute *location, const struct debug_frame *f)
{
	Dwarf_Die function = f->function;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	return dwarf_getlocation_addr(location, f->address, &ops, &n, 1) == 1 && n == 1 &&
	       ops[0].atom == DW_OP_fbreg && dwarf_attr(&function, DW_AT_frame_base, &a) &&
	       dwarf_getlocation_addr(&a, f->address, &ops, &n, 1) == 1 && n == 1 &&
	       (ops[0].atom == DW_OP_reg6 || ops[0].atom == DW_OP_reg29);
}

bool debug_value_of(const struct debug_frame *f, Dwarf_Die *variable, uint64_t place,
		    struct debug_value *ret)
{
	struct debug_value v = { 0 };
	struct machine m = { .frame = f };
	bool is_in_layout = false;
	uint64_t in_layout = 0;
	Dwarf_Attribute a;
	Dwarf_Die type;
	Dwarf_Word constant;

	if (!type_of(variable, &type))
		return false;
	set_type(&v, &type);
	if (dwarf_attr_integrate(variable, DW_AT_const_value, &a) &&
	    !dwarf_formudata(&a, &constant)) {
		v.bits = constant;
		v.has_bits = true;
	} else if (!dwarf_attr_integrate(variable, DW_AT_location, &a) ||
		   (is_in_layout = is_static(&a, f, &in_layout))) {
		if (!place && is_in_layout && f->place)
			place = f->place(f->place_data, in_layout);
		if (!place)
			return false;
		v.has_address = true;
		v.address = place;
		v.place = BOUND_FIXED;
		fetch(f, &v);
	} else if (!run(&m, &a)) {
		return false;
	} else if (m.in_register) {
		v.bits = m.stack[m.n - 1];
		v.has_bits = is_scalar(&type) && v.size <= BITS_MAX;
	} else {
		v.has_address = true;
		v.address = m.stack[m.n - 1];
		v.place = is_in_frame(&a, f) ? BOUND_IN_FRAME : BOUND_NOWHERE;
		fetch(f, &v);
	}
	*ret = v;
	return true;
}

bool debug_value_is_pointer(const struct debug_value *v)
{
	Dwarf_Die type = v->type;

	return dwarf_tag(&type) == DW_TAG_pointer_type;
}

bool debug_value_is_reference(const struct debug_value *v)
{
	Dwarf_Die type = v->type;
	int tag = dwarf_tag(&type);

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

static bool debug_value_is_array(const struct debug_value *v)
{
	Dwarf_Die type = v->type;

	return dwarf_tag(&type) == DW_TAG_array_type;
}

static Dwarf_Word encoding(const struct debug_value *v)
{
	Dwarf_Die type = v->type;
	Dwarf_Attribute a;
	Dwarf_Word e;

	if (dwarf_tag(&type) == DW_TAG_enumeration_type)
		return DW_ATE_signed;
	if (dwarf_tag(&type) != DW_TAG_base_type ||
	    dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &a), &e))
		return 0;
	return e;
}

static bool is_signed(const struct debug_value *v)
{
	Dwarf_Word e = encoding(v);

	return e == DW_ATE_signed || e == DW_ATE_signed_char;
}

bool debug_value_is_integer(const struct debug_value *v)
{
	Dwarf_Word e = encoding(v);

	return e && e != DW_ATE_float && e != DW_ATE_complex_float;
}

int64_t debug_value_integer(const struct debug_value *v)
{
	unsigned unused = v->size && v->size < 8 ? (unsigned)(64 - 8 * v->size) : 0;

	return is_signed(v) ? (int64_t)(v->bits << unused) >> unused
			    : (int64_t)(v->bits << unused >> unused);
}

bool debug_value_element(const struct debug_frame *f, const struct debug_value *v, int64_t index,
			 struct debug_value *ret)
{
	struct debug_value e = { .has_address = true };
	Dwarf_Die of = v->type, type;
	bool pointer = debug_value_is_pointer(v);

	if (!(pointer ? v->has_bits : debug_value_is_array(v) && v->has_address) ||
	    !type_of(&of, &type))
		return false;
	set_type(&e, &type);
	e.address = (pointer ? v->bits : v->address) + (uint64_t)index * e.size;
	fetch(f, &e);
	*ret = e;
	return true;
}

uint64_t debug_value_member_offset(Dwarf_Die *member)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	/* libdw makes an expression of the number that later versions of DWARF have. */
	if (!dwarf_attr(member, DW_AT_data_member_location, &a) ||
	    dwarf_getlocation(&a, &ops, &n) || n != 1 || ops[0].atom != DW_OP_plus_uconst)
		return 0;
	return ops[0].number;
}

/* Reads a bit-field of `width` bits from bit `at` of the record at this address. */
static void fetch_bits(const struct debug_frame *f, uint64_t record, uint64_t at, uint64_t width,
		       struct debug_value *v)
{
	uint64_t first = at / 8, n = (at + width + 7) / 8 - first;
	unsigned char bytes[16] = { 0 };
	uint64_t bits = 0;

	v->address = record + first;
	if (!width || width > 64 || !read_memory(f, v->address, bytes, n))
		return;
	for (uint64_t i = width; i-- > 0;)
		bits = bits << 1 | (bytes[(at % 8 + i) / 8] >> (at + i) % 8 & 1);
	v->bits = bits;
	v->has_bits = true;
	if (width < 64 && is_signed(v) && bits >> (width - 1) & 1)
		v->bits |= UINT64_MAX << width;
}

/* Finds a member, also inside members without a name. */
static bool find_member(Dwarf_Die *record, const char *name, unsigned depth, uint64_t *offset,
			Dwarf_Die *ret)
{
	Dwarf_Die child;

	if (depth > 4 || dwarf_child(record, &child))
		return false;
	do {
		const char *have = dwarf_diename(&child);
		Dwarf_Die inner;

		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		if (have && !strcmp(have, name)) {
			*offset += debug_value_member_offset(&child);
			*ret = child;
			return true;
		}
		if (!have && type_of(&child, &inner) &&
		    find_member(&inner, name, depth + 1, offset, ret)) {
			*offset += debug_value_member_offset(&child);
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool debug_value_member(const struct debug_frame *f, const struct debug_value *v, const char *name,
			struct debug_value *ret)
{
	struct debug_value m = { .has_address = true };
	Dwarf_Die record = v->type, member, type;
	uint64_t offset = 0;
	Dwarf_Attribute a;
	Dwarf_Word width, bit = 0;

	if (!v->has_address || !find_member(&record, name, 0, &offset, &member) ||
	    !type_of(&member, &type))
		return false;
	set_type(&m, &type);
	m.address = v->address + offset;
	if (dwarf_attr(&member, DW_AT_bit_size, &a) && !dwarf_formudata(&a, &width)) {
		if (!dwarf_attr(&member, DW_AT_data_bit_offset, &a) || dwarf_formudata(&a, &bit))
			return false;
		fetch_bits(f, m.address, bit, width, &m);
	} else {
		fetch(f, &m);
	}
	*ret = m;
	return true;
}

uint64_t debug_value_count(const struct debug_value *v)
{
	Dwarf_Die of = v->type, type;
	uint64_t size;

	if (!debug_value_is_array(v) || !type_of(&of, &type))
		return 0;
	size = size_of(&type);
	return size ? v->size / size : 0;
}

void debug_value_type_name(const struct debug_value *v, struct buffer *out)
{
	Dwarf_Die type = v->type;
	const char *name = dwarf_diename(&type);

	if (!name)
		return;
	if (dwarf_tag(&type) == DW_TAG_structure_type)
		buffer_puts(out, "struct ");
	else if (dwarf_tag(&type) == DW_TAG_union_type)
		buffer_puts(out, "union ");
	buffer_puts(out, name);
}

static void put_float(const struct debug_value *v, struct buffer *out)
{
	double d = 0;
	float f;

	if (v->size == 4) {
		memcpy(&f, &v->bits, 4);
		d = f;
	} else {
		memcpy(&d, &v->bits, 8);
	}
	buffer_printf(out, "%.*g", v->size == 4 ? 7 : 15, d);
}

static bool put_enumerator(const struct debug_value *v, struct buffer *out)
{
	Dwarf_Die type = v->type, child;

	if (dwarf_tag(&type) != DW_TAG_enumeration_type || dwarf_child(&type, &child))
		return false;
	do {
		Dwarf_Attribute a;
		Dwarf_Sword value;

		if (dwarf_tag(&child) != DW_TAG_enumerator ||
		    dwarf_formsdata(dwarf_attr(&child, DW_AT_const_value, &a), &value) ||
		    value != debug_value_integer(v))
			continue;
		buffer_printf(out, "%s (%" PRId64 ")", dwarf_diename(&child), (int64_t)value);
		return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* Appends ` "text"` for a char pointer to a string. */
static void put_string(const struct debug_frame *f, const struct debug_value *v, struct buffer *out)
{
	char text[STRING_SHOWN + 1];
	Dwarf_Die of = v->type, type;
	size_t n = 0;

	if (!type_of(&of, &type) || dwarf_tag(&type) != DW_TAG_base_type || size_of(&type) != 1)
		return;
	while (n < STRING_SHOWN && read_memory(f, v->bits + n, &text[n], 1) && text[n] >= ' ' &&
	       text[n] < 127)
		n++;
	if (n && (n == STRING_SHOWN || !text[n]))
		buffer_printf(out, " \"%.*s\"%s", (int)n, text, n == STRING_SHOWN ? "..." : "");
}

bool debug_value_format(const struct debug_frame *f, const struct debug_value *v,
			struct buffer *out)
{
	Dwarf_Die type = v->type;
	Dwarf_Word e;

	if (!v->has_bits)
		return false;
	if (debug_value_is_pointer(v)) {
		buffer_printf(out, "0x%" PRIx64, v->bits);
		put_string(f, v, out);
		return true;
	}
	if (put_enumerator(v, out))
		return true;
	e = encoding(v);
	if (e == DW_ATE_float && (v->size == 4 || v->size == 8)) {
		put_float(v, out);
	} else if (e == DW_ATE_boolean) {
		buffer_puts(out, v->bits & 1 ? "true" : "false");
	} else if (v->size == 1 && (v->bits & 0xff) >= ' ' && (v->bits & 0xff) < 127 &&
		   dwarf_diename(&type) && !strcmp(dwarf_diename(&type), "char")) {
		buffer_printf(out, "'%c' (%d)", (int)v->bits & 0xff, (int)v->bits & 0xff);
	} else if (is_signed(v)) {
		buffer_printf(out, "%" PRId64, debug_value_integer(v));
	} else if (debug_value_is_integer(v)) {
		buffer_printf(out, "%" PRIu64, (uint64_t)debug_value_integer(v));
	} else {
		return false;
	}
	return true;
}
