/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the type code, with one function for each kind of type; each returns the end of the
 * code it has printed. type_code_skip() has validated the code, members inside their structures
 * included, so the walk trusts it; the size is checked against the bytes once.
 */
#include "kernel/views/value-format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/code/type-code.h"
#include "kernel/views/character-format.h"
#include "kernel/views/container-walk.h"
#include "kernel/views/presenter-value.h"

#define ITEMS_MAX 200     /* of the whole value */
#define ROW_MAX 100       /* of one array */
#define ELEMENT_MAX 4096  /* bytes of an element of a container */
#define SHORT_ROW_MAX 8   /* where the text must fit into a column */
#define TARGET_MAX 4096   /* bytes of one value behind a pointer */
#define TARGET_ROW_MAX 20 /* of one array behind a pointer */

struct walk {
	const struct presenter_value *v;
	struct value_reader reader;
	struct buffer *out;
	size_t row_max;
	size_t items; /* printed so far */
	bool top;     /* at the value itself: only there pointers are followed */
};

static const char *walk_type(struct walk *w, const char *code, const char *bytes);

static uint64_t load(const void *bytes, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size < sizeof(value) ? size : sizeof(value));
	return value;
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return bits >= 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* Writes the shortest text that reads back as the same value, always with a point or an
 * exponent. */
static void put_float(struct buffer *out, double value, int digits_max)
{
	char text[64];

	if (isnan(value) || isinf(value)) {
		buffer_puts(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
		return;
	}
	for (int digits = 1; digits <= digits_max; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (digits_max <= 9 ? strtof(text, NULL) == (float)value
				    : strtod(text, NULL) == value)
			break;
	}
	/* Prefer 100000 to 1e+05. */
	if (strchr(text, 'e') && fabs(value) >= 1 && fabs(value) < 1e15)
		snprintf(text, sizeof(text), "%.1f", value);
	buffer_puts(out, text);
	if (!strpbrk(text, ".en"))
		buffer_puts(out, ".0");
}

static double half_to_double(uint16_t h)
{
	int exponent = h >> 10 & 31, fraction = h & 1023;
	double value;

	if (exponent == 31)
		value = fraction ? NAN : INFINITY;
	else if (exponent)
		value = ldexp(1024 + fraction, exponent - 25);
	else
		value = ldexp(fraction, -24);
	return h & 0x8000 ? -value : value;
}

static void put_floating(struct buffer *out, const char *bytes, size_t size)
{
	float f;
	double d;
	long double l;

	switch (size) {
	case 2:
		put_float(out, half_to_double(load(bytes, 2)), 5);
		break;
	case 4:
		memcpy(&f, bytes, 4);
		put_float(out, f, 9);
		break;
	case 8:
		memcpy(&d, bytes, 8);
		put_float(out, d, 17);
		break;
	default:
		memcpy(&l, bytes, sizeof(l));
		buffer_printf(out, "%.21Lg", l);
	}
}

static void put_wide(struct buffer *out, const char *bytes, bool is_signed)
{
	unsigned __int128 value;
	char digits[40];
	size_t at = sizeof(digits);

	memcpy(&value, bytes, sizeof(value));
	if (is_signed && (__int128)value < 0) {
		buffer_putc(out, '-');
		value = -value;
	}
	do {
		digits[--at] = '0' + (int)(value % 10);
		value /= 10;
	} while (value);
	buffer_append(out, digits + at, sizeof(digits) - at);
}

static void put_integer(struct buffer *out, const char *bytes, size_t size, bool is_signed)
{
	if (size == 16)
		put_wide(out, bytes, is_signed);
	else if (is_signed)
		buffer_printf(out, "%" PRId64, sign_extend(load(bytes, size), 8 * size));
	else
		buffer_printf(out, "%" PRIu64, load(bytes, size));
}

/* Grammar: enum = "e" size ["u"] ["{" NAME "=" value {"," NAME "=" value} "}"] */
static void put_enum(struct buffer *out, const char *code, const char *bytes)
{
	char *p;
	size_t size = strtoul(code + 1, &p, 10);
	int64_t value =
		*p == 'u' ? (int64_t)load(bytes, size) : sign_extend(load(bytes, size), 8 * size);

	p += *p == 'u';
	while (*p && *p != '}') {
		const char *name = ++p;
		size_t len = strcspn(name, "=,}");

		if (name[len] != '=')
			break;
		if (strtoll(name + len + 1, &p, 10) == value) {
			buffer_append(out, name, len);
			buffer_printf(out, " (%" PRId64 ")", value);
			return;
		}
	}
	buffer_printf(out, "%" PRId64, value);
}

static const char *walk_elements(struct walk *w, const char *elem, const char *bytes, size_t n)
{
	size_t size = type_code_size(elem);
	bool rows = *elem == 'a' && n > 1;

	buffer_putc(w->out, '{');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buffer_puts(w->out, rows && !w->v->max ? ",\n " : ", ");
		if (i == w->row_max || w->items > ITEMS_MAX) {
			buffer_printf(w->out, "... %zu items", n);
			break;
		}
		walk_type(w, elem, bytes + i * size);
		w->items++;
	}
	buffer_putc(w->out, '}');
	return type_code_skip(elem);
}

static const char *walk_array(struct walk *w, const char *code, const char *bytes)
{
	char *elem;
	size_t n = strtoul(code + 1, &elem, 10);

	if (!character_format_is(elem) || *code == 'x')
		return walk_elements(w, elem, bytes, n);
	character_format_string(elem, bytes, n, w->out);
	return type_code_skip(elem);
}

/* A bit-field of a packed structure may lie across its unit, so its own bytes are read. */
static void put_bit_field(struct walk *w, const char *code, const char *bytes, unsigned start,
			  unsigned width)
{
	unsigned __int128 all = 0;
	uint64_t value;
	char field[16] = { 0 };

	memcpy(&all, bytes, (start + width + 7) / 8);
	value = (uint64_t)(all >> start);
	if (width < 64)
		value &= (1ull << width) - 1;
	if (*code == 'i')
		value = sign_extend(value, width);
	memcpy(field, &value, sizeof(value));
	walk_type(w, code, field);
}

/* Grammar: member = name "@" offset ":" ["m" bit ":" width ":"] type */
static const char *walk_member(struct walk *w, const char *p, const char *bytes)
{
	size_t name_len = strcspn(p, "@");
	char *type;
	unsigned long offset = strtoul(p + name_len + 1, &type, 10), start, width;

	/* "[0]" is an element of a tuple. */
	if (name_len && *p != '[')
		buffer_printf(w->out, ".%.*s = ", (int)name_len, p);
	type++;
	if (*type != 'm')
		return walk_type(w, type, bytes + offset);
	start = strtoul(type + 1, &type, 10);
	width = strtoul(type + 1, &type, 10);
	type++;
	put_bit_field(w, type, bytes + offset, start, width);
	return type_code_skip(type);
}

static const char *walk_record(struct walk *w, const char *code, const char *bytes)
{
	const char *p = strchr(code, ')') + 1;
	bool first = true;

	if (*p != '{') {
		buffer_puts(w->out, "{...}");
		return p;
	}
	buffer_putc(w->out, '{');
	for (p++; *p != '}'; first = false) {
		if (!first)
			buffer_puts(w->out, ", ");
		p = walk_member(w, p, bytes);
		w->items++;
		if (*p == ',')
			p++;
	}
	buffer_putc(w->out, '}');
	return p + 1;
}

/* Reads characters of `unit` bytes from the address up to a zero one, if session memory has a
 * string there. */
static bool read_string(const struct value_reader *r, uint64_t address, size_t unit,
			struct buffer *text)
{
	static const char zero[4];
	char part[64];

	while (r->read && text->len <= CHARACTER_STRING_MAX * unit) {
		/* Read up to the next boundary, so that the end of a region is not crossed. */
		size_t n = sizeof(part) - address % sizeof(part), at = 0;

		n = n < unit ? unit : n - n % unit;
		if (r->read(r->data, address, part, n))
			return false;
		while (at < n && memcmp(part + at, zero, unit) != 0)
			at += unit;
		buffer_append(text, part, at);
		if (at < n)
			return true;
		address += n;
	}
	return r->read;
}

/* Tells how many bytes of a live block begin at the address, 0 when that is not known, and what it
 * belongs to. */
static uint64_t find_block(const struct walk *w, uint64_t address, struct buffer *owner)
{
	const struct value_reader *r = &w->reader;
	uint64_t rest = r->block ? r->block(r->data, address, owner) : 0;

	return rest == VALUE_FREED ? 0 : rest;
}

/* Puts the characters of a block; what lies behind its end is no part of them. */
static bool put_block_string(struct walk *w, const char *code, uint64_t address, uint64_t rest)
{
	static const char zero[4];
	cleanup_buffer struct buffer text = BUFFER_INIT;
	size_t unit = character_format_size(code), n = 0, max = CHARACTER_STRING_MAX + 1;

	max = rest / unit < max ? rest / unit : max;
	if (!max || !buffer_extend(&text, max * unit) ||
	    w->reader.read(w->reader.data, address, text.data, max * unit))
		return false;
	while (n < max && memcmp(text.data + n * unit, zero, unit) != 0)
		n++;
	character_format_string(code, text.data, n, w->out);
	if (n == rest / unit)
		buffer_printf(w->out, " (its %" PRIu64 " bytes have no '\\0')", rest);
	return true;
}

static bool put_string_target(struct walk *w, const char *code, uint64_t address)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, owner = BUFFER_INIT;
	size_t unit = character_format_size(code);
	uint64_t rest = 0;

	if (w->top && w->v->target_len)
		buffer_append(&text, w->v->target, w->v->target_len);
	else if (w->top && w->reader.read)
		rest = find_block(w, address, &owner);
	if (rest)
		return put_block_string(w, code, address, rest);
	if (!text.len && !read_string(&w->reader, address, unit, &text))
		return false;
	character_format_string(code, buffer_text(&text), text.len / unit, w->out);
	return true;
}

/* Puts the value at the address, or as many as the block has from there. */
static void put_values(struct walk *w, const char *code, uint64_t address, uint64_t rest)
{
	cleanup_buffer struct buffer bytes = BUFFER_INIT;
	size_t size = type_code_size(code), n, row_max = w->row_max;

	if (!w->reader.read || !size || size > TARGET_MAX)
		return;
	n = rest / size > 1 ? rest / size : 1;
	if (w->row_max > TARGET_ROW_MAX)
		w->row_max = TARGET_ROW_MAX;
	if (buffer_extend(&bytes, (n < w->row_max ? n : w->row_max) * size) &&
	    !w->reader.read(w->reader.data, address, bytes.data, bytes.len)) {
		buffer_puts(w->out, " -> ");
		if (n > 1)
			walk_elements(w, code, bytes.data, n);
		else
			walk_type(w, code, bytes.data);
	}
	w->row_max = row_max;
}

/* Appends " -> value" for the target of a pointer, and its owner in brackets. */
static void put_target(struct walk *w, const char *target, uint64_t address)
{
	cleanup_buffer struct buffer owner = BUFFER_INIT;

	put_values(w, target, address, find_block(w, address, &owner));
	if (owner.len && w->v->pointers == PRESENTER_POINTERS_OWNERS)
		buffer_printf(w->out, " [%s]", owner.data);
}

static const char *walk_pointer(struct walk *w, const char *code, const char *bytes)
{
	uint64_t address = load(bytes, 8);
	bool top = w->top;

	if (address && character_format_is(code + 1) && put_string_target(w, code + 1, address))
		return type_code_skip(code);
	if (top)
		buffer_printf(w->out, "(%s) ", w->v->type);
	if (!address)
		buffer_puts(w->out, "NULL");
	else
		buffer_printf(w->out, "0x%" PRIx64, address);
	if (top && address) {
		w->top = false;
		put_target(w, code + 1, address);
	}
	return type_code_skip(code);
}

/* Appends the text of a string whose characters lie at an address. */
static bool put_string(struct walk *w, const struct container_walk *c)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	uint64_t n = c->n <= CHARACTER_STRING_MAX ? c->n : CHARACTER_STRING_MAX + 1;

	if (n && (!buffer_extend(&text, n * c->size) ||
		  w->reader.read(w->reader.data, c->address, text.data, n * c->size)))
		return false;
	character_format_string(c->of.element, buffer_text(&text), n, w->out);
	return true;
}

/* Appends "1", or "\"x\": 1" of a map. False: it cannot be read. */
static bool put_element(struct walk *w, const struct container_walk *c, uint64_t address)
{
	cleanup_buffer struct buffer bytes = BUFFER_INIT;
	struct container_pair pair;

	if (!address || c->size > ELEMENT_MAX || !buffer_extend(&bytes, c->size) ||
	    w->reader.read(w->reader.data, address, bytes.data, c->size))
		return false;
	if (!container_pair_of(&c->of, &pair)) {
		walk_type(w, c->of.element, bytes.data);
		return true;
	}
	walk_type(w, pair.key, bytes.data);
	buffer_puts(w->out, ": ");
	walk_type(w, pair.value, bytes.data + pair.offset);
	return true;
}

static void put_container_elements(struct walk *w, struct container_walk *c)
{
	buffer_putc(w->out, '{');
	for (uint64_t i = 0; i < c->n; i++) {
		uint64_t address =
			i < w->row_max && w->items <= ITEMS_MAX ? container_walk_next(c) : 0;

		if (!address && c->n == UINT64_MAX && !c->address)
			break;
		if (i)
			buffer_puts(w->out, ", ");
		if (!put_element(w, c, address)) {
			buffer_puts(w->out, "...");
			if (c->n != UINT64_MAX)
				buffer_printf(w->out, " %" PRIu64 " items", c->n);
			break;
		}
		w->items++;
	}
	buffer_putc(w->out, '}');
}

static const char *walk_container(struct walk *w, const char *code, const char *bytes)
{
	const char *end = type_code_skip(code);
	struct container_walk c;

	if (!container_walk_init(&c, code, bytes, 0, w->reader.read, w->reader.data))
		buffer_puts(w->out, "{...}");
	else if (c.of.shape == 'O' && c.n)
		walk_type(w, c.of.element, bytes);
	else if (c.of.shape == 'O')
		buffer_puts(w->out, "nullopt");
	else if (!w->reader.read || (character_format_is(c.of.element) &&
				     strchr("SW", c.of.shape) && !put_string(w, &c)))
		buffer_puts(w->out, "{...}");
	else if (!strchr("SW", c.of.shape))
		put_container_elements(w, &c);
	return end;
}

static void put_bytes(struct buffer *out, const char *bytes, size_t size)
{
	buffer_printf(out, "<%zu bytes:", size);
	for (size_t i = 0; i < size && i < 16; i++)
		buffer_printf(out, " %02x", (unsigned char)bytes[i]);
	buffer_puts(out, size > 16 ? " ...>" : ">");
}

static const char *walk_type(struct walk *w, const char *code, const char *bytes)
{
	size_t size = type_code_size(code);

	if (*code == 'p')
		return walk_pointer(w, code, bytes);
	w->top = false;
	switch (*code) {
	case 'b':
		buffer_puts(w->out, *bytes ? "true" : "false");
		break;
	case 'c':
	case 'L':
	case 'U':
		character_format_one(code, bytes, w->out);
		break;
	case 'i':
	case 'u':
		put_integer(w->out, bytes, size, *code == 'i');
		break;
	case 'f':
		put_floating(w->out, bytes, size);
		break;
	case 'z':
		put_floating(w->out, bytes, size / 2);
		buffer_puts(w->out, " + ");
		put_floating(w->out, bytes + size / 2, size / 2);
		buffer_putc(w->out, 'i');
		break;
	case 'e':
		put_enum(w->out, code, bytes);
		break;
	case 'a':
	case 'x':
		return walk_array(w, code, bytes);
	case 's':
	case 'n':
		return walk_record(w, code, bytes);
	case 'k':
		return walk_container(w, code, bytes);
	default:
		put_bytes(w->out, bytes, size);
	}
	return type_code_skip(code);
}

void value_format(const struct presenter_value *v, const struct value_reader *reader,
		  struct buffer *out)
{
	struct walk w = { .v = v,
			  .reader = reader ? *reader : (struct value_reader){ 0 },
			  .out = out,
			  .row_max = v->max ? SHORT_ROW_MAX : ROW_MAX,
			  .top = true };
	const char *end = type_code_skip(v->code);
	size_t start = out->len;

	if (!end || *end || type_code_size(v->code) > v->len || !v->len) {
		buffer_printf(out, "<%zu bytes of %s>", v->len, v->type);
		return;
	}
	walk_type(&w, v->code, v->bytes);
	if (v->max && out->len - start > v->max && out->len > start) {
		size_t cut = start + v->max - 3;

		while (cut > start && (out->data[cut] & 0xc0) == 0x80)
			cut--;
		out->len = cut;
		buffer_puts(out, "...");
	}
}
