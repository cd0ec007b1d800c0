/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First the namespaces of the text are found, with the names that each declares, then every name is looked up as C++ does it:
 * from the innermost namespace outwards, then in those that a `using` has opened. What the session knows is in its names. Only
 * tokens are looked at: a local variable that is called like something of its namespace is renamed with it wherever it is
 * spoken of, which changes nothing; members of a class are not.
 */
#include "compiler/namespace-text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "common/namespace-infix.h"
#include "compiler/session.h"
#include "compiler/split.h"
#include "compiler/token.h"

#define PATH_BYTES 400
#define INFIX_BYTES (sizeof(NAMESPACE_INFIX) - 1)

/* A region of the text, and what is declared directly in it. */
struct scope {
	uint32_t open, end; /* tokens: `{`, behind `}` */
	uint32_t head;	    /* where its declaration begins */
	const char *path;   /* "geo" or "geo__N__inner"; "" for none */
	bool is_class;
};

struct known {
	const char *path, *name; /* name NULL: the namespace itself */
	uint32_t scope;		 /* of a class member: which class; else UINT32_MAX */
};

/* `using` of a namespace, of one name of it, or another name for it. */
struct opened {
	const char *path, *name; /* name "": all of it */
	bool is_alias;		 /* name stands for the namespace */
};

struct rewriting {
	struct token_list l;
	struct mem_pool *pool;
	struct scope *scopes;
	uint32_t n_scopes, cap_scopes;
	struct known *known;
	uint32_t n_known, cap_known;
	struct opened *opened;
	uint32_t n_opened, cap_opened;
	bool failed;
};

static char *copy(struct rewriting *x, const char *text, size_t len)
{
	char *c = mem_pool_strndup(x->pool, text, len);

	x->failed |= !c;
	return c;
}

static char *join(struct rewriting *x, const char *path, const char *name, size_t len)
{
	char text[PATH_BYTES];

	snprintf(text, sizeof(text), "%s%s%.*s", path, *path ? NAMESPACE_INFIX : "", (int)len, name);
	return copy(x, text, strlen(text));
}

static void know(struct rewriting *x, const char *path, const char *name, size_t len, uint32_t scope)
{
	bool room = MEM_POOL_ROOM(x->pool, x->known, x->n_known, &x->cap_known);

	x->failed |= !room;
	if (!room || !path)
		return;
	x->known[x->n_known++] = (struct known){ path, name ? copy(x, name, len) : NULL, scope };
}

static bool is_known(const struct rewriting *x, const char *path, const char *name, size_t len)
{
	for (uint32_t i = 0; i < x->n_known; i++) {
		const struct known *k = &x->known[i];

		if (k->scope != UINT32_MAX || strcmp(k->path, path) != 0)
			continue;
		if (name ? k->name && strlen(k->name) == len && !memcmp(k->name, name, len) : !k->name)
			return true;
	}
	return false;
}

static bool is_member(const struct rewriting *x, uint32_t scope, const char *name, size_t len)
{
	for (uint32_t i = 0; i < x->n_known; i++)
		if (x->known[i].scope == scope && strlen(x->known[i].name) == len && !memcmp(x->known[i].name, name, len))
			return true;
	return false;
}

static void open_name(struct rewriting *x, const char *path, const char *name, bool is_alias)
{
	bool room = MEM_POOL_ROOM(x->pool, x->opened, x->n_opened, &x->cap_opened);

	x->failed |= !room;
	if (!room || !path || !name)
		return;
	x->opened[x->n_opened++] = (struct opened){ path, name, is_alias };
}

/* Where the last infix stands; NULL: there is none. */
static const char *last_infix(const char *path)
{
	const char *last = NULL;

	for (const char *p = path; (p = strstr(p, NAMESPACE_INFIX)); p += INFIX_BYTES)
		last = p;
	return last;
}

/* geo__N__scale: the namespace geo, and those around it, and what it declares. */
static void know_whole(struct rewriting *x, const char *name)
{
	char *whole = copy(x, name, strcspn(name, "<"));
	const char *last = whole ? last_infix(whole) : NULL;
	char *path = last ? copy(x, whole, (size_t)(last - whole)) : NULL;

	if (!path || is_known(x, path, last + INFIX_BYTES, strlen(last + INFIX_BYTES)))
		return;
	know(x, path, last + INFIX_BYTES, strlen(last + INFIX_BYTES), UINT32_MAX);
	while (path && *path && !is_known(x, path, NULL, 0)) {
		know(x, path, NULL, 0, UINT32_MAX);
		last = last_infix(path);
		path = last ? copy(x, path, (size_t)(last - path)) : NULL;
	}
}

/* What later cells are told of a `using`: device code takes it for a namespace without content. */
#define OPENED "namespace %s { /* using %s */ };"
#define ALIAS "namespace %s { /* as %s */ };"

static void take_context(struct rewriting *x, const char *text)
{
	char path[PATH_BYTES], name[PATH_BYTES] = "";
	char mark[8];

	if (sscanf(text, "namespace %399s { /* %7s %399s */ };", path, mark, name) < 2 || !strchr(text, '*'))
		return;
	if (!strcmp(mark, "using"))
		open_name(x, copy(x, path, strlen(path)), strcmp(name, "*/") ? copy(x, name, strlen(name)) : "", false);
	else if (!strcmp(mark, "as"))
		open_name(x, copy(x, path, strlen(path)), copy(x, name, strlen(name)), true);
}

static void on_declaration(void *context, const struct declaration *d)
{
	struct rewriting *x = context;

	if (strstr(d->name, NAMESPACE_INFIX))
		know_whole(x, d->name);
	else if (d->kind == DECLARATION_PRAGMA && !strncmp(d->device, "namespace ", 10))
		take_context(x, d->device);
}

static uint32_t behind_angle(const struct token_list *l, uint32_t i, uint32_t end)
{
	int depth = 0;

	for (; i < end; i++) {
		depth += token_is(l, i, "<");
		depth -= token_is(l, i, ">") + 2 * token_is(l, i, ">>");
		if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{"))
			i = token_behind(l, i) - 1;
		else if (token_is(l, i, ";"))
			return i;
		if (depth <= 0)
			return i + 1;
	}
	return end;
}

static bool is_tag_word(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "struct") || token_is(l, i, "class") || token_is(l, i, "union") || token_is(l, i, "enum");
}

/* May what stands in front of a name be the end of a type? */
static bool ends_type(const struct token_list *l, uint32_t i)
{
	static const char *const others[] = { "return", "using", "namespace", "goto", "else", "operator", "typename", "case" };

	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
		if (token_is(l, i, others[k]))
			return false;
	return token_is_name(l, i) || token_is(l, i, "*") || token_is(l, i, "&") || token_is(l, i, ">") || token_is(l, i, ">>") ||
	       token_is(l, i, "]") || token_is(l, i, ")");
}

static bool declares_at(const struct token_list *l, uint32_t i)
{
	static const char *const behind[] = { "(", "=", ";", "[", ",", "{", ":" };

	/* `int n, m;` */
	if (split_at_identifier(l, i) && i && token_is(l, i - 1, ",") &&
	    (token_is(l, i + 1, ";") || token_is(l, i + 1, ",") || token_is(l, i + 1, "=") || token_is(l, i + 1, "[")))
		return true;
	if (!split_at_identifier(l, i) || !i || !ends_type(l, i - 1))
		return token_is_name(l, i) && token_is(l, i - 1, "using") && token_is(l, i + 1, "=");
	for (size_t k = 0; k < sizeof(behind) / sizeof(*behind); k++)
		if (token_is(l, i + 1, behind[k]))
			return !token_is(l, i, "final") && !token_is(l, i, "override") && !token_is(l, i, "__align__") &&
			       !token_is(l, i, "alignas") && !token_is(l, i, "__attribute__") && !token_is(l, i, "__launch_bounds__");
	return false;
}

static void know_token(struct rewriting *x, const char *path, uint32_t i, uint32_t scope)
{
	know(x, path, token_text(&x->l, i), token_len(&x->l, i), scope);
}

/* `{ RED, GREEN = 5 }` */
static void know_constants(struct rewriting *x, const char *path, uint32_t open, uint32_t scope)
{
	for (uint32_t i = open; i < token_behind(&x->l, open) - 1; i++)
		if ((i == open || token_is(&x->l, i, ",")) && token_is_name(&x->l, i + 1))
			know_token(x, path, i + 1, scope);
}

static struct scope *add_scope(struct rewriting *x, const char *path, uint32_t head, uint32_t open, bool is_class)
{
	bool room = MEM_POOL_ROOM(x->pool, x->scopes, x->n_scopes, &x->cap_scopes);

	x->failed |= !room;
	if (!room || !path)
		return NULL;
	x->scopes[x->n_scopes] = (struct scope){ open, token_behind(&x->l, open), head, path, is_class };
	return &x->scopes[x->n_scopes++];
}

static void find_names(struct rewriting *x, uint32_t i, uint32_t end, const char *path, uint32_t class);

/* struct, class, union or enum at i, in a namespace, at the level of the cell or in a class. Where the walk goes on. */
static uint32_t find_tag(struct rewriting *x, uint32_t i, const char *path, uint32_t class)
{
	const struct token_list *l = &x->l;
	bool is_enum = token_is(l, i, "enum"), is_scoped = split_is_scoped_enum(l, i);
	uint32_t name, at = split_tag(l, i, &name), body = at;

	while (body < l->n && !token_is(l, body, "{") && !token_is(l, body, ";") && !token_is(l, body, "("))
		body++;
	bool defines = token_is(l, body, "{") && (body == at || token_is(l, at, ":") || token_is(l, at, "final") ||
						  token_is(l, at, "<"));

	if (name != TOKEN_NONE && (defines || token_is(l, at, ";")) && (*path || class != UINT32_MAX))
		know_token(x, path, name, class);
	if (!defines)
		return at;
	if (is_enum && !is_scoped)
		know_constants(x, path, body, class);
	if (!is_enum) {
		uint32_t number = x->n_scopes;

		if (add_scope(x, path, i, body, true))
			find_names(x, body + 1, token_behind(l, body) - 1, "", number);
		/* The constructor is called like the class, which is of the namespace. */
		for (uint32_t k = 0; name != TOKEN_NONE && k < x->n_known; k++)
			if (x->known[k].scope == number && x->known[k].name && strlen(x->known[k].name) == token_len(l, name) &&
			    !memcmp(x->known[k].name, token_text(l, name), token_len(l, name)))
				x->known[k].name = "";
	}
	return token_behind(l, body);
}

/* `namespace a::b {`, `inline namespace v1 {`, `namespace {`: what is in it. */
static uint32_t find_namespace(struct rewriting *x, uint32_t i, const char *path)
{
	static const char *const foreign[] = { "std", "cuda", "thrust", "cub", "nvcuda", "cooperative_groups" };
	const struct token_list *l = &x->l;
	bool is_inline = i && token_is(l, i - 1, "inline");
	uint32_t head = is_inline ? i - 1 : i, at = i + 1;
	const char *inner = path;

	if (token_is(l, at + 1, "="))
		return at;
	for (size_t k = 0; !*path && k < sizeof(foreign) / sizeof(*foreign); k++)
		if (token_is(l, at, foreign[k]))
			return at;
	for (; token_is_name(l, at) || token_is(l, at, "::"); at++) {
		if (!token_is_name(l, at) || is_inline || token_is(l, at, "inline"))
			continue;
		inner = join(x, inner, token_text(l, at), token_len(l, at));
		if (inner && !is_known(x, inner, NULL, 0))
			know(x, inner, NULL, 0, UINT32_MAX);
	}
	if (!token_is(l, at, "{") || l->at[at].match == TOKEN_NONE)
		return at;
	if (add_scope(x, inner, head, at, false))
		find_names(x, at + 1, token_behind(l, at) - 1, inner, UINT32_MAX);
	return token_behind(l, at);
}

static uint32_t open_of_linkage(const struct token_list *l, uint32_t i)
{
	return token_is(l, i, "extern") && i + 1 < l->n && l->at[i + 1].kind == TOKEN_STRING && token_is(l, i + 2, "{") &&
			       l->at[i + 2].match != TOKEN_NONE
		       ? i + 2
		       : TOKEN_NONE;
}

/* `(*name)` of a pointer to a function. */
static void find_pointer(struct rewriting *x, uint32_t open, const char *path, uint32_t class)
{
	uint32_t i = open + 1;

	if (!token_is(&x->l, i, "*"))
		return;
	while (token_is(&x->l, i, "*") || token_is(&x->l, i, "const"))
		i++;
	if (token_is_name(&x->l, i) && (token_is(&x->l, i + 1, ")") || token_is(&x->l, i + 1, "[")))
		know_token(x, path, i, class);
}

/* Walk over what is declared at one level: of the cell or a namespace, or of a class. */
static void find_names(struct rewriting *x, uint32_t i, uint32_t end, const char *path, uint32_t class)
{
	const struct token_list *l = &x->l;
	bool wanted = *path || class != UINT32_MAX;

	while (i < end && !x->failed) {
		uint32_t linkage = open_of_linkage(l, i);

		if (linkage != TOKEN_NONE) {
			if (add_scope(x, path, i, linkage, false))
				find_names(x, linkage + 1, token_behind(l, linkage) - 1, path, class);
			i = token_behind(l, linkage);
		} else if (token_is(l, i, "template") && token_is(l, i + 1, "<")) {
			i = behind_angle(l, i + 1, end);
		} else if (token_is(l, i, "namespace") && class == UINT32_MAX && !token_is(l, i - 1, "using")) {
			i = find_namespace(x, i, path);
		} else if (is_tag_word(l, i)) {
			i = find_tag(x, i, path, class);
		} else if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{")) {
			if (wanted && token_is(l, i, "("))
				find_pointer(x, i, path, class);
			i = token_behind(l, i);
		} else {
			if (wanted && declares_at(l, i))
				know_token(x, path, i, class);
			/* Of a variable's value nothing is declared. */
			if (token_is(l, i, "="))
				while (i + 1 < end && !token_is(l, i + 1, ";") && !token_is(l, i + 1, ","))
					i = token_is(l, i + 1, "(") || token_is(l, i + 1, "{") || token_is(l, i + 1, "[")
						    ? token_behind(l, i + 1) - 1
						    : i + 1;
			i++;
		}
	}
}

/* The namespace around token i, and whether a class around it has a member of this name. */
static const char *path_at(const struct rewriting *x, uint32_t i, bool *ret_member)
{
	const char *path = "";

	*ret_member = false;
	for (uint32_t k = 0; k < x->n_scopes; k++) {
		const struct scope *s = &x->scopes[k];

		if (i <= s->open || i >= s->end)
			continue;
		path = s->path;
		*ret_member |= s->is_class && is_member(x, k, token_text(&x->l, i), token_len(&x->l, i));
	}
	return path;
}

/* One namespace outwards; false when this is the outermost. */
static bool outwards(struct rewriting *x, const char **path)
{
	const char *last = last_infix(*path);

	if (!**path)
		return false;
	*path = last ? copy(x, *path, (size_t)(last - *path)) : "";
	return *path != NULL;
}

/* What the first name of `a::b::f` means as a namespace, seen from `path`; NULL: none. */
static const char *find_first(struct rewriting *x, const char *path, uint32_t i)
{
	const char *name = token_text(&x->l, i);
	size_t len = token_len(&x->l, i);

	do {
		const char *inner = join(x, path, name, len);

		if (inner && is_known(x, inner, NULL, 0))
			return inner;
	} while (outwards(x, &path));
	for (uint32_t k = x->n_opened; k-- > 0;) {
		const struct opened *o = &x->opened[k];
		const char *inner;

		if (o->is_alias && strlen(o->name) == len && !memcmp(o->name, name, len))
			return o->path;
		inner = !*o->name ? join(x, o->path, name, len) : NULL;
		if (inner && is_known(x, inner, NULL, 0))
			return inner;
	}
	return NULL;
}

/* The namespace whose name the plain name at i is; NULL: it is of none. */
static const char *find_plain(struct rewriting *x, const char *path, uint32_t i)
{
	const char *name = token_text(&x->l, i);
	size_t len = token_len(&x->l, i);

	while (*path) {
		if (is_known(x, path, name, len))
			return path;
		if (!outwards(x, &path))
			return NULL;
	}
	for (uint32_t k = x->n_opened; k-- > 0;) {
		const struct opened *o = &x->opened[k];

		if (!o->is_alias && is_known(x, o->path, name, len) &&
		    (!*o->name || (strlen(o->name) == len && !memcmp(o->name, name, len))))
			return o->path;
	}
	return NULL;
}

struct out {
	struct buffer text;
	uint32_t copied; /* bytes of the source */
};

static void replace(const struct rewriting *x, struct out *o, uint32_t first, uint32_t last, const char *with)
{
	const struct token_list *l = &x->l;

	buffer_append(&o->text, l->text + o->copied, l->at[first].start - o->copied);
	buffer_puts(&o->text, with);
	for (uint32_t at = l->at[first].start; at < l->at[last].end; at++)
		if (l->text[at] == '\n')
			buffer_putc(&o->text, '\n');
	o->copied = l->at[last].end;
}

/* `a::b::` from i on as far as these are namespaces: *ret_path, and behind them. i itself when they are none. */
static uint32_t behind_path(struct rewriting *x, uint32_t i, const char *from, const char **ret_path)
{
	const struct token_list *l = &x->l;
	uint32_t first = token_is(l, i, "::") ? i + 1 : i;
	const char *path = token_is_name(l, first) && token_is(l, first + 1, "::") ? find_first(x, first == i ? from : "", first)
										  : NULL;

	if (!path)
		return i;
	for (first += 2; token_is_name(l, first) && token_is(l, first + 1, "::"); first += 2) {
		const char *inner = join(x, path, token_text(l, first), token_len(l, first));

		if (!inner || !is_known(x, inner, NULL, 0))
			break;
		path = inner;
	}
	*ret_path = path;
	return first;
}

/* `using namespace a;`, `using a::f;`, `namespace b = a;` of namespaces of cells: behind its `;`. i itself for all else. */
static uint32_t take_using(struct rewriting *x, struct out *o, uint32_t i)
{
	const struct token_list *l = &x->l;
	bool whole = token_is(l, i, "using") && token_is(l, i + 1, "namespace"), alias = token_is(l, i, "namespace");
	uint32_t first = i + 1 + whole + 2 * alias, at = first, last = first;
	char text[2 * PATH_BYTES];
	const char *path = NULL, *name = "";
	bool member;

	if (whole && token_is(l, first, "std") && token_is(l, first + 1, ";")) {
		replace(x, o, i, first + 1, "");
		return first + 2;
	}
	if (!(token_is(l, i, "using") || (alias && token_is(l, i + 2, "="))))
		return i;
	while (token_is_name(l, last) || token_is(l, last, "::"))
		last++;
	if (!token_is(l, last, ";") || last == first || !token_is_name(l, last - 1))
		return i;
	at = behind_path(x, first, path_at(x, i, &member), &path);
	if (whole || alias)
		path = path && at == last - 1 ? join(x, path, token_text(l, at), token_len(l, at))
		       : last == first + 1	? find_first(x, path_at(x, i, &member), first)
						: NULL;
	if (!path || !is_known(x, path, NULL, 0) || (!whole && !alias && at != last - 1))
		return i;
	if (!whole)
		name = alias ? copy(x, token_text(l, i + 1), token_len(l, i + 1)) : copy(x, token_text(l, at), token_len(l, at));
	open_name(x, path, name, alias);
	snprintf(text, sizeof(text), alias ? ALIAS : OPENED, path, name ? name : "");
	replace(x, o, i, last, text);
	return last + 1;
}

/* The name at i, or the qualified one that begins there. Where the walk goes on. */
static uint32_t take_name(struct rewriting *x, struct out *o, uint32_t i)
{
	const struct token_list *l = &x->l;
	const char *path = NULL, *from, *name;
	bool member, follows = i && (token_is(l, i - 1, ".") || token_is(l, i - 1, "->") || token_is(l, i - 1, "::"));
	uint32_t at;

	if (follows && !token_is(l, i, "::"))
		return i + 1;
	from = path_at(x, i, &member);
	at = behind_path(x, i, from, &path);
	if (at > i && token_is_name(l, at)) {
		name = join(x, path, token_text(l, at), token_len(l, at));
		if (name)
			replace(x, o, i, at, name);
		return at + 1;
	}
	if (!split_at_identifier(l, i) || member)
		return i + 1;
	path = find_plain(x, from, i);
	name = path ? join(x, path, token_text(l, i), token_len(l, i)) : NULL;
	if (name)
		replace(x, o, i, i, name);
	return i + 1;
}

/* The scope whose declaration begins at token i, or that ends with it. */
static const struct scope *scope_at(const struct rewriting *x, uint32_t i, bool *ret_end)
{
	for (uint32_t k = 0; k < x->n_scopes; k++) {
		*ret_end = i == x->scopes[k].end - 1;
		if (!x->scopes[k].is_class && (i == x->scopes[k].head || *ret_end))
			return &x->scopes[k];
	}
	return NULL;
}

static void rewrite(struct rewriting *x, struct out *o)
{
	for (uint32_t i = 0; i < x->l.n && !x->failed;) {
		bool is_end;
		const struct scope *s = scope_at(x, i, &is_end);
		uint32_t behind = s ? i : take_using(x, o, i);

		if (s && is_end) {
			replace(x, o, i, i, "");
			i++;
		} else if (s) {
			replace(x, o, i, s->open, "");
			i = s->open + 1;
		} else if (behind > i) {
			i = behind;
		} else if (token_is_name(&x->l, i) || token_is(&x->l, i, "::")) {
			i = take_name(x, o, i);
		} else {
			i++;
		}
	}
	buffer_append(&o->text, x->l.text + o->copied, x->l.len - o->copied);
}

const char *namespace_text_rewrite(const char *text, const struct session *session, struct mem_pool *pool, struct error *err)
{
	struct rewriting x = { .pool = pool };
	struct out o = { .text = BUFFER_INIT };
	const char *result = text;

	session_each(session, on_declaration, &x);
	if (!x.n_known && !strstr(text, "namespace") && !strstr(text, "extern"))
		return text;
	if (token_list_init(&x.l, text, strlen(text), pool, err))
		return NULL;
	find_names(&x, 0, x.l.n, "", UINT32_MAX);
	rewrite(&x, &o);
	if (o.copied)
		result = mem_pool_strdup(pool, buffer_text(&o.text));
	x.failed |= o.text.failed || !result;
	buffer_release(&o.text);
	if (!x.failed)
		return result;
	error_set(err, ERROR_MEMORY, "out of memory for the namespaces of a cell");
	return NULL;
}
