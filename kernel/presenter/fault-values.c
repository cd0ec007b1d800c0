/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parser of one line of C that knows names, members, elements, sums, and these in parentheses; it
 * skips anything else.
 */
#include "kernel/presenter/fault-values.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/presenter/session-view.h"

#define NAME_MAX_BYTES 64
#define LINES_MAX 8
#define PARAMETERS_MAX 4
#define DEPTH_MAX 8

struct reader {
	const struct fault_scene *scene;
	const char *line, *at;
	struct fault_values *out;
	unsigned n_lines;
	unsigned depth;
};

void fault_values_release(struct fault_values *v)
{
	buffer_release(&v->lines);
}

static bool starts_name(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_space(struct reader *r)
{
	r->at += strspn(r->at, " \t");
}

static bool take_name(struct reader *r, char *ret)
{
	size_t n = 0;

	skip_space(r);
	if (!starts_name(*r->at))
		return false;
	while (in_name(r->at[n]))
		n++;
	snprintf(ret, NAME_MAX_BYTES, "%.*s", (int)n, r->at);
	r->at += n;
	return true;
}

/* Finds a variable of the session in the unit that defined it last. */
static bool find_elsewhere(const struct fault_scene *s, const char *name, uint64_t place,
			   struct debug_value *ret)
{
	const struct session_unit *u = place ? session_view_definer(s->view, name) : NULL;
	struct unit_debug *d = u ? session_unit_debug(u) : NULL;
	Dwarf_Die die;

	return d && unit_debug_global(d, name, &die) && debug_value_of(&s->frame, &die, place, ret);
}

static bool find_value(const struct fault_scene *s, const char *name, struct debug_value *ret)
{
	struct unit_debug *d = session_unit_debug(s->unit);
	uint64_t place = session_view_address(s->view, name);
	bool global;
	Dwarf_Die die;

	if (d && unit_debug_variable(d, s->frame.address, s->place, name, &die, &global))
		return debug_value_of(&s->frame, &die, global ? place : 0, ret);
	return find_elsewhere(s, name, place, ret);
}

static bool is_told(const struct reader *r, const char *text, size_t len)
{
	const char *at = buffer_text(&r->out->lines);

	for (; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (!strncmp(at, text, len) && at[len] == ' ')
			return true;
	return false;
}

/* Returns the length of the text without trailing blanks. */
static size_t trimmed(const char *from, const char *end)
{
	while (end > from && isspace((unsigned char)end[-1]))
		end--;
	return (size_t)(end - from);
}

static void tell(struct reader *r, const char *from, const char *end, const struct debug_value *v)
{
	size_t len = trimmed(from, end);
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (r->n_lines == LINES_MAX || is_told(r, from, len) ||
	    !debug_value_format(&r->scene->frame, v, &text))
		return;
	if (r->scene->owner && debug_value_is_pointer(v) && v->bits)
		r->scene->owner(r->scene->owner_data, v->bits, &text);
	buffer_printf(&r->out->lines, "%.*s = %s\n", (int)len, from, buffer_text(&text));
	r->n_lines++;
}

static void tell_count(struct reader *r, const char *from, const char *end,
		       const struct debug_value *v, int64_t index)
{
	uint64_t n = debug_value_count(v);
	size_t len = trimmed(from, end);

	if (!n || (index >= 0 && (uint64_t)index < n) || r->n_lines == LINES_MAX ||
	    is_told(r, from, len))
		return;
	buffer_printf(&r->out->lines, "%.*s has %" PRIu64 " elements\n", (int)len, from, n);
	r->n_lines++;
}

static bool is_the_address(const struct reader *r, const struct debug_value *v)
{
	const struct fault_scene *s = r->scene;

	return s->has_address && v->has_address && !*r->out->member &&
	       s->address - v->address < (v->size ? v->size : 1);
}

static void note_member(struct reader *r, const char *name, const struct debug_value *of,
			const char *from, const char *end)
{
	cleanup_buffer struct buffer type = BUFFER_INIT;

	debug_value_type_name(of, &type);
	snprintf(r->out->member, sizeof(r->out->member), "member `%s`%s%s, through `%.*s`", name,
		 type.len ? " of " : "", buffer_text(&type), (int)trimmed(from, end), from);
}

static void note_element(struct reader *r, int64_t index, const char *from, const char *end)
{
	snprintf(r->out->member, sizeof(r->out->member), "element %" PRId64 " of `%.*s`", index,
		 (int)trimmed(from, end), from);
}

static bool read_chain(struct reader *r, struct debug_value *ret);

/* Reads a number or a chain. */
static bool read_term(struct reader *r, int64_t *ret)
{
	struct debug_value v;
	char *end;

	skip_space(r);
	if (isdigit((unsigned char)*r->at)) {
		*ret = (int64_t)strtoull(r->at, &end, 0);
		r->at = end + strspn(end, "uUlL");
		return true;
	}
	if (!starts_name(*r->at) || !read_chain(r, &v) || !v.has_bits ||
	    !debug_value_is_integer(&v))
		return false;
	*ret = debug_value_integer(&v);
	return true;
}

/* Reads sums and products from left to right; it gives up at a product behind a sum, because it
 * does not know precedence. */
static bool read_sum(struct reader *r, int64_t *ret)
{
	bool negative, summed = false;
	int64_t term;

	skip_space(r);
	negative = *r->at == '-';
	r->at += negative;
	if (!read_term(r, ret))
		return false;
	if (negative)
		*ret = -*ret;
	for (;;) {
		char op;

		skip_space(r);
		op = *r->at;
		if ((op != '+' && op != '-' && op != '*') || r->at[1] == op ||
		    (op == '*' && summed))
			return true;
		r->at++;
		if (!read_term(r, &term))
			return false;
		if (op == '*')
			*ret = (int64_t)((uint64_t)*ret * (uint64_t)term);
		else
			*ret = (int64_t)((uint64_t)*ret + (uint64_t)(op == '-' ? -term : term));
		summed |= op != '*';
	}
}

static void read_until(struct reader *r, char close);

/* Reads an index: it begins at '[' and ends behind its ']'. */
static bool read_index(struct reader *r, int64_t *ret)
{
	const char *start = ++r->at;
	bool known = r->depth < DEPTH_MAX;

	r->depth++;
	known = known && read_sum(r, ret);
	skip_space(r);
	if (*r->at != ']') {
		known = false;
		r->at = start;
		read_until(r, ']');
	}
	r->depth--;
	r->at += *r->at == ']';
	return known;
}

/* Reads "->next" behind a pointer or ".next" behind a structure. */
static bool read_member(struct reader *r, const char *from, bool known, struct debug_value *v)
{
	const char *end = r->at;
	bool arrow = *r->at == '-';
	struct debug_value record = *v, m;
	char name[NAME_MAX_BYTES];

	r->at += arrow ? 2 : 1;
	if (!take_name(r, name) || !known)
		return false;
	if (arrow) {
		tell(r, from, end, v);
		if (!debug_value_is_pointer(v) ||
		    !debug_value_element(&r->scene->frame, v, 0, &record))
			return false;
	}
	if (!debug_value_member(&r->scene->frame, &record, name, &m))
		return false;
	if (is_the_address(r, &m) && arrow)
		note_member(r, name, &record, from, end);
	*v = m;
	return true;
}

static bool read_element(struct reader *r, const char *from, bool known, struct debug_value *v)
{
	const char *end = r->at;
	struct debug_value e;
	int64_t index;

	if (known && debug_value_is_pointer(v))
		tell(r, from, end, v);
	if (!read_index(r, &index) || !known ||
	    !debug_value_element(&r->scene->frame, v, index, &e))
		return false;
	tell_count(r, from, end, v, index);
	if (is_the_address(r, &e))
		note_element(r, index, from, end);
	*v = e;
	return true;
}

/* Tells whether the chain is assigned to: a value that is only written does not explain the
 * fault. */
static bool is_assigned(const struct reader *r)
{
	return r->at[0] == '=' && r->at[1] != '=';
}

/* Reads members and elements behind the text from `from` to here. */
static bool read_tail(struct reader *r, const char *from, bool known, struct debug_value *v)
{
	for (;; skip_space(r)) {
		if (!strncmp(r->at, "->", 2) || (*r->at == '.' && starts_name(r->at[1])))
			known = read_member(r, from, known, v);
		else if (*r->at == '[')
			known = read_element(r, from, known, v);
		else
			return known;
	}
}

/* Follows the stars in front: each value on the way is reported, and which of them is at the
 * faulting address. False when the last is not known. */
static bool follow(struct reader *r, const char *from, unsigned stars, struct debug_value *v)
{
	for (unsigned i = 0; i < stars; i++) {
		const char *start = from - i;
		struct debug_value target;

		if (i)
			tell(r, start, r->at, v);
		if (!debug_value_element(&r->scene->frame, v, 0, &target))
			return false;
		if (is_the_address(r, &target))
			snprintf(r->out->member, sizeof(r->out->member), "what `%.*s` points to",
				 (int)trimmed(start, r->at), start);
		*v = target;
	}
	return true;
}

static unsigned stars_before(const struct reader *r, const char *from)
{
	unsigned n = 0;

	while (from - n > r->line && from[-1 - (int)n] == '*')
		n++;
	return n;
}

/* Reads a chain, from a name to its end. False when its value is not known. */
static bool read_chain(struct reader *r, struct debug_value *ret)
{
	const char *from = r->at;
	unsigned stars = stars_before(r, from);
	struct debug_value v = { 0 };
	char name[NAME_MAX_BYTES];
	bool known;

	take_name(r, name);
	skip_space(r);
	known = find_value(r->scene, name, &v);
	if (known && *r->at == '(')
		tell(r, from, r->at, &v);
	known = read_tail(r, from, known && *r->at != '(', &v);
	if (known && (stars || !is_assigned(r)))
		tell(r, from, r->at, &v);
	if (stars && known) {
		struct debug_value end = v;

		if (follow(r, from, stars, &end) && !is_assigned(r))
			tell(r, from - stars, r->at, &end);
	}
	*ret = v;
	return known;
}

/* Reads "+ i" behind a pointer or an array, which moves it. */
static bool read_step(struct reader *r, bool known, struct debug_value *v)
{
	struct debug_value element;
	int64_t index;
	bool minus = *r->at == '-';

	r->at++;
	if (!read_sum(r, &index) || !known ||
	    !debug_value_element(&r->scene->frame, v, minus ? -index : index, &element))
		return false;
	if (debug_value_is_pointer(v))
		v->bits = element.address;
	else
		v->address = element.address;
	return true;
}

static bool read_group(struct reader *r, bool *ret_known, struct debug_value *ret);

/* Reads the beginning of a group, its stars included. False when it is unknown. */
static bool read_inner(struct reader *r, bool *ret_known, struct debug_value *ret)
{
	const char *from = r->at + strspn(r->at, " \t*");

	r->at = from;
	if (*from == '(')
		return read_group(r, ret_known, ret);
	if (!starts_name(*from))
		return false;
	*ret_known = read_chain(r, ret) && follow(r, from, stars_before(r, from), ret);
	return true;
}

/* Reads "(*p)", "(p + 3)", "(*(p + i))" from '(' to behind its tail. False, without moving, when it
 * is no such group. */
static bool read_group(struct reader *r, bool *ret_known, struct debug_value *ret)
{
	const char *from = r->at;
	struct debug_value v = { 0 };
	unsigned outer = stars_before(r, from);
	bool known = false, group = r->depth < DEPTH_MAX;

	r->depth++;
	r->at++;
	group = group && read_inner(r, &known, &v);
	skip_space(r);
	if ((*r->at == '+' || *r->at == '-') && r->at[1] != '>' && r->at[1] != *r->at)
		known = read_step(r, known, &v);
	r->depth--;
	skip_space(r);
	if (!group || *r->at != ')') {
		r->at = from;
		return false;
	}
	r->at++;
	skip_space(r);
	if (!strncmp(r->at, "->", 2) || *r->at == '.' || *r->at == '[') {
		known = read_tail(r, from, known, &v);
		if (known && (outer || !is_assigned(r)))
			tell(r, from, r->at, &v);
	}
	known = known && follow(r, from, outer, &v);
	if (known && outer && !is_assigned(r))
		tell(r, from - outer, r->at, &v);
	*ret_known = known;
	*ret = v;
	return true;
}

/* Skips a member of an unknown value, which must not be taken for a variable. */
static bool skip_member(struct reader *r)
{
	char name[NAME_MAX_BYTES];
	size_t n = !strncmp(r->at, "->", 2) ? 2 : *r->at == '.';

	if (!n || !starts_name(r->at[n + strspn(r->at + n, " \t")]))
		return false;
	r->at += n;
	return take_name(r, name);
}

static void skip_literal(struct reader *r)
{
	char quote = *r->at++;

	while (*r->at && *r->at != quote)
		r->at += *r->at == '\\' && r->at[1] ? 2 : 1;
	r->at += *r->at == quote;
}

/* Tells whether this '(' begins the arguments of a function. */
static bool is_call(const struct reader *r)
{
	const char *end = r->line + trimmed(r->line, r->at), *word = end;

	while (word > r->line && in_name(word[-1]))
		word--;
	if (word == end)
		return end > r->line && (end[-1] == ')' || end[-1] == ']');
	return end - word != 6 || strncmp(word, "return", 6);
}

/* Reads all chains up to this character, or to the end of the line. */
static void read_until(struct reader *r, char close)
{
	struct debug_value v;
	bool known;

	while (*r->at && *r->at != close && strncmp(r->at, "//", 2)) {
		if (*r->at == '"' || *r->at == '\'')
			skip_literal(r);
		else if (starts_name(*r->at))
			read_chain(r, &v);
		else if (isdigit((unsigned char)*r->at))
			while (in_name(*r->at) || *r->at == '.')
				r->at++;
		else if (!(*r->at == '(' && !is_call(r) && read_group(r, &known, &v)) &&
			 !skip_member(r))
			r->at++;
	}
}

void fault_values_read(const struct fault_scene *s, const char *line, struct fault_values *ret)
{
	struct reader r = { .scene = s, .line = line, .at = line, .out = ret };

	read_until(&r, '\0');
}

static bool put_parameter(const struct fault_scene *s, Dwarf_Die *die, unsigned n,
			  struct buffer *out)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const char *name = dwarf_tag(die) == DW_TAG_formal_parameter ? dwarf_diename(die) : NULL;
	struct debug_value v;

	if (!name || !debug_value_of(&s->frame, die, 0, &v) ||
	    !debug_value_format(&s->frame, &v, &text))
		return false;
	buffer_printf(out, "%s%s = %s", n ? ", " : "", name, buffer_text(&text));
	return true;
}

void fault_values_parameters(const struct fault_scene *s, Dwarf_Die *function, struct buffer *out)
{
	unsigned n = 0;
	Dwarf_Die child;

	if (dwarf_child(function, &child))
		return;
	do {
		n += put_parameter(s, &child, n, out);
	} while (n < PARAMETERS_MAX && !dwarf_siblingof(&child, &child));
}
