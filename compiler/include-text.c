/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copied directive by directive: everything else is passed on as it is. What keeps a file from being taken twice, #pragma once
 * or an #ifndef around all of it, is left out, since the session knows what it has.
 */
#include "compiler/include-text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/local-include.h"
#include "compiler/session.h"
#include "compiler/split.h"
#include "compiler/token.h"

#define FILE_MAX (1u << 20)
#define DEPTH_MAX 20

struct expansion {
	struct include_text *t;
	struct mem_pool *pool;
	const struct session *session;
	const char **folders; /* of -I */
	size_t n_folders;
	struct buffer out;
	uint32_t line; /* of what is written next */
	bool changed;
};

static bool find_file(const struct expansion *x, const char *folder, const char *name, char ret[PATH_MAX])
{
	if (local_include_in(folder, name, ret))
		return true;
	for (size_t i = 0; i < x->n_folders; i++)
		if (local_include_in(x->folders[i], name, ret))
			return true;
	return false;
}

/* cudaMalloc, cudaDeviceProp: of the runtime API. */
static bool is_of_cuda(const struct token_list *l, uint32_t i)
{
	return token_is_name(l, i) && token_len(l, i) > 4 && !memcmp(token_text(l, i), "cuda", 4) &&
	       isupper((unsigned char)token_text(l, i)[4]);
}

/* Would clang not take the file as C, or is something in it for the device? */
static bool is_foreign(const char *path, const struct token_list *l)
{
	static const char *const words[] = { "__global__",  "__device__",  "__host__",		"__constant__",
					     "__managed__", "__shared__",  "<<<",		"::",
					     "static_cast", "const_cast",  "reinterpret_cast",	"nullptr" };
	size_t n = strlen(path);

	if (n > 4 && !strcmp(path + n - 4, ".cuh"))
		return true;
	for (uint32_t i = 0; i < l->n; i++) {
		if ((token_is(l, i, "template") && token_is(l, i + 1, "<")) || is_of_cuda(l, i) ||
		    ((token_is(l, i, "namespace") || token_is(l, i, "class")) && token_is_name(l, i + 1)))
			return true;
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			if (token_is(l, i, words[k]))
				return true;
	}
	return false;
}

static void begin_piece(struct expansion *x, uint32_t file, uint32_t first, uint32_t cell_line)
{
	struct include_text *t = x->t;

	if (MEM_POOL_ROOM(x->pool, t->pieces, t->n, &t->cap))
		t->pieces[t->n++] = (struct include_piece){ x->line, file, first, cell_line };
	else
		t->failed = true;
}

static uint32_t add_file(struct expansion *x, const char *name, const char *path, uint64_t hash)
{
	struct include_text *t = x->t;

	if (!MEM_POOL_ROOM(x->pool, t->files, t->n_files, &t->cap_files)) {
		t->failed = true;
		return 0;
	}
	t->files[t->n_files] = (struct include_file){ mem_pool_strdup(x->pool, name), mem_pool_strdup(x->pool, path), hash };
	t->failed |= !t->files[t->n_files].name || !t->files[t->n_files].path;
	return t->n_files++;
}

/* Has this cell taken the file already, or has the session it with this content? */
static bool is_taken(const struct expansion *x, const char *path, uint64_t hash)
{
	struct include_file f = { .path = path, .hash = hash };
	const char *mark = include_text_mark(&f, x->pool);

	for (uint32_t i = 0; i < x->t->n_files; i++)
		if (x->t->files[i].path && !strcmp(x->t->files[i].path, path))
			return true;
	for (uint32_t i = session_count(x->session); mark && i-- > 0;) {
		const struct declaration *d = session_at(x->session, i);

		if (d->kind == DECLARATION_INCLUDE && !strcmp(d->name, path))
			return !session_is_hidden(x->session, i) && !strcmp(d->host, mark);
	}
	return false;
}

static void put(struct expansion *x, const char *text, size_t len)
{
	buffer_append(&x->out, text, len);
	for (size_t i = 0; i < len; i++)
		x->line += text[i] == '\n';
}

static void put_lines(struct expansion *x, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n')
			put(x, "\n", 1);
}

/* The directives of `#ifndef X`, `#define X` and, at the end, `#endif` around the whole file are tokens 0, 1 and the last. */
static bool has_guard(const struct token_list *l)
{
	const char *name, *defined;
	size_t n, n_defined;
	unsigned depth = 0;

	if (l->n < 3 || !token_directive_is(l, 0, "ifndef") || !token_directive_is(l, 1, "define") ||
	    !token_directive_is(l, l->n - 1, "endif"))
		return false;
	name = token_directive_rest(l, 0, &n);
	defined = token_directive_rest(l, 1, &n_defined);
	while (n && isspace((unsigned char)name[n - 1]))
		n--;
	if (!n || n_defined < n || memcmp(name, defined, n) != 0)
		return false;
	for (uint32_t i = 0; i + 1 < l->n; i++) {
		depth += token_directive_is(l, i, "if") || token_directive_is(l, i, "ifdef") || token_directive_is(l, i, "ifndef");
		depth -= token_directive_is(l, i, "endif");
		if (!depth)
			return false;
	}
	return depth == 1;
}

/* #pragma once */
static bool is_once(const struct token_list *l, uint32_t i)
{
	size_t n;
	const char *rest;

	if (!token_directive_is(l, i, "pragma"))
		return false;
	rest = token_directive_rest(l, i, &n);
	return n >= 4 && !memcmp(rest, "once", 4);
}

struct level {
	const char *folder; /* "": the working one */
	uint32_t file;
	uint32_t cell_line; /* of the #include in the cell; 0 in the cell itself */
	unsigned depth;
};

static void expand(struct expansion *x, const struct token_list *l, const struct level *level, struct error *err);

/* The file's text in the place of its #include, which is line `line`; false: it stays an include. */
static bool take(struct expansion *x, const char *name, const char *path, uint32_t line, const struct level *level,
		 struct error *err)
{
	const char *text = level->depth < DEPTH_MAX ? include_text_read(path, FILE_MAX, x->pool) : NULL;
	struct level inner = { .depth = level->depth + 1, .cell_line = level->cell_line ? level->cell_line : line };
	char *folder = mem_pool_strdup(x->pool, path);
	struct token_list l;
	uint64_t hash;

	if (!text || !folder || token_list_init(&l, text, strlen(text), x->pool, err) || !is_foreign(path, &l) ||
	    l.open_comment || l.unclosed != TOKEN_NONE || l.unopened != TOKEN_NONE)
		return false;
	hash = XXH3_64bits(text, strlen(text));
	x->changed = true;
	if (is_taken(x, path, hash))
		return true;
	local_include_folder(folder);
	inner.folder = folder;
	inner.file = add_file(x, name, path, hash);
	put(x, "\n", 1);
	begin_piece(x, inner.file, 1, inner.cell_line);
	expand(x, &l, &inner, err);
	put(x, "\n", 1);
	return true;
}

/* What stands in front of token i, but behind the one before, and then the directive, or what it stands for. */
static void put_include(struct expansion *x, const struct token_list *l, uint32_t i, const struct level *level,
			struct error *err)
{
	const char *rest, *text = token_text(l, i);
	char name[PATH_MAX], path[PATH_MAX];
	uint32_t pieces = x->t->n;
	size_t n;

	rest = token_directive_rest(l, i, &n);
	if (!local_include_name(rest, n, name) || !find_file(x, level->folder, name, path)) {
		put(x, text, token_len(l, i));
		return;
	}
	if (!take(x, name, path, l->at[i].line, level, err)) {
		/* A cell's own include of plain C is told apart by its text. */
		if (level->depth && *name != '/') {
			put(x, "#include \"", 10);
			put(x, path, strlen(path));
			put(x, "\"", 1);
		} else {
			put(x, text, token_len(l, i));
		}
		return;
	}
	put_lines(x, text, token_len(l, i));
	if (x->t->n > pieces)
		begin_piece(x, level->file, l->at[i].line, level->cell_line ? level->cell_line : l->at[i].line);
}

static void expand(struct expansion *x, const struct token_list *l, const struct level *level, struct error *err)
{
	bool guard = level->depth && has_guard(l);
	uint32_t copied = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		bool leave = level->depth && (is_once(l, i) || (guard && (i < 2 || i == l->n - 1)));

		if (!leave && !token_directive_is(l, i, "include"))
			continue;
		put(x, l->text + copied, l->at[i].start - copied);
		copied = l->at[i].end;
		if (leave)
			put_lines(x, token_text(l, i), token_len(l, i));
		else
			put_include(x, l, i, level, err);
	}
	put(x, l->text + copied, l->len - copied);
}

/* -Ifolder and -I folder. */
static void find_folders(struct expansion *x, const char *cflags)
{
	x->folders = mem_pool_array(x->pool, strlen(cflags) / 2 + 1, sizeof(*x->folders));
	for (const char *p = cflags; x->folders && (p = strstr(p, "-I"));) {
		bool starts = p == cflags || isspace((unsigned char)p[-1]);
		const char *name = p + 2 + strspn(p + 2, " \t");
		size_t len = strcspn(name, " \t");

		p = name + (starts ? len : 0);
		if (starts && len && (x->folders[x->n_folders] = mem_pool_strndup(x->pool, name, len)))
			x->n_folders++;
	}
}

int include_text_init(struct include_text *t, const char *cell, const char *cell_name, const char *cflags,
		      const struct session *session, struct mem_pool *pool, struct error *err)
{
	struct expansion x = { .t = t, .pool = pool, .session = session, .out = BUFFER_INIT, .line = 1 };
	struct level level = { .folder = "", .file = INCLUDE_TEXT_CELL };
	struct token_list l;

	*t = (struct include_text){ .text = cell, .cell_name = cell_name };
	if (!strstr(cell, "include"))
		return 0;
	if (token_list_init(&l, cell, strlen(cell), pool, err))
		return -1;
	find_folders(&x, cflags);
	expand(&x, &l, &level, err);
	if (x.changed)
		t->text = mem_pool_strdup(pool, buffer_text(&x.out));
	t->failed |= x.out.failed || !t->text;
	buffer_release(&x.out);
	t->names = mem_pool_array(pool, t->n_files + 1, sizeof(*t->names));
	if (t->failed || !t->names)
		return error_set(err, ERROR_MEMORY, "out of memory for the files that a cell includes");
	for (uint32_t i = 0; i < t->n_files; i++)
		t->names[i] = t->files[i].name;
	return 0;
}
