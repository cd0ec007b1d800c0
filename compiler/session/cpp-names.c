/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A declaration is spelled for C from clang's spelling of its canonical type: a reference becomes a
 * pointer, a pointer to a type that C cannot name becomes `void *`. In the text for the check each
 * name is on a line of its own, whose number is its index, so that diagnostics and symbols can be
 * matched.
 */
#include "compiler/session/cpp-names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/type-code.h"
#include "compiler/session/composition.h"
#include "compiler/session/session.h"
#include "compiler/text/own-names.h"

#define CHECKED "names of C++"
#define CODE_MAX 4096 /* bytes of a type code */

void cpp_names_init(struct cpp_names *l, struct mem_pool *pool)
{
	*l = (struct cpp_names){ .pool = pool };
	names_init(&l->keys);
}

void cpp_names_release(struct cpp_names *l)
{
	free(l->at);
	names_release(&l->keys);
	buffer_release(&l->functions);
	cpp_names_init(l, l->pool);
}

static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

/* Returns the position behind a C++ type's name with its template arguments and scopes. */
static const char *behind_name(const char *p)
{
	unsigned depth = 0;

	for (; *p && (depth || is_word(*p) || *p == ':' || *p == '<'); p++)
		depth += (*p == '<') - (*p == '>');
	return p;
}

/* Spells `class std::vector<int> &` as `void *`, and `class Shape *` as `struct Shape *`. */
static const char *spell_class(const char *p, struct buffer *out)
{
	const char *name = p + strcspn(p, " ") + 1, *end = behind_name(name),
		   *next = end + strspn(end, " ");
	bool is_number = !strncmp(name, "__half", 6) ||
			 !strncmp(name, "__nv_bfloat16", 13); /* typedefs in prelude/cuda_fp16.h */
	bool plain = !memchr(name, ':', (size_t)(end - name)) &&
		     !memchr(name, '<', (size_t)(end - name));

	if (is_number && plain)
		buffer_append(out, name, (size_t)(end - name));
	else if (plain || (*next != '*' && *next != '&'))
		buffer_printf(out, "%s %.*s",
			      *p == 'c'   ? "struct"
			      : *p == 's' ? "struct"
			      : *p == 'u' ? "union"
					  : "enum",
			      (int)(end - name), name);
	else
		buffer_puts(out, "void");
	return end;
}

static bool starts_class(const char *p)
{
	return !strncmp(p, "class ", 6) || !strncmp(p, "struct ", 7) || !strncmp(p, "union ", 6) ||
	       !strncmp(p, "enum ", 5);
}

static char *spell(struct cpp_names *l, const char *declaration)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	char before = ' ';

	for (const char *p = declaration; *p;) {
		if (!is_word(before) && starts_class(p)) {
			p = spell_class(p, &b);
			before = 'x';
			continue;
		}
		if (*p != '&')
			buffer_putc(&b, *p);
		else if (before != '&')
			buffer_putc(&b, '*');
		before = *p++;
	}
	return mem_pool_strdup(l->pool, buffer_text(&b));
}

/* Adds a name, unless one of this kind is known. */
static void add(struct cpp_names *l, const struct cpp_name *name)
{
	cleanup_buffer struct buffer key = BUFFER_INIT;
	uint32_t index = NAME_NONE;

	if (name->name && name->declaration && ARRAY_ROOM(l->at, l->n, &l->cap)) {
		buffer_printf(&key, "%d %s", name->kind, name->name);
		if (!buffer_check(&key, NULL))
			index = names_add(&l->keys, key.data, key.len);
	}
	l->failed |= index == NAME_NONE;
	if (index == l->n)
		l->at[l->n++] = *name;
}

static bool is_enum(const char *declaration)
{
	return !strncmp(declaration, "enum ", 5);
}

/* Adds `typedef struct P P`, so that C cells may omit the keyword as C++ does. */
static void add_typedef(struct cpp_names *l, const struct cpp_name *tag)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct cpp_name name = *tag;

	if (is_enum(tag->declaration))
		buffer_printf(&text, "enum %s %s", tag->name, tag->name);
	else
		buffer_printf(&text, "%s %s", tag->cpp_type, tag->name);
	name.kind = CLANG_TYPEDEF;
	name.otherwise = NULL;
	name.declaration = mem_pool_strdup(l->pool, buffer_text(&text));
	add(l, &name);
}

void cpp_names_add(struct cpp_names *l, const struct clang_symbol *s, const char *written)
{
	char unknown[32]; /* bytes of unknown meaning: common/code/type-code.h */
	const char *code = s->type_code;

	if (!s->in_cell || (s->kind != CLANG_TYPEDEF && !s->is_definition))
		return;
	l->has_main |= s->kind == CLANG_FUNCTION && !strcmp(s->name, "main");
	snprintf(unknown, sizeof(unknown), "?%llu", (unsigned long long)s->size);
	/* A class may be made of a thousand others. */
	if (strlen(code) > CODE_MAX || type_code_size(code) != s->size)
		code = unknown;
	struct cpp_name name = {
		.kind = s->kind,
		.name = mem_pool_strdup(l->pool, s->name),
		.declaration = spell(l, s->declaration),
		.written = written,
		.line = s->line,
		.is_thread_local = s->is_thread_local,
		.is_c = s->is_c,
		.is_entry = s->is_entry,
		.is_on_device = s->is_on_device,
		.has_label = s->has_label,
		.cpp_type = mem_pool_strdup(l->pool, s->type),
		.cpp_code = mem_pool_strdup(l->pool, code),
		.cpp_size = s->size,
	};

	l->failed |= !name.cpp_type || !name.cpp_code || !written;
	/* An enum is useless without its constants. */
	if (s->kind == CLANG_TAG && strcmp(s->type, s->declaration) && !is_enum(s->declaration))
		name.otherwise = name.cpp_type;
	add(l, &name);
	if (s->kind == CLANG_TAG && *s->name)
		add_typedef(l, &name);
}

void cpp_names_add_function(struct cpp_names *l, const char *symbol, const char *type,
			    uint32_t line)
{
	struct unit_symbol s = { .name = mem_pool_strdup(l->pool, symbol),
				 .is_function = true,
				 .type = mem_pool_strdup(l->pool, type),
				 .type_code = "",
				 .line = line };

	l->failed |= !s.name || !s.type;
	buffer_append(&l->functions, &s, sizeof(s));
}

/* Appends the C text of a name, as later cells get it. */
static void put(const struct cpp_name *n, struct buffer *out)
{
	const char *before = n->kind == CLANG_TYPEDEF ? "typedef "
			     : n->kind == CLANG_VARIABLE && n->is_thread_local
				     ? "extern _Thread_local "
			     : n->kind == CLANG_VARIABLE ? "extern "
							 : "";

	buffer_printf(out, "%s%s;", before, n->declaration);
}

static char *without_prefix(struct cpp_names *l, const char *text)
{
	char *copy = mem_pool_strdup(l->pool, text);

	own_names_strip(copy);
	return copy;
}

struct check {
	struct cpp_names *names;
	bool again;   /* a name was refused */
	bool foreign; /* an error that concerns none of them */
};

static struct cpp_name *name_of(const struct check *c, const char *file, unsigned line)
{
	return !strcmp(file, CHECKED) && line && line <= c->names->n ? &c->names->at[line - 1]
								     : NULL;
}

static void on_diagnostic(void *context, const struct clang_diagnostic *d)
{
	struct check *c = context;
	struct cpp_name *n = name_of(c, d->file, d->line);
	bool odd = n && d->kind == CLANG_ODD_IN_C;

	if (d->severity != CLANG_ERROR && !odd)
		return;
	/* Errors behind the first one may be consequences of it. */
	if (!n || c->again) {
		c->foreign |= !n;
		return;
	}
	c->again = true;
	if (n->otherwise) {
		n->declaration = n->otherwise;
		n->otherwise = NULL;
	} else {
		n->refused = without_prefix(c->names, d->message);
		c->names->failed |= !n->refused;
	}
}

static void on_symbol(void *context, const struct clang_symbol *s)
{
	struct check *c = context;
	struct cpp_name *n = s->in_cell ? name_of(c, CHECKED, s->line) : NULL;

	if (!n || n->kind != s->kind)
		return;
	n->type = without_prefix(c->names, s->type);
	n->type_code = without_prefix(c->names, s->type_code);
	n->size = s->size;
	n->layout = s->layout;
	c->names->failed |= !n->type || !n->type_code;
}

/* Checks an enum by itself, because clang accepts `extern enum color c;` in C also with a scoped
 * enum, which C does not know. */
static void put_enum_check(const struct cpp_name *n, struct buffer *out)
{
	size_t word = strlen("enum ");

	if (n->kind != CLANG_TAG && n->kind != CLANG_TYPEDEF && is_enum(n->declaration))
		buffer_printf(out, " _Static_assert(sizeof(enum %.*s) > 0, \"\");",
			      (int)strcspn(n->declaration + word, " *[(){;"),
			      n->declaration + word);
}

static int write_check(const struct cpp_names *l, struct compiler_session *session,
		       struct buffer *out, struct error *err)
{
	cleanup_buffer struct buffer all = BUFFER_INIT;
	struct mem_pool pool = MEM_POOL_INIT;
	struct session_mask *masks = mem_pool_array(&pool, l->n + 1, sizeof(*masks));
	struct token_list tokens;
	int failed;

	for (size_t i = 0; masks && i < l->n; i++) {
		masks[i] = (struct session_mask){ l->at[i].kind == CLANG_TAG ? "tag" : "ordinary",
						  l->at[i].name, strlen(l->at[i].name) };
		buffer_printf(&all, "\n#line %zu \"" CHECKED "\"\n", i + 1);
		if (!l->at[i].refused) {
			put(&l->at[i], &all);
			put_enum_check(&l->at[i], &all);
		}
		/* The substitute must have the same size, or C knows the type by its name only. */
		if (!l->at[i].refused && l->at[i].otherwise)
			buffer_printf(&all, " _Static_assert(sizeof(%s) == %llu, \"\");",
				      l->at[i].otherwise, (unsigned long long)l->at[i].cpp_size);
	}
	failed = !masks || buffer_check(&all, err) ||
		 token_list_init(&tokens, buffer_text(&all), all.len, &pool, err) ||
		 composition_write(session, &tokens, masks, l->n, NULL, out, err);
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].kind != CLANG_TAG)
			own_names_write(&session->headers, l->at[i].name, strlen(l->at[i].name),
					out);
	buffer_append(out, all.data, all.len);
	mem_pool_release(&pool);
	return failed || buffer_check(out, err) ? -1 : 0;
}

static int check_once(struct check *c, struct compiler_session *session,
		      const struct clang_options *options, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct clang_job job = { .options = options,
				 .name = CHECKED,
				 .context = c,
				 .diagnostic = on_diagnostic,
				 .symbol = on_symbol };

	c->again = c->foreign = false;
	if (write_check(c->names, session, &text, err))
		return -1;
	job.text = buffer_text(&text);
	job.len = text.len;
	clang_shim_parse(&job);
	return 0;
}

int cpp_names_check(struct cpp_names *l, struct compiler_session *session,
		    const struct clang_options *options, struct error *err)
{
	struct check c = { .names = l, .again = l->n != 0 };

	/* Each turn refuses at least one name more, so the loop ends. */
	while (c.again)
		if (check_once(&c, session, options, err))
			return -1;
	for (size_t i = 0; c.foreign && i < l->n; i++)
		if (!l->at[i].type)
			l->at[i].refused = "what the session has declared does not compile";
	return l->failed ? error_set(err, ERROR_MEMORY, "out of memory for the names of a C++ cell")
			 : 0;
}

static enum declaration_kind declaration_of(enum clang_symbol_kind kind)
{
	switch (kind) {
	case CLANG_TAG:
		return DECLARATION_TAG;
	case CLANG_TYPEDEF:
		return DECLARATION_TYPEDEF;
	case CLANG_VARIABLE:
		return DECLARATION_VARIABLE;
	default:
		return DECLARATION_FUNCTION;
	}
}

static enum declaration_kind kind_of(const struct cpp_name *n)
{
	return n->is_entry       ? DECLARATION_ENTRY
	       : n->is_on_device ? DECLARATION_DEVICE_VARIABLE
				 : declaration_of(n->kind);
}

static void finish_one(const struct cpp_names *l, const struct cpp_name *n, struct unit *u)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	bool is_type = n->kind == CLANG_TAG || n->kind == CLANG_TYPEDEF;
	const char *said;

	put(n, &text);
	said = mem_pool_strdup(l->pool, buffer_text(&text));
	said = said ? said : "";
	u->declarations[u->n_declarations++] = (struct declaration){
		.kind = kind_of(n),
		.cell = u->cell,
		.line = n->line,
		.name = n->name,
		.host = n->is_on_device ? "" : said,
		.device = is_type || n->is_on_device ? said : "",
		.written = n->written,
	};
	if (is_type || !n->type || n->has_label)
		return;
	u->symbols[u->n_symbols++] = (struct unit_symbol){
		.name = n->name,
		.is_function = n->kind == CLANG_FUNCTION,
		.size = n->size,
		.type = n->type,
		.type_code = *n->cpp_code == '?' ? n->type_code : n->cpp_code,
		.layout = n->layout,
		.line = n->line,
	};
}

/* Keeps a variable that C cannot declare, for %who and for rollback. */
static void finish_refused(const struct cpp_name *n, struct unit *u, struct buffer *notes)
{
	if (n->is_c)
		buffer_printf(notes,
			      "%s:%u: note: C cells do not see '%s', whose type is none of C: %s\n",
			      u->cell_name, n->line, n->name, n->refused);
	else if (n->kind == CLANG_VARIABLE)
		u->symbols[u->n_symbols++] = (struct unit_symbol){
			.name = n->name,
			.size = n->cpp_size,
			.type = n->cpp_type,
			.type_code = n->cpp_code,
			.line = n->line,
		};
}

int cpp_names_finish(const struct cpp_names *l, struct unit *u, struct buffer *notes,
		     struct error *err)
{
	size_t n_functions = l->functions.len / sizeof(*u->symbols);

	u->declarations = mem_pool_array(l->pool, l->n + 1, sizeof(*u->declarations));
	u->symbols = mem_pool_array(l->pool, l->n + n_functions + 1, sizeof(*u->symbols));
	if (!u->declarations || !u->symbols || buffer_check(&l->functions, NULL))
		return error_set(err, ERROR_MEMORY, "out of memory for the names of a C++ cell");
	for (size_t i = 0; i < l->n; i++) {
		const struct cpp_name *n = &l->at[i];

		if (!n->refused)
			finish_one(l, n, u);
		else
			finish_refused(n, u, notes);
	}
	if (n_functions)
		memcpy(u->symbols + u->n_symbols, l->functions.data, l->functions.len);
	u->n_symbols += n_functions;
	return buffer_check(notes, err);
}
