/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the members. A member with a parameter list is a function, unless it is a pointer to one; macros of C may look
 * like one too, so a structure counts as a class only for what C cannot have.
 */
#include "compiler/class-text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/mem-pool.h"
#include "compiler/split.h"
#include "compiler/unit-text.h"

static bool is_one_of(const struct token_list *l, uint32_t i, const char *const *words, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (token_is(l, i, words[k]))
			return true;
	return false;
}

#define IS_ONE_OF(l, i, words) is_one_of(l, i, words, sizeof(words) / sizeof(*(words)))

/* The `{` of the definition; TOKEN_NONE when it has a base, or is none. */
static uint32_t body_of(const struct token_list *l, uint32_t tag)
{
	uint32_t name, i = split_tag(l, tag, &name);

	return token_is(l, i, "{") && l->at[i].match != TOKEN_NONE ? i : TOKEN_NONE;
}

static bool has_base(const struct token_list *l, uint32_t tag)
{
	uint32_t name, i = split_tag(l, tag, &name);

	if (token_is(l, i, "final"))
		i++;
	return name != TOKEN_NONE && token_is(l, i, ":") && token_is_name(l, i + 1);
}

static bool at_access(const struct token_list *l, uint32_t i)
{
	static const char *const marks[] = { "public", "private", "protected" };

	return IS_ONE_OF(l, i, marks) && token_is(l, i + 1, ":");
}

/* `(` of a parameter list: not of an attribute, not `(*f)(...)`, not LIST_ENTRY(type) name. */
static bool opens_parameters(const struct token_list *l, uint32_t i)
{
	static const char *const others[] = { "__attribute__", "__attribute", "__align__", "alignas",	    "_Alignas",
					      "typeof",	       "__typeof__",  "_Atomic",   "_Static_assert", "static_assert",
					      "decltype",      "__declspec" };
	uint32_t behind = token_behind(l, i);

	return token_is(l, i, "(") && !token_is(l, i + 1, "*") && !IS_ONE_OF(l, i - 1, others) &&
	       !(token_is_name(l, behind) && !split_is_keyword(token_text(l, behind), token_len(l, behind)) &&
		 !token_is(l, behind, "override") && !token_is(l, behind, "noexcept") && !token_is(l, behind, "final"));
}

/* A member that C has nothing for, although it has no parameter list. */
static bool starts_foreign(const struct token_list *l, uint32_t i)
{
	static const char *const words[] = { "using", "typedef", "friend", "template", "static", "virtual", "explicit", "operator" };

	return IS_ONE_OF(l, i, words) || token_is(l, i, "~");
}

struct member {
	uint32_t end; /* behind its `;` or `}` */
	bool is_function;
};

/* Behind a function's head: to the `{` of its body, over `: x(0), y{1}`. */
static uint32_t end_of_function(const struct token_list *l, uint32_t i, uint32_t end)
{
	bool initialisers = false;

	for (; i < end; i++) {
		if (token_is(l, i, ";"))
			return i + 1;
		if (token_is(l, i, ":"))
			initialisers = true;
		if (token_is(l, i, "("))
			i = token_behind(l, i) - 1;
		if (!token_is(l, i, "{"))
			continue;
		/* y{1} of a constructor: another one or the body follows. */
		if (!(initialisers && token_is_name(l, i - 1) &&
		      (token_is(l, token_behind(l, i), ",") || token_is(l, token_behind(l, i), "{"))))
			return token_behind(l, i) + token_is(l, token_behind(l, i), ";");
		i = token_behind(l, i) - 1;
	}
	return end;
}

static struct member member_at(const struct token_list *l, uint32_t i, uint32_t end)
{
	struct member m = { .is_function = starts_foreign(l, i) };

	if (token_is(l, i, "template") && token_is(l, i + 1, "<"))
		while (i < end && !token_is(l, i, "(") && !token_is(l, i, "{") && !token_is(l, i, ";"))
			i++;
	for (; i < end; i++) {
		if (token_is(l, i, ";")) {
			m.end = i + 1;
			return m;
		}
		if (token_is(l, i, "operator")) {
			m.is_function = true;
			i += token_is(l, i + 1, "(") ? 2 : 0; /* operator()(...) */
		} else if (opens_parameters(l, i)) {
			m.is_function = true;
			m.end = end_of_function(l, token_behind(l, i), end);
			return m;
		} else if (token_is(l, i, "(") || token_is(l, i, "{") || token_is(l, i, "[")) {
			i = token_behind(l, i) - 1;
		}
	}
	m.end = end;
	return m;
}

/* Of the words in one member: what only C++ has, and what C has no layout for. */
static enum class_kind kind_of_member(const struct token_list *l, uint32_t first, const struct member *m)
{
	static const char *const marks[] = { "__device__", "__host__", "__forceinline__", "operator", "mutable" };
	enum class_kind kind = CLASS_NONE;

	for (uint32_t i = first; i < m->end; i++) {
		if (token_is(l, i, "virtual") || (!m->is_function && (token_is(l, i, "<") || token_is(l, i, "::"))))
			return CLASS_DEVICE;
		if (IS_ONE_OF(l, i, marks) || token_is(l, i, "~") || (!m->is_function && (token_is(l, i, "=") || token_is(l, i, "&"))) ||
		    (m->is_function && (token_is(l, i, "{") || starts_foreign(l, first))))
			kind = CLASS_SHARED;
		if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{"))
			i = token_behind(l, i) - 1;
	}
	return kind;
}

enum class_kind class_text_kind(const struct token_list *l, uint32_t tag)
{
	uint32_t body = body_of(l, tag), end;
	enum class_kind kind = token_is(l, tag, "class") || split_is_scoped_enum(l, tag) ? CLASS_SHARED : CLASS_NONE;

	if (token_is(l, tag, "enum"))
		return kind;
	if (body == TOKEN_NONE)
		return has_base(l, tag) || token_is(l, tag, "class") ? CLASS_DEVICE : CLASS_NONE;
	end = l->at[body].match;
	for (uint32_t i = body + 1; i < end && kind != CLASS_DEVICE;) {
		if (at_access(l, i)) {
			kind = CLASS_SHARED;
			i += 2;
		} else {
			struct member m = member_at(l, i, end);
			enum class_kind of = kind_of_member(l, i, &m);

			kind = of > kind ? of : kind;
			i = m.end;
		}
	}
	return kind;
}

static void drop(const struct token_list *l, uint32_t first, uint32_t end, struct edit_list *edits)
{
	edit_list_add(edits, l->at[first].start, l->at[end - 1].end, "");
}

/* A data member: without initialisers; a reference is a pointer. */
static void edit_data(const struct token_list *l, uint32_t first, uint32_t end, struct edit_list *edits)
{
	for (uint32_t i = first; i < end; i++) {
		uint32_t stop = i;

		if (token_is(l, i, "mutable")) {
			drop(l, i, i + 1, edits);
		} else if (token_is(l, i, "&")) {
			edit_list_add(edits, l->at[i].start, l->at[i].end, "*");
		} else if (token_is(l, i, "=") || (token_is(l, i, "{") && i > first + 1 && split_at_identifier(l, i - 1) &&
						   !token_is(l, i - 2, "struct") && !token_is(l, i - 2, "union") &&
						   !token_is(l, i - 2, "enum"))) {
			while (stop < end && !token_is(l, stop, ",") && !token_is(l, stop, ";"))
				stop = token_is(l, stop, "(") || token_is(l, stop, "{") ? token_behind(l, stop) : stop + 1;
			drop(l, i, stop, edits);
			i = stop;
		} else if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{")) {
			i = token_behind(l, i) - 1;
		}
	}
}

/* Is the name at token i one of the constants between the brackets? */
static bool is_enumerator(const struct token_list *l, uint32_t body, uint32_t i)
{
	for (uint32_t k = body; k < l->at[body].match; k++)
		if ((k == body || token_is(l, k, ",")) && token_is_name(l, k + 1) && token_len(l, k + 1) == token_len(l, i) &&
		    !memcmp(token_text(l, k + 1), token_text(l, i), token_len(l, i)))
			return true;
	return false;
}

/* `enum class Op { Add, Mul = Add + 5 };`: enum Op { Op__Add, Op__Mul = Op__Add + 5 }; typedef enum Op Op; */
static void edit_scoped_enum(const struct token_list *l, uint32_t tag, uint32_t body, struct mem_pool *pool,
			     struct edit_list *edits)
{
	uint32_t name;
	uint32_t behind = token_behind(l, body);
	char prefix[200], later[300];

	split_tag(l, tag, &name);
	drop(l, tag + 1, tag + 2, edits);
	if (name == TOKEN_NONE || token_len(l, name) + sizeof(SCOPED_SEPARATOR) > sizeof(prefix))
		return;
	snprintf(prefix, sizeof(prefix), "%.*s" SCOPED_SEPARATOR, (int)token_len(l, name), token_text(l, name));
	snprintf(later, sizeof(later), "; typedef enum %.*s %.*s;", (int)token_len(l, name), token_text(l, name),
		 (int)token_len(l, name), token_text(l, name));
	if (token_is(l, behind, ";"))
		edit_list_add(edits, l->at[behind].start, l->at[behind].end, mem_pool_strdup(pool, later));
	for (uint32_t i = body + 1; i < l->at[body].match; i++)
		if (token_is_name(l, i) && !token_is(l, i - 1, "::") && is_enumerator(l, body, i))
			edit_list_add(edits, l->at[i].start, l->at[i].start, mem_pool_strdup(pool, prefix));
}

/* C++ gives an empty class one byte. */
void class_text_edit(const struct token_list *l, uint32_t tag, struct mem_pool *pool, struct edit_list *edits)
{
	uint32_t body = body_of(l, tag), end;
	bool any = false;

	if (body == TOKEN_NONE)
		return;
	if (token_is(l, tag, "enum")) {
		edit_scoped_enum(l, tag, body, pool, edits);
		return;
	}
	end = l->at[body].match;
	if (token_is(l, tag, "class"))
		edit_list_add(edits, l->at[tag].start, l->at[tag].end, "struct");
	for (uint32_t i = body + 1; i < end;) {
		struct member m;

		if (at_access(l, i)) {
			drop(l, i, i + 2, edits);
			i += 2;
			continue;
		}
		m = member_at(l, i, end);
		any |= !m.is_function;
		if (m.is_function)
			drop(l, i, m.end, edits);
		else
			edit_data(l, i, m.end, edits);
		i = m.end;
	}
	if (!any)
		edit_list_add(edits, l->at[end].start, l->at[end].start, "char cgpu_empty; ");
}
