/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/device-text.h"

#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/launch-glue.h"
#include "compiler/composition.h"
#include "compiler/device-include.h"
#include "compiler/device-variable.h"
#include "compiler/include-text.h"
#include "compiler/pragma-state.h"

#define UNLESS_DEFINED(name, value) "#ifndef " #name "\n#define " #name " " value "\n#endif\n"

/* What C programs expect of libc's headers, which NVRTC does not have. The toolkit's may bring it, too. */
static const char prelude[] =
	"typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long "
	"int64_t;\n"
	"typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int "
	"uint32_t;\n"
	"typedef unsigned long long uint64_t; typedef uint64_t uintptr_t; typedef int64_t "
	"intptr_t;\n"
	"#ifndef M_PI\n#define M_PI 3.14159265358979323846\n#define M_E 2.7182818284590452354\n"
	"#define M_SQRT2 1.41421356237309504880\n#define M_PI_2 1.57079632679489661923\n#endif\n"
	UNLESS_DEFINED(INT_MAX, "2147483647")
	UNLESS_DEFINED(INT_MIN, "(-INT_MAX - 1)")
	UNLESS_DEFINED(UINT_MAX, "4294967295u")
	UNLESS_DEFINED(FLT_MAX, "3.402823466e+38f")
	UNLESS_DEFINED(FLT_MIN, "1.175494351e-38f")
	UNLESS_DEFINED(FLT_EPSILON, "1.192092896e-07f")
	UNLESS_DEFINED(DBL_MAX, "1.7976931348623157e+308")
	UNLESS_DEFINED(DBL_MIN, "2.2250738585072014e-308")
	UNLESS_DEFINED(DBL_EPSILON, "2.2204460492503131e-16")
	UNLESS_DEFINED(INFINITY, "__int_as_float(0x7f800000)")
	UNLESS_DEFINED(NAN, "__int_as_float(0x7fffffff)");

bool device_text_is_include(const char *rest, size_t len)
{
	static const char *const starts[] = { "cooperative_groups",
					      "cub/",
					      "cuda/",
					      "thrust/",
					      "nv/",
					      "cuda_fp16.h",
					      "cuda_bf16.h",
					      "cuda_fp8.h",
					      "cuda_fp6.h",
					      "cuda_fp4.h",
					      "mma.h",
					      "curand_kernel.h",
					      "cuda_pipeline",
					      "cuda_awbarrier",
					      "math_constants.h" };
	size_t end = 0;

	if (len < 2)
		return false;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(rest + 1, starts[i], strlen(starts[i])))
			return true;
	for (end = 1; end < len && rest[end] != '"' && rest[end] != '>';)
		end++;
	return end > 4 && !memcmp(rest + end - 4, ".cuh", 4);
}

bool device_text_is_shared_include(const char *rest, size_t len)
{
	static const char *const shared[] = { "cuda_fp16.h", "cuda_bf16.h", "curand_kernel.h" };

	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (len > strlen(shared[i]) + 1 && !strncmp(rest + 1, shared[i], strlen(shared[i])))
			return true;
	return false;
}

static bool is_conditional(const struct token_list *l, uint32_t i)
{
	return token_directive_is(l, i, "if") || token_directive_is(l, i, "ifdef") ||
	       token_directive_is(l, i, "ifndef") || token_directive_is(l, i, "else") ||
	       token_directive_is(l, i, "elif") || token_directive_is(l, i, "endif");
}

static bool is_device_directive(const struct token_list *l, uint32_t i)
{
	size_t n;
	const char *rest = token_directive_rest(l, i, &n);

	if (token_directive_is(l, i, "include"))
		return device_text_is_include(rest, n);
	return is_conditional(l, i) || token_is(l, i, "_Pragma") || token_directive_is(l, i, "define") ||
	       token_directive_is(l, i, "undef") || token_directive_is(l, i, "pragma");
}

/* Is the word a type, typedef or enumerator that host item i declares? */
static bool declares_type(const struct host_text *h, uint32_t i, const struct token_list *of, uint32_t word)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration_parts *p = &h->parts[i];
	size_t len = token_len(of, word);

	if (p->is_typedef)
		for (uint32_t k = 0; k < p->n; k++)
			if (p->declarators[k].name != TOKEN_NONE &&
			    token_len(l, p->declarators[k].name) == len &&
			    !memcmp(token_text(l, p->declarators[k].name), token_text(of, word),
				    len))
				return true;
	if (p->body == TOKEN_NONE && !(p->tag_name != TOKEN_NONE && !p->n))
		return false;
	for (uint32_t t = p->tag; t < p->specifiers_end; t++) {
		bool names = t == p->tag_name || token_is(l, t - 1, "struct") ||
			     token_is(l, t - 1, "union") || token_is(l, t - 1, "enum") ||
			     token_is(l, p->tag, "enum");

		if (names && token_is_name(l, t) && token_len(l, t) == len &&
		    !memcmp(token_text(l, t), token_text(of, word), len))
			return true;
	}
	return false;
}

/* A constant of the host that device code may read: `const int n = 5;`. */
static bool declares_constant(const struct host_text *h, uint32_t i, const struct token_list *of, uint32_t word)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration_parts *p = &h->parts[i];

	if (!p->is_const || p->n != 1 || p->declarators[0].equals == TOKEN_NONE ||
	    p->declarators[0].is_pointer)
		return false;
	uint32_t name = p->declarators[0].name;

	return name != TOKEN_NONE && token_len(l, name) == token_len(of, word) &&
	       !memcmp(token_text(l, name), token_text(of, word), token_len(of, word));
}

/* A macro or enumerator, or a constant that device code has. */
static bool is_constant_word(const struct host_text *h, const struct session *session, uint32_t before, uint32_t t)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration *known = session_find(session, token_text(l, t), token_len(l, t));
	bool capitals = true;

	for (size_t i = 0; i < token_len(l, t); i++)
		capitals &= token_text(l, t)[i] < 'a' || token_text(l, t)[i] > 'z';
	for (uint32_t i = 0; i < before; i++)
		if (h->split.items[i].world == WORLD_HOST && h->parts[i].n == 1 && declares_constant(h, i, l, t))
			return device_text_is_constant(h, session, i);
	return known && known->kind == DECLARATION_VARIABLE ? *known->device : capitals;
}

bool device_text_is_constant(const struct host_text *h, const struct session *session, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	const struct declaration_parts *p = &h->parts[i];
	const struct declarator *v = p->declarators;
	bool constant = p->is_const && p->n == 1 && v->equals != TOKEN_NONE && !v->is_pointer &&
			(!v->is_array || p->is_constexpr);
	const char *marks = constant && v->is_array ? "()+-*/%<>|&^~!=?:{}," : "()+-*/%<>|&^~!=?:";

	for (uint32_t t = constant ? v->equals + 1 : 0; constant && t < v->init_end; t++)
		constant = (l->at[t].kind == TOKEN_NUMBER || strchr(marks, *token_text(l, t)) ||
			    split_at_specifier(l, t) || token_is(l, t, "sizeof") ||
			    (token_is_name(l, t) && is_constant_word(h, session, i, t))) &&
			   !(token_is(l, t, "&") && t == v->equals + 1);
	return constant;
}

uint32_t device_text_line(const struct host_text *h)
{
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if (h->split.items[i].world & WORLD_DEVICE)
			return h->split.tokens.at[h->split.items[i].first].line;
	return 0;
}

bool device_text_is_needed(const struct host_text *h)
{
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];

		if ((item->world & WORLD_DEVICE) || item->is_class)
			return true;
	}
	return false;
}

/* Do words [first, end) name a type or constant of item `other`? */
static bool mentions(const struct host_text *h, const struct token_list *words, uint32_t first, uint32_t end, uint32_t other)
{
	for (uint32_t t = first; t < end; t++)
		if (token_is_name(words, t) && (declares_type(h, other, words, t) || declares_constant(h, other, words, t)))
			return true;
	return false;
}

static bool is_mentioned(const struct host_text *h, const bool *chosen, uint32_t other)
{
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if (chosen[i] && h->split.items[i].kind != ITEM_DIRECTIVE &&
		    mentions(h, &h->split.tokens, h->split.items[i].first, h->split.items[i].end, other))
			return true;
	return false;
}

/* The items that NVRTC gets: device items, directives, and the host's types that they mention, over
 * any number of steps. */
static void choose_items(const struct host_text *h, bool *chosen)
{
	bool changed = true;

	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];

		chosen[i] = item->kind == ITEM_DIRECTIVE
				    ? is_device_directive(&h->split.tokens, item->first)
				    : (item->world & WORLD_DEVICE) != 0 || item->is_class;
	}
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < h->split.n_items; i++) {
			const struct item *item = &h->split.items[i];

			if (chosen[i] || item->kind != ITEM_DECLARATION || h->parts[i].is_other)
				continue;
			if (is_mentioned(h, chosen, i))
				chosen[i] = changed = true;
		}
	}
}

static void put_line(const struct host_text *h, struct buffer *out, uint32_t token)
{
	struct include_place place = include_text_place(h->includes, host_text_line(h, token));

	buffer_printf(out, "\n#line %u \"%s\"\n", place.line, place.in_cell ? h->cell_name : place.file);
}

static void put_tokens(const struct host_text *h, struct buffer *out, uint32_t first, uint32_t end)
{
	const struct token_list *l = &h->split.tokens;

	if (end > first)
		buffer_append(out, l->text + l->at[first].start,
			      l->at[end - 1].end - l->at[first].start);
}

/* Entries have C names in the PTX; static would hide them. */
static void put_entry(const struct host_text *h, struct buffer *out, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];
	uint32_t at = item->first;

	for (uint32_t t = p->first; t < p->specifiers_end; t++) {
		bool drop = token_is(l, t, "static") || token_is(l, t, "inline") ||
			    token_is(l, t, "extern") || l->at[t].kind == TOKEN_STRING;

		if (!drop)
			continue;
		buffer_append(out, l->text + l->at[at].start, l->at[t].start - l->at[at].start);
		at = t + 1;
	}
	buffer_append(out, l->text + l->at[at].start, l->at[item->end - 1].end - l->at[at].start);
}

/* The mark is on a line of its own: NVRTC quotes lines, and the user's must look as written. */
static void put_device_item(const struct host_text *h, struct buffer *out, uint32_t i)
{
	const struct item *item = &h->split.items[i];
	bool is_entry = item->is_entry && !token_is(&h->split.tokens, item->first, "template");

	if (is_entry)
		buffer_puts(out, "\nextern \"C\"");
	put_line(h, out, item->first);
	if (is_entry)
		put_entry(h, out, i);
	else
		put_tokens(h, out, item->first, item->end);
}

char *device_text_entry(const struct host_text *h, uint32_t i)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	put_entry(h, &text, i);
	return buffer_check(&text, NULL) ? NULL : mem_pool_strdup(h->pool, buffer_text(&text));
}

static void put_prototypes(const struct host_text *h, const struct device_followers *f, struct buffer *out)
{
	for (uint32_t i = 0; f && i < f->n_items; i++) {
		const struct item *item = &h->split.items[f->items[i]];

		put_line(h, out, item->first);
		put_tokens(h, out, item->first, item->body);
		buffer_puts(out, ";\n");
	}
}

static void put_followers(const struct device_followers *f, struct buffer *out)
{
	for (uint32_t i = 0; f && i < f->n; i++)
		buffer_printf(out, "\nextern \"C\"\n#line %u \"In[%u]\"\n%s", f->at[i]->line, f->at[i]->cell,
			      f->at[i]->device);
}

/* A host declaration: its types, without the variables that it may define beside them. */
static void put_host_item(const struct host_text *h, struct buffer *out, uint32_t i)
{
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];

	put_line(h, out, item->first);
	if (p->is_typedef || !p->n || p->is_const) {
		put_tokens(h, out, item->first, item->end);
		return;
	}
	put_tokens(h, out, p->tag, token_behind(&h->split.tokens, p->body));
	buffer_puts(out, ";");
}

/* The words of the chosen items: what the session must supply. */
static int words_of(const struct host_text *h, const bool *chosen, const struct device_followers *f, struct buffer *text,
		    struct token_list *ret, struct error *err)
{
	for (uint32_t i = 0; i < h->split.n_items; i++)
		if (chosen[i]) {
			put_tokens(h, text, h->split.items[i].first, h->split.items[i].end);
			buffer_putc(text, '\n');
		}
	for (uint32_t i = 0; f && i < f->n; i++)
		buffer_printf(text, "%s;\n", f->at[i]->device);
	if (buffer_check(text, err))
		return -1;
	return token_list_init(ret, buffer_text(text), text->len, h->pool, err);
}

int device_text_write(const struct host_text *h, struct session *session, const struct device_followers *followers,
		      struct buffer *out, struct error *err)
{
	bool *chosen = mem_pool_array(h->pool, h->split.n_items + 1, sizeof(*chosen));
	cleanup_buffer struct buffer text = BUFFER_INIT, earlier = BUFFER_INIT;
	struct pragma_state pragmas;
	struct token_list words;

	if (!chosen)
		return error_set(err, ERROR_MEMORY, "out of memory for device code");
	choose_items(h, chosen);
	if (words_of(h, chosen, followers, &text, &words, err))
		return -1;
	if (composition_write(session, &words, h->masks, h->n_masks, true, NULL, &earlier, err))
		return -1;
	buffer_puts(out, "#line 1 \"cgpu\"\n");
	buffer_puts(out, prelude);
	buffer_printf(&text, "\n%s", buffer_text(&earlier));
	if (device_include_write(h, session, buffer_text(&text), out, err))
		return -1;
	put_prototypes(h, followers, out);
	buffer_append(out, buffer_text(&earlier), earlier.len);
	pragma_state_init(&pragmas, session, h->pool);
	pragma_state_write(&pragmas, true, out);
	pragma_state_release(&pragmas);
	for (uint32_t i = 0; i < h->split.n_items; i++) {
		const struct item *item = &h->split.items[i];

		if (!chosen[i])
			continue;
		if (item->kind == ITEM_DIRECTIVE) {
			put_line(h, out, item->first);
			put_tokens(h, out, item->first, item->end);
		} else if (item->world & WORLD_DEVICE) {
			put_device_item(h, out, i);
		} else {
			put_host_item(h, out, i);
		}
	}
	put_followers(followers, out);
	buffer_putc(out, '\n');
	return buffer_check(out, err);
}

static bool is_mark(const struct token_list *l, uint32_t t)
{
	static const char *const marks[] = { "__global__",   "__device__", "__constant__",
					     "__managed__",  "__host__",   "static",
					     "inline",	     "extern",	   "__forceinline__",
					     "__noinline__", "__inline__" };

	if (l->at[t].kind == TOKEN_STRING)
		return true;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (token_is(l, t, marks[i]))
			return true;
	return false;
}

/* Specifiers without CUDA's marks. */
static void copy_specifiers(struct host_text *h, const struct declaration_parts *p)
{
	const struct token_list *l = &h->split.tokens;

	for (uint32_t t = p->first; t < p->specifiers_end; t++) {
		if (token_is(l, t, "__launch_bounds__") || token_is(l, t, "__cluster_dims__") ||
		    token_is(l, t, "__align__")) {
			t = token_behind(l, t + 1) - 1;
		} else if (!is_mark(l, t)) {
			unit_text_copy(&h->unit, l->at[t].start, l->at[t].end, NULL);
			unit_text_puts(&h->unit, " ");
		}
	}
}

static bool is_reference(const struct token_list *l, uint32_t first, uint32_t end)
{
	for (; first < end && !token_is(l, first, "="); first++)
		if (token_is(l, first, "&") || token_is(l, first, "&&"))
			return true;
	return false;
}

/* In the place of the entry; launches of it are passed over. */
static void refuse_reference(struct host_text *h, uint32_t entry, uint32_t first, uint32_t end)
{
	const struct token_list *l = &h->split.tokens;

	unit_text_line(&h->unit, host_text_line(h, first));
	buffer_printf(&h->unit.text,
		      "_Static_assert(0, \"the parameter `%.*s` of the CUDA kernel %.*s is a reference, which would be an address of "
		      "host memory: take it by value, or as a pointer to device memory\"); void %.*s();",
		      (int)(l->at[end - 1].end - l->at[first].start), token_text(l, first), (int)token_len(l, entry),
		      token_text(l, entry), (int)token_len(l, entry), token_text(l, entry));
}

static void write_entry(struct host_text *h, const struct item *item,
			const struct declaration_parts *p)
{
	const struct token_list *l = &h->split.tokens;
	const struct declarator *d = &p->declarators[0];
	uint32_t open = d->name + 1, close = token_behind(l, open) - 1, n = 0;
	struct buffer arguments = BUFFER_INIT;

	for (uint32_t t = open + 1; t < close; t = declarator_parameter_end(l, t, close) + 1) {
		if (!is_reference(l, t, declarator_parameter_end(l, t, close)))
			continue;
		refuse_reference(h, d->name, t, declarator_parameter_end(l, t, close));
		return;
	}
	copy_specifiers(h, p);
	unit_text_copy(&h->unit, l->at[d->name].start, l->at[d->name].end, NULL);
	unit_text_puts(&h->unit, "(");
	for (uint32_t t = open + 1; t < close;) {
		uint32_t end = declarator_parameter_end(l, t, close);
		uint32_t name = declarator_parameter_name(l, t, end), stop = t;
		bool is_void = end == t + 1 && token_is(l, t, "void");

		/* Which arguments are missing is seen where it is launched. */
		while (stop < end && !token_is(l, stop, "="))
			stop++;
		unit_text_copy(&h->unit, l->at[t].start, l->at[stop - 1].end, NULL);
		if (name != TOKEN_NONE) {
			buffer_printf(&arguments, "%s(void *)&%.*s", n++ ? ", " : "",
				      (int)token_len(l, name), token_text(l, name));
		} else if (!is_void) {
			char unnamed[24];

			snprintf(unnamed, sizeof(unnamed), " cgpu_unnamed%u", n);
			unit_text_puts(&h->unit, unnamed);
			buffer_printf(&arguments, "%s(void *)&%s", n++ ? ", " : "", unnamed + 1);
		}
		if (token_is(l, end, ","))
			unit_text_puts(&h->unit, ", ");
		t = end + 1;
	}
	unit_text_puts(&h->unit, ")");
	if (item->kind != ITEM_FUNCTION)
		unit_text_puts(&h->unit, ";");
	else if (n)
		buffer_printf(&h->unit.text,
			      " { void *cgpu_arguments[] = { %s }; cgpu_launch(\"%.*s\", "
			      "cgpu_arguments); }",
			      buffer_text(&arguments), (int)token_len(l, d->name),
			      token_text(l, d->name));
	else
		buffer_printf(&h->unit.text, " { cgpu_launch(\"%.*s\", (void **)0); }",
			      (int)token_len(l, d->name), token_text(l, d->name));
	buffer_release(&arguments);
}

/* Only an initialiser that gives an array its size is of use to a stand-in; a managed variable is
 * the host's too. */
static void write_stand_in(struct host_text *h, const struct item *item,
			   const struct declaration_parts *p)
{
	const struct token_list *l = &h->split.tokens;
	bool managed = false, is_extern = p->is_extern;

	for (uint32_t t = item->first; t < p->specifiers_end; t++)
		managed |= token_is(l, t, "__managed__");
	if (!managed)
		unit_text_puts(&h->unit, CGPU_STAND_IN_MARK);
	if (is_extern)
		unit_text_puts(&h->unit, "extern ");
	if (p->is_auto_type && p->n == 1 && p->declarators[0].equals != TOKEN_NONE) {
		unit_text_puts(&h->unit, "__typeof__(");
		unit_text_copy(&h->unit, l->at[p->declarators[0].equals + 1].start,
			       l->at[p->declarators[0].init_end - 1].end, NULL);
		unit_text_puts(&h->unit, ") ");
	} else {
		copy_specifiers(h, p);
	}
	for (uint32_t k = 0; k < p->n; k++) {
		const struct declarator *d = &p->declarators[k];
		uint32_t end = d->equals != TOKEN_NONE && (managed || d->is_unsized) ? d->init_end
										     : d->end;

		if (k)
			unit_text_puts(&h->unit, ", ");
		if (end > d->first)
			unit_text_copy(&h->unit, l->at[d->first].start, l->at[end - 1].end, NULL);
	}
	unit_text_puts(&h->unit, ";");
}

void device_text_write_host(struct host_text *h, uint32_t i)
{
	const struct item *item = &h->split.items[i];
	const struct declaration_parts *p = &h->parts[i];

	if (device_variable_name(h, i) != TOKEN_NONE || p->is_other || !p->n || p->declarators[0].name == TOKEN_NONE)
		return;
	if (item->is_entry) {
		if (!p->declarators[0].is_function)
			return;
		unit_text_line(&h->unit, host_text_line(h, p->declarators[0].name));
		write_entry(h, item, p);
	} else if (item->kind == ITEM_DECLARATION && !p->declarators[0].is_function &&
		   !p->is_typedef && !p->is_shared) {
		unit_text_line(&h->unit, host_text_line(h, item->first));
		write_stand_in(h, item, p);
	}
}

char *device_text_later(const struct host_text *h, uint32_t i)
{
	const struct token_list *l = &h->split.tokens;
	const struct item *item = &h->split.items[i];

	return mem_pool_strndup(h->pool, l->text + l->at[item->first].start,
				l->at[item->end - 1].end - l->at[item->first].start);
}
