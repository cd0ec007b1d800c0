/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass over tokens, not a parser: outside of function bodies it reads variable declarations,
 * inside it reads statements up to `;` and looks for names of variables in them. A name that stands
 * for an address is brought into a register first:
 *
 *	ld.global.u32 %r1, [x+4];     mov.u64 %cgpu_address0, 0x300000000000;
 *	                              ld.global.u32 %r1, [%cgpu_address0+4];
 *
 * `mov` takes the number itself. A label in front of the statement stays in front; a predicate
 * belongs to the statement and needs no copy, since writing the extra register is harmless.
 */
#define _GNU_SOURCE
#include "runtime/cuda/ptx/ptx-variables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"

#define ADDRESS_REGISTERS 4

struct token {
	size_t at;
	size_t len; /* 0: end of the text */
};

void ptx_variables_init(struct ptx_variables *v)
{
	*v = (struct ptx_variables){ .pool = MEM_POOL_INIT };
}

void ptx_variables_release(struct ptx_variables *v)
{
	free(v->items);
	mem_pool_release(&v->pool);
	ptx_variables_init(v);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static size_t skip_blank(const char *text, size_t len, size_t at)
{
	while (at < len) {
		if (isspace((unsigned char)text[at])) {
			at++;
		} else if (text[at] == '/' && at + 1 < len && text[at + 1] == '/') {
			while (at < len && text[at] != '\n')
				at++;
		} else if (text[at] == '/' && at + 1 < len && text[at + 1] == '*') {
			const char *close = memmem(text + at + 2, len - at - 2, "*/", 2);

			at = close ? (size_t)(close - text) + 2 : len;
		} else {
			break;
		}
	}
	return at;
}

/* A word with its leading dot and dotted parts (".global", "ld.global.u32", "x", "0f3F800000"), a
 * string, or one character. */
static struct token next_token(const char *text, size_t len, size_t at)
{
	struct token t = { skip_blank(text, len, at), 0 };
	size_t end = t.at;

	if (end >= len)
		return t;
	if (text[end] == '"') {
		for (end++; end < len && text[end] != '"'; end++)
			end += text[end] == '\\';
		end += end < len;
	} else if (is_word(text[end]) || text[end] == '.') {
		while (end < len && (is_word(text[end]) || text[end] == '.'))
			end++;
	} else {
		end++;
	}
	t.len = (end < len ? end : len) - t.at;
	return t;
}

static bool token_is(const char *text, struct token t, const char *word)
{
	return strlen(word) == t.len && !memcmp(text + t.at, word, t.len);
}

static int fail_at(const struct ptx_variables *v, size_t at, const char *what, struct error *err)
{
	unsigned line = 1;

	for (size_t i = 0; i < at && i < v->len; i++)
		line += v->text[i] == '\n';
	return error_set(err, ERROR_INPUT, "PTX line %u: %s", line, what);
}

static struct ptx_variable *find(const struct ptx_variables *v, const char *name, size_t len)
{
	for (size_t i = 0; i < v->n; i++)
		if (strlen(v->items[i].name) == len && !memcmp(v->items[i].name, name, len))
			return &v->items[i];
	return NULL;
}

/* ".u32" -> 4; 0 for anything else. */
static uint32_t type_size(const char *text, struct token t)
{
	static const struct {
		const char *name;
		uint32_t size;
	} rows[] = {
		{ ".b8", 1 },  { ".u8", 1 },    { ".s8", 1 },  { ".b16", 2 }, { ".u16", 2 },
		{ ".s16", 2 }, { ".f16", 2 },   { ".b32", 4 }, { ".u32", 4 }, { ".s32", 4 },
		{ ".f32", 4 }, { ".f16x2", 4 }, { ".b64", 8 }, { ".u64", 8 }, { ".s64", 8 },
		{ ".f64", 8 }, { ".b128", 16 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (token_is(text, t, rows[i].name))
			return rows[i].size;
	return 0;
}

/* Name, dimensions and initialiser of one variable; at is behind the type. Sets the place behind
 * the `;`. */
static int read_declarator(struct ptx_variables *v, struct ptx_variable *x, size_t at,
			   size_t *ret_end, struct error *err)
{
	struct token t = next_token(v->text, v->len, at);
	uint64_t count = 1;

	x->name = mem_pool_strndup(&v->pool, v->text + t.at, t.len);
	if (!x->name)
		return error_set(err, ERROR_MEMORY, "out of memory for device variables");
	t = next_token(v->text, v->len, t.at + t.len);
	while (token_is(v->text, t, "[")) {
		t = next_token(v->text, v->len, t.at + 1);
		if (token_is(v->text, t, "]")) {
			count = 0;
		} else {
			uint64_t n = strtoull(v->text + t.at, NULL, 0);

			if (__builtin_mul_overflow(count, n, &count))
				return fail_at(v, t.at, "array too large", err);
			t = next_token(v->text, v->len, t.at + t.len);
		}
		t = next_token(v->text, v->len, t.at + t.len);
	}
	if (__builtin_mul_overflow(count, x->element, &x->size))
		return fail_at(v, t.at, "array too large", err);
	if (token_is(v->text, t, "=")) {
		x->is_initialised = true;
		x->init_begin = t.at + 1;
		while (t.len && !token_is(v->text, t, ";"))
			t = next_token(v->text, v->len, t.at + t.len);
		x->init_end = t.at;
	}
	if (!token_is(v->text, t, ";"))
		return fail_at(v, x->begin, "a device variable of this form is not known", err);
	x->end = *ret_end = t.at + 1;
	return 0;
}

static struct ptx_variable *append(struct ptx_variables *v, struct error *err)
{
	if (v->n == v->cap) {
		size_t cap = v->cap ? 2 * v->cap : 16;
		struct ptx_variable *items = realloc(v->items, cap * sizeof(*items));

		if (!items) {
			error_set(err, ERROR_MEMORY, "out of memory for device variables");
			return NULL;
		}
		v->items = items;
		v->cap = cap;
	}
	v->items[v->n] = (struct ptx_variable){ 0 };
	return &v->items[v->n++];
}

/*
 * One directive at module level that starts at `at`: a variable is recorded; anything else is left.
 * Returns the place where scanning goes on, or (size_t)-1.
 */
static size_t scan_directive(struct ptx_variables *v, size_t at, struct error *err)
{
	struct ptx_variable x = { .begin = skip_blank(v->text, v->len, at), .align = 1 }, *slot;
	bool is_variable = false;
	size_t end = at;

	for (struct token t = next_token(v->text, v->len, at); t.len;
	     t = next_token(v->text, v->len, t.at + t.len)) {
		if (token_is(v->text, t, ".visible") || token_is(v->text, t, ".weak") ||
		    token_is(v->text, t, ".common"))
			x.is_visible = true;
		else if (token_is(v->text, t, ".extern"))
			x.is_extern = x.is_visible = true;
		else if (token_is(v->text, t, ".global") || token_is(v->text, t, ".const"))
			is_variable = true, x.is_constant = v->text[t.at + 1] == 'c';
		else if (token_is(v->text, t, ".align"))
			x.align = (uint32_t)strtoul(v->text + t.at + t.len, NULL, 10);
		else if (token_is(v->text, t, ".managed"))
			x.is_managed = true;
		else if (is_variable && type_size(v->text, t))
			x.element = type_size(v->text, t);
		else if (is_variable && x.element)
			break;
		else if (!is_variable && v->text[t.at] != '.')
			return t.at + t.len;
		else if (!is_variable)
			return t.at + t.len;
		at = t.at + t.len;
	}
	if (!is_variable)
		return v->len;
	if (!x.element)
		return (size_t)fail_at(v, x.begin, "a device variable without a known type", err);
	if (x.align < x.element)
		x.align = x.element;
	if (read_declarator(v, &x, at, &end, err))
		return (size_t)-1;
	slot = append(v, err);
	if (!slot)
		return (size_t)-1;
	*slot = x;
	return end;
}

/* The initialiser names something that is not a variable of ours: a function, or a variable that
 * stays. */
static bool needs_the_driver(const struct ptx_variables *v, const struct ptx_variable *x)
{
	for (struct token t = next_token(v->text, x->init_end, x->init_begin); t.len;
	     t = next_token(v->text, x->init_end, t.at + t.len)) {
		const struct ptx_variable *named;
		char c = v->text[t.at];

		if (!(isalpha((unsigned char)c) || c == '_' || c == '$') ||
		    token_is(v->text, t, "generic"))
			continue;
		named = find(v, v->text + t.at, t.len);
		if (!named || named->in_module)
			return true;
	}
	return false;
}

int ptx_variables_scan(struct ptx_variables *v, const char *ptx, size_t len, struct error *err)
{
	bool changed = true;
	unsigned depth = 0;
	size_t at = 0;

	v->text = ptx;
	v->len = len;
	while ((at = skip_blank(ptx, len, at)) < len) {
		struct token t = next_token(ptx, len, at);

		if (token_is(ptx, t, "{"))
			depth++;
		else if (token_is(ptx, t, "}"))
			depth -= depth > 0;
		else if (depth == 0 && ptx[at] == '.') {
			at = scan_directive(v, at, err);
			if (at == (size_t)-1)
				return -1;
			continue;
		}
		at = t.at + t.len;
	}
	while (changed) {
		changed = false;
		for (size_t i = 0; i < v->n; i++) {
			struct ptx_variable *x = &v->items[i];

			if (!x->in_module && x->is_initialised && needs_the_driver(v, x))
				changed = x->in_module = true;
		}
	}
	return 0;
}

static uint64_t number(const char *text, struct token t)
{
	const char *p = text + t.at;

	if (t.len > 2 && p[0] == '0' && strchr("fFdD", p[1]))
		return strtoull(p + 2, NULL, 16);
	return strtoull(p, NULL, 0);
}

/*
 * value = ["-"] number | symbol ["+" number | "-" number] | "generic" "(" symbol... ")" ["+"
 * number] | mask "(" value ")". A mask such as 0xFF00 picks bytes of an address for a .b8 array:
 * the value is masked and shifted down.
 */
static int read_value(const struct ptx_variables *v, struct token *t, size_t end, uint64_t *ret,
		      struct error *err)
{
	bool negative = token_is(v->text, *t, "-");
	const struct ptx_variable *x;
	uint64_t value;

	if (negative)
		*t = next_token(v->text, end, t->at + t->len);
	if (isdigit((unsigned char)v->text[t->at])) {
		value = number(v->text, *t);
		*t = next_token(v->text, end, t->at + t->len);
		if (token_is(v->text, *t, "(")) {
			uint64_t mask = value;

			*t = next_token(v->text, end, t->at + 1);
			if (read_value(v, t, end, &value, err))
				return -1;
			value = mask ? (value & mask) >> __builtin_ctzll(mask) : 0;
			*t = next_token(v->text, end, t->at + t->len);
		}
		*ret = negative ? -value : value;
		return 0;
	}
	if (token_is(v->text, *t, "generic")) {
		*t = next_token(v->text, end, t->at + t->len);
		*t = next_token(v->text, end, t->at + t->len);
		if (read_value(v, t, end, &value, err))
			return -1;
		*t = next_token(v->text, end, t->at + t->len);
	} else {
		x = find(v, v->text + t->at, t->len);
		if (!x)
			return fail_at(v, t->at, "an initial value that is not known", err);
		value = x->address;
		*t = next_token(v->text, end, t->at + t->len);
	}
	while (token_is(v->text, *t, "+") || token_is(v->text, *t, "-")) {
		bool minus = v->text[t->at] == '-';
		uint64_t more;

		*t = next_token(v->text, end, t->at + 1);
		more = number(v->text, *t);
		value = minus ? value - more : value + more;
		*t = next_token(v->text, end, t->at + t->len);
	}
	*ret = value;
	return 0;
}

int ptx_variables_image(const struct ptx_variables *v, size_t i, void *bytes, struct error *err)
{
	const struct ptx_variable *x = &v->items[i];
	uint64_t at = 0;
	struct token t;

	memset(bytes, 0, x->size);
	if (!x->is_initialised)
		return 0;
	for (t = next_token(v->text, x->init_end, x->init_begin); t.len;) {
		uint64_t value;

		if (strchr("{},", v->text[t.at])) {
			t = next_token(v->text, x->init_end, t.at + 1);
			continue;
		}
		if (read_value(v, &t, x->init_end, &value, err))
			return -1;
		if (at + x->element > x->size)
			return fail_at(v, x->begin, "more initial values than elements", err);
		memcpy((char *)bytes + at, &value, x->element < 8 ? x->element : 8);
		at += x->element;
	}
	return 0;
}

/* Text from..to with `.const` as a part of an opcode written as `.global`. */
static void put_opcode(struct buffer *out, const char *text, struct token t)
{
	const char *at = text + t.at, *end = at + t.len;

	while (at < end) {
		const char *hit = memmem(at, (size_t)(end - at), ".const", 6);

		if (!hit || (hit + 6 < end && hit[6] != '.')) {
			buffer_append(out, at, (size_t)(end - at));
			return;
		}
		buffer_append(out, at, (size_t)(hit - at));
		buffer_puts(out, ".global");
		at = hit + 6;
	}
}

struct use {
	const struct ptx_variable *x;
	struct token t;
};

static const struct ptx_variable *session_variable(const struct ptx_variables *v, struct token t)
{
	char c = v->text[t.at];
	const struct ptx_variable *x;

	if (!isalpha((unsigned char)c) && c != '_' && c != '$')
		return NULL;
	x = find(v, v->text + t.at, t.len);
	return x && !x->in_module ? x : NULL;
}

/*
 * One statement of a function body: begin is its first token behind labels, end the place behind
 * `;`. Opcodes with .const are renamed only when the unit keeps no constant variable in the module.
 */
static int rewrite_statement(const struct ptx_variables *v, size_t begin, size_t end, bool rename,
			     struct buffer *out, struct error *err)
{
	bool is_mov = false, seen_opcode = false;
	struct use uses[ADDRESS_REGISTERS];
	size_t n_uses = 0, at = begin;
	struct token t;

	for (t = next_token(v->text, end, begin); t.len;
	     t = next_token(v->text, end, t.at + t.len)) {
		const struct ptx_variable *x = session_variable(v, t);

		if (t.len > 4 && !memcmp(v->text + t.at, "mov.", 4))
			is_mov = true;
		if (!x)
			continue;
		if (n_uses == ADDRESS_REGISTERS)
			return fail_at(v, t.at, "too many device variables in one instruction",
				       err);
		uses[n_uses++] = (struct use){ x, t };
	}
	for (size_t i = 0; i < n_uses && !is_mov; i++)
		buffer_printf(out, "mov.u64 %%cgpu_address%zu, %#llx;\n\t", i,
			      (unsigned long long)uses[i].x->address);
	n_uses = 0;
	for (t = next_token(v->text, end, begin); t.len;
	     t = next_token(v->text, end, t.at + t.len)) {
		const struct ptx_variable *x = session_variable(v, t);

		buffer_append(out, v->text + at, t.at - at);
		at = t.at + t.len;
		if (x && is_mov) {
			uint64_t value = x->address;
			struct token sign = next_token(v->text, end, at);

			if (token_is(v->text, sign, "+")) {
				struct token more = next_token(v->text, end, sign.at + 1);

				value += number(v->text, more);
				t = more;
				at = t.at + t.len;
			}
			buffer_printf(out, "%#llx", (unsigned long long)value);
		} else if (x) {
			buffer_printf(out, "%%cgpu_address%zu", n_uses++);
		} else if (rename && !seen_opcode && isalpha((unsigned char)v->text[t.at])) {
			put_opcode(out, v->text, t);
			seen_opcode = true;
		} else {
			buffer_append(out, v->text + t.at, t.len);
		}
	}
	buffer_append(out, v->text + at, end - at);
	return 0;
}

/* The body of a function from its `{` on; returns the place behind the closing `}` or (size_t)-1.
 */
static size_t rewrite_body(const struct ptx_variables *v, size_t at, bool rename,
			   struct buffer *out, struct error *err)
{
	unsigned depth = 0;
	size_t copied = at;
	struct token t = next_token(v->text, v->len, at);

	while (t.len) {
		size_t end = t.at + t.len;

		if (token_is(v->text, t, "{") || token_is(v->text, t, "}")) {
			depth += v->text[t.at] == '{' ? 1u : -1u;
			buffer_append(out, v->text + copied, end - copied);
			copied = end;
			if (depth == 0)
				return end;
			if (depth == 1 && v->text[t.at] == '{')
				buffer_printf(out, "\n\t.reg .b64 %%cgpu_address<%d>;",
					      ADDRESS_REGISTERS);
		} else if (token_is(v->text, t, ".loc") || token_is(v->text, t, ".pragma")) {
			const char *nl = memchr(v->text + t.at, '\n', v->len - t.at);

			end = nl ? (size_t)(nl - v->text) : v->len;
		} else {
			struct token second = next_token(v->text, v->len, end);

			if (token_is(v->text, second, ":")) {
				end = second.at + 1;
			} else {
				struct token last = t;
				unsigned braces = 0; /* vector operands: {%f1, %f2} */

				while (last.len && (braces || !token_is(v->text, last, ";"))) {
					braces += token_is(v->text, last, "{");
					braces -= token_is(v->text, last, "}") && braces;
					last = next_token(v->text, v->len, last.at + last.len);
				}
				end = last.at + last.len;
				buffer_append(out, v->text + copied, t.at - copied);
				if (rewrite_statement(v, t.at, end, rename, out, err))
					return (size_t)-1;
				copied = end;
			}
		}
		t = next_token(v->text, v->len, end);
	}
	return (size_t)fail_at(v, at, "a function without an end", err);
}

int ptx_variables_rewrite(const struct ptx_variables *v, struct buffer *out, struct error *err)
{
	size_t at = 0, i = 0;
	bool rename = true, in_header = false;
	struct token t;

	for (size_t k = 0; k < v->n; k++)
		if (v->items[k].is_constant && v->items[k].in_module)
			rename = false;
	for (t = next_token(v->text, v->len, 0); t.len;
	     t = next_token(v->text, v->len, t.at + t.len)) {
		if (i < v->n && t.at == v->items[i].begin) {
			const struct ptx_variable *x = &v->items[i++];

			buffer_append(out, v->text + at, x->begin - at);
			at = x->in_module ? x->begin : x->end;
			t.at = x->end;
			t.len = 0;
			if (t.at >= v->len)
				break;
			continue;
		}
		if (token_is(v->text, t, ".func") || token_is(v->text, t, ".entry"))
			in_header = true;
		else if (token_is(v->text, t, ";"))
			in_header = false;
		else if (in_header && token_is(v->text, t, "{")) {
			size_t end;

			buffer_append(out, v->text + at, t.at - at);
			end = rewrite_body(v, t.at, rename, out, err);
			if (end == (size_t)-1)
				return -1;
			at = end;
			t.at = end;
			t.len = 0;
			in_header = false;
		}
	}
	buffer_append(out, v->text + at, v->len - at);
	return buffer_check(out, err);
}
