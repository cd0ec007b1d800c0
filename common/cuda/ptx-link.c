/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module is cut into items: the functions, variables and directives of its outermost level, each
 * with the symbol that it declares or defines. Symbols alone decide which items are kept; these are
 * copied, with names and file numbers replaced. So the linker needs no knowledge of instructions.
 */
#define _GNU_SOURCE
#include "common/cuda/ptx-link.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/cuda/ptx-lexer.h"

enum linkage { OWN, EXTERN, WEAK, VISIBLE };

struct item {
	const char *start, *end;
	uint32_t symbol; /* NAME_NONE: none */
	enum linkage linkage;
	bool defines; /* false: it declares */
	bool is_function;
	bool needed; /* a declaration of a symbol that some module must define */
	bool header; /* .version, .target and .address_size, of which the linked module has its own
		      */
};

struct ptx_link_module {
	char *name, *text;
	struct item *items;
	uint32_t n, n_labels;
	size_t cap, labels_cap;
	uint32_t *labels;         /* symbols of debug sections, which are local to the module */
	uint32_t version, target; /* 90, 75 */
	uint32_t files;           /* highest number in a .file */
};

/* Facts about a symbol that are known once all modules are there. */
struct symbol {
	uint32_t owner; /* index of the module whose definition is kept, NONE */
	bool strong;
	bool declared; /* by an .extern item that was written already */
	bool taken;    /* a module has a symbol of this name */
};

#define NONE UINT32_MAX

void ptx_link_init(struct ptx_link *l)
{
	*l = (struct ptx_link){ 0 };
	names_init(&l->names);
}

static void module_free(struct ptx_link_module *m)
{
	if (!m)
		return;
	free(m->name);
	free(m->text);
	free(m->items);
	free(m->labels);
	free(m);
}

void ptx_link_release(struct ptx_link *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		module_free(l->modules[i]);
	free(l->modules);
	names_release(&l->names);
}

/* The state of cutting up one module. */
struct cutter {
	struct ptx_link *link;
	struct ptx_link_module *module;
	struct ptx_lexer lexer;
	struct ptx_token token;
	const char *last_end; /* end of the previous token */
	struct error *err;
};

static void advance(struct cutter *c)
{
	c->last_end = c->token.text + c->token.len + (c->token.kind == PTX_TOKEN_STRING);
	ptx_lexer_next(&c->lexer, &c->token);
}

static bool at(const struct cutter *c, char punctuation)
{
	return c->token.kind == PTX_TOKEN_PUNCTUATION &&
	       c->token.value == (unsigned char)punctuation;
}

static bool at_word(const struct cutter *c, const char *word)
{
	return c->token.kind == PTX_TOKEN_DOTTED && c->token.len == strlen(word) &&
	       !memcmp(c->token.text, word, c->token.len);
}

static int out_of_memory(struct cutter *c)
{
	return error_set(c->err, ERROR_MEMORY, "out of memory while linking PTX");
}

static int unexpected(struct cutter *c, const char *wanted)
{
	if (c->token.kind == PTX_TOKEN_END)
		return error_set(c->err, ERROR_COMPILE,
				 "%s: PTX line %u: the text ends where %s should follow",
				 c->module->name, c->token.line, wanted);
	return error_set(c->err, ERROR_COMPILE, "%s: PTX line %u: `%.*s` where %s should be",
			 c->module->name, c->token.line,
			 (int)(c->token.len > 40 ? 40 : c->token.len), c->token.text, wanted);
}

static uint32_t name_of(struct cutter *c)
{
	return names_add(&c->link->names, c->token.text, c->token.len);
}

/* Skips to behind the bracket that closes the current one. */
static int skip_group(struct cutter *c, char open, char close)
{
	unsigned depth = 0;

	do {
		if (c->token.kind == PTX_TOKEN_END || c->token.kind == PTX_TOKEN_BAD)
			return unexpected(c, "a closing bracket");
		depth += at(c, open);
		depth -= at(c, close);
		advance(c);
	} while (depth);
	return 0;
}

/* Skips to the end of a statement, behind its `;`. */
static int skip_statement(struct cutter *c)
{
	while (!at(c, ';'))
		if (at(c, '{')) {
			if (skip_group(c, '{', '}'))
				return -1;
		} else if (c->token.kind == PTX_TOKEN_END || c->token.kind == PTX_TOKEN_BAD) {
			return unexpected(c, "`;`");
		} else {
			advance(c);
		}
	advance(c);
	return 0;
}

static int cut_section(struct cutter *c)
{
	struct ptx_link_module *m = c->module;

	while (!at(c, '{')) {
		if (c->token.kind == PTX_TOKEN_END)
			return unexpected(c, "`{`");
		advance(c);
	}
	while (!at(c, '}')) {
		if (c->token.kind == PTX_TOKEN_END)
			return unexpected(c, "`}`");
		if (c->token.kind == PTX_TOKEN_IDENTIFIER) {
			if (!ARRAY_ROOM(m->labels, m->n_labels, &m->labels_cap))
				return out_of_memory(c);
			m->labels[m->n_labels++] = name_of(c);
		}
		advance(c);
	}
	advance(c);
	return 0;
}

/* Grammar: [(returns)] name (parameters) directives { body } or ; */
static int cut_function(struct cutter *c, struct item *i)
{
	advance(c);
	while (c->token.kind == PTX_TOKEN_DOTTED || at(c, '('))
		if (!at(c, '('))
			advance(c);
		else if (skip_group(c, '(', ')'))
			return -1;
	if (c->token.kind != PTX_TOKEN_IDENTIFIER)
		return unexpected(c, "the name of a function");
	i->symbol = name_of(c);
	while (!at(c, '{') && !at(c, ';')) {
		if (c->token.kind == PTX_TOKEN_END || c->token.kind == PTX_TOKEN_BAD)
			return unexpected(c, "the body of a function");
		advance(c);
	}
	i->is_function = true;
	i->defines = at(c, '{');
	i->needed = i->linkage == EXTERN;
	if (i->defines)
		return skip_group(c, '{', '}');
	advance(c);
	return 0;
}

static int cut_variable(struct cutter *c, struct item *i)
{
	bool shared = at_word(c, ".shared");

	advance(c);
	while (c->token.kind != PTX_TOKEN_IDENTIFIER) {
		if (c->token.kind == PTX_TOKEN_END || at(c, ';'))
			return unexpected(c, "the name of a variable");
		if (at(c, '(')) {
			if (skip_group(c, '(', ')'))
				return -1;
		} else {
			advance(c);
		}
	}
	i->symbol = name_of(c);
	i->defines = i->linkage != EXTERN;
	/* The launch provides an array in shared memory that has no size. */
	i->needed = i->linkage == EXTERN && !shared;
	return skip_statement(c);
}

static int cut_header(struct cutter *c, struct item *i)
{
	struct ptx_link_module *m = c->module;
	bool version = at_word(c, ".version"), target = at_word(c, ".target");
	double number;

	i->header = true;
	advance(c);
	if (version && c->token.kind == PTX_TOKEN_FLOAT) {
		memcpy(&number, &c->token.value, sizeof(number));
		m->version = (uint32_t)(10 * number + 0.5);
	}
	if (target && c->token.len > 3 && !memcmp(c->token.text, "sm_", 3))
		m->target = (uint32_t)strtoul(c->token.text + 3, NULL, 10);
	advance(c);
	while (target && at(c, ',')) {
		advance(c);
		advance(c);
	}
	return 0;
}

/* Grammar: .file number "name" [, time, size] */
static int cut_file(struct cutter *c)
{
	advance(c);
	if (c->token.kind != PTX_TOKEN_INTEGER)
		return unexpected(c, "the number of a file");
	if (c->token.value > c->module->files)
		c->module->files = (uint32_t)c->token.value;
	advance(c);
	advance(c);
	while (at(c, ',')) {
		advance(c);
		advance(c);
	}
	return 0;
}

static int cut_item(struct cutter *c, struct item *i)
{
	for (;; advance(c)) {
		if (at_word(c, ".extern"))
			i->linkage = EXTERN;
		else if (at_word(c, ".visible"))
			i->linkage = VISIBLE;
		else if (at_word(c, ".weak") || at_word(c, ".common"))
			i->linkage = WEAK;
		else
			break;
	}
	if (at_word(c, ".func") || at_word(c, ".entry"))
		return cut_function(c, i);
	if (at_word(c, ".version") || at_word(c, ".target") || at_word(c, ".address_size"))
		return cut_header(c, i);
	if (at_word(c, ".file"))
		return cut_file(c);
	if (at_word(c, ".section"))
		return cut_section(c);
	if (at_word(c, ".global") || at_word(c, ".const") || at_word(c, ".shared") ||
	    at_word(c, ".tex"))
		return cut_variable(c, i);
	if (at_word(c, ".pragma") || at_word(c, ".alias"))
		return skip_statement(c);
	if (at(c, ';')) {
		advance(c);
		return 0;
	}
	return unexpected(c, "a directive");
}

static int cut(struct cutter *c)
{
	struct ptx_link_module *m = c->module;

	advance(c);
	while (c->token.kind != PTX_TOKEN_END) {
		struct item i = { .start = c->token.text, .symbol = NAME_NONE };

		if (cut_item(c, &i))
			return -1;
		i.end = c->last_end;
		if (!ARRAY_ROOM(m->items, m->n, &m->cap))
			return out_of_memory(c);
		m->items[m->n++] = i;
	}
	if (!m->version)
		return error_set(c->err, ERROR_COMPILE,
				 "%s: no .version directive: this is not PTX", m->name);
	return 0;
}

int ptx_link_add(struct ptx_link *l, const char *name, const char *text, size_t len,
		 struct error *err)
{
	struct ptx_link_module *m = calloc(1, sizeof(*m));
	struct cutter c = { .link = l, .module = m, .err = err };

	if (m) {
		m->name = strdup(name);
		m->text = strndup(text, len);
	}
	if (!m || !m->name || !m->text || !ARRAY_ROOM(l->modules, l->n, &l->cap)) {
		module_free(m);
		return out_of_memory(&c);
	}
	ptx_lexer_init(&c.lexer, m->text, strlen(m->text));
	c.token.text = m->text;
	if (cut(&c)) {
		module_free(m);
		return -1;
	}
	l->modules[l->n++] = m;
	return 0;
}

static bool is_defined(const struct ptx_link *l, uint32_t symbol)
{
	for (uint32_t k = 0; k < l->n; k++)
		for (uint32_t n = 0; n < l->modules[k]->n; n++)
			if (l->modules[k]->items[n].symbol == symbol &&
			    l->modules[k]->items[n].defines)
				return true;
	return false;
}

const char *ptx_link_missing(const struct ptx_link *l, bool (*is_meant)(const char *name))
{
	for (uint32_t k = 0; k < l->n; k++)
		for (uint32_t n = 0; n < l->modules[k]->n; n++) {
			const struct item *i = &l->modules[k]->items[n];
			const char *name =
				i->is_function && i->needed ? l->names.texts[i->symbol] : NULL;

			if (name && is_meant(name) && !is_defined(l, i->symbol))
				return name;
		}
	return NULL;
}

/* Names such as cudaLaunchDevice and __cudaCDP2LaunchDeviceV2. C++ functions have mangled names,
 * and cuda_scale() is a cell's own. */
bool ptx_link_is_device_runtime(const char *name)
{
	if (!strncmp(name, "__", 2))
		name += 2;
	return !strncmp(name, "cuda", 4) && isupper((unsigned char)name[4]);
}

bool ptx_link_needs(const char *text, size_t len, bool (*is_meant)(const char *name),
		    char *ret_name, size_t size)
{
	struct error err = ERROR_INIT;
	const char *name = NULL;
	struct ptx_link link;

	*ret_name = '\0';
	ptx_link_init(&link);
	if (!ptx_link_add(&link, "the code", text, len, &err))
		name = ptx_link_missing(&link, is_meant);
	if (name)
		snprintf(ret_name, size, "%s", name);
	ptx_link_release(&link);
	return *ret_name;
}

/* Searches for the name first: most texts do not contain it, and need not be parsed. */
bool ptx_link_needs_device_runtime(const char *text, size_t len, char *ret_name, size_t size)
{
	*ret_name = '\0';
	return memmem(text, len, "cuda", 4) &&
	       ptx_link_needs(text, len, ptx_link_is_device_runtime, ret_name, size);
}

/* Finds the definition of each symbol that is kept. */
static int find_owners(const struct ptx_link *l, struct symbol *symbols, struct error *err)
{
	for (uint32_t k = 0; k < l->n; k++)
		for (uint32_t n = 0; n < l->modules[k]->n; n++) {
			const struct item *i = &l->modules[k]->items[n];
			struct symbol *s;

			if (i->symbol == NAME_NONE || !i->defines || i->linkage == OWN)
				continue;
			s = &symbols[i->symbol];
			if (i->linkage == VISIBLE && s->strong)
				return error_set(err, ERROR_COMPILE,
						 "`%s` is defined in %s and in %s",
						 l->names.texts[i->symbol],
						 l->modules[s->owner]->name, l->modules[k]->name);
			if (s->owner == NONE || (i->linkage == VISIBLE && !s->strong))
				s->owner = k;
			s->strong |= i->linkage == VISIBLE;
			s->taken = true;
		}
	return 0;
}

static int check_needs(const struct ptx_link *l, const struct symbol *symbols,
		       bool (*known)(const char *name), struct error *err)
{
	for (uint32_t k = 0; k < l->n; k++)
		for (uint32_t n = 0; n < l->modules[k]->n; n++) {
			const struct item *i = &l->modules[k]->items[n];

			if (i->needed && symbols[i->symbol].owner == NONE &&
			    !known(l->names.texts[i->symbol]))
				return error_set(
					err, ERROR_COMPILE,
					"`%s` is used in %s, and nothing that is linked defines it",
					l->names.texts[i->symbol], l->modules[k]->name);
		}
	return 0;
}

/* Keeps the name of a local symbol in the first module that has it, and renames the others. */
static void take_own(const struct ptx_link_module *m, struct symbol *symbols, bool *renamed,
		     bool *seen)
{
	for (uint32_t n = 0; n < m->n + m->n_labels; n++) {
		uint32_t symbol = n < m->n ? m->items[n].symbol : m->labels[n - m->n];

		if (symbol == NAME_NONE || (n < m->n && m->items[n].linkage != OWN) || seen[symbol])
			continue;
		seen[symbol] = true;
		renamed[symbol] = symbols[symbol].taken;
		symbols[symbol].taken = true;
	}
}

/* The state of writing a module's part of the linked text. */
struct writer {
	const struct ptx_link *link;
	const struct symbol *symbols;
	const bool *renamed;
	uint32_t index; /* of the module */
	uint32_t files; /* offset that is added to the module's file numbers */
	struct buffer *out;
};

/* What stands for `.extern` in the declaration of a function that a module defines: drivers do not
 * take a declaration and a definition of different linkage. NULL: it stays. */
static const char *linkage_of_definition(const struct writer *w, const struct item *i)
{
	const struct symbol *s = i->symbol == NAME_NONE ? NULL : &w->symbols[i->symbol];

	if (!s || !i->is_function || i->defines || i->linkage == OWN || s->owner == NONE)
		return NULL;
	return s->strong ? ".visible" : ".weak";
}

static void write_item(const struct writer *w, const struct item *i)
{
	const char *linkage = linkage_of_definition(w, i);
	struct ptx_lexer lexer;
	struct ptx_token t;
	const char *from = i->start;
	bool file_follows = false;

	ptx_lexer_init(&lexer, i->start, (size_t)(i->end - i->start));
	for (ptx_lexer_next(&lexer, &t); t.kind != PTX_TOKEN_END; ptx_lexer_next(&lexer, &t)) {
		uint32_t symbol = NAME_NONE;

		if (t.kind == PTX_TOKEN_INTEGER && file_follows && w->files) {
			buffer_append(w->out, from, (size_t)(t.text - from));
			buffer_printf(w->out, "%llu", (unsigned long long)t.value + w->files);
			from = t.text + t.len;
		}
		if (linkage && t.kind == PTX_TOKEN_DOTTED && t.len == 7 &&
		    !memcmp(t.text, ".extern", 7)) {
			buffer_append(w->out, from, (size_t)(t.text - from));
			buffer_puts(w->out, linkage);
			from = t.text + t.len;
		}
		if (t.kind == PTX_TOKEN_IDENTIFIER)
			symbol = names_find(&w->link->names, t.text, t.len);
		if (symbol != NAME_NONE && w->renamed[symbol]) {
			buffer_append(w->out, from, (size_t)(t.text + t.len - from));
			buffer_printf(w->out, "$%u", w->index + 1);
			from = t.text + t.len;
		}
		file_follows =
			(t.kind == PTX_TOKEN_DOTTED && t.len == 4 && !memcmp(t.text, ".loc", 4)) ||
			(t.kind == PTX_TOKEN_DOTTED && t.len == 5 && !memcmp(t.text, ".file", 5)) ||
			(t.kind == PTX_TOKEN_IDENTIFIER && t.len == 10 &&
			 !memcmp(t.text, "inlined_at", 10));
	}
	buffer_append(w->out, from, (size_t)(i->end - from));
	buffer_putc(w->out, '\n');
}

/*
 * Tells whether this item is kept. Bodies of functions come last, so that variables are defined
 * before they are used, and one declaration is enough for a function that is defined anywhere.
 */
static bool stays(const struct item *i, uint32_t module, struct symbol *symbols)
{
	struct symbol *s;

	if (i->header)
		return false;
	if (i->symbol == NAME_NONE || i->linkage == OWN)
		return true;
	s = &symbols[i->symbol];
	if (i->defines)
		return s->owner == module;
	if (s->declared || (!i->is_function && s->owner != NONE))
		return false;
	s->declared = true;
	return true;
}

static int write_modules(const struct ptx_link *l, struct symbol *symbols, struct buffer *out,
			 struct error *err)
{
	size_t n_names = l->names.n;
	bool *renamed = calloc(n_names * l->n + 1, sizeof(*renamed)),
	     *seen = calloc(n_names + 1, sizeof(*seen));
	bool failed = !renamed || !seen;

	for (uint32_t k = 0; !failed && k < l->n; k++) {
		memset(seen, 0, n_names * sizeof(*seen));
		take_own(l->modules[k], symbols, renamed + k * n_names, seen);
	}
	for (int bodies = 0; !failed && bodies < 2; bodies++) {
		struct writer w = { .link = l, .symbols = symbols, .out = out };

		for (uint32_t k = 0; k < l->n; k++) {
			const struct ptx_link_module *m = l->modules[k];

			w.index = k;
			w.renamed = renamed + k * n_names;
			for (uint32_t n = 0; n < m->n; n++)
				if ((m->items[n].is_function && m->items[n].defines) == bodies &&
				    stays(&m->items[n], k, symbols))
					write_item(&w, &m->items[n]);
			w.files += m->files;
		}
	}
	if (failed)
		error_set(err, ERROR_MEMORY, "out of memory while linking PTX");
	free(seen);
	free(renamed);
	return failed ? -1 : 0;
}

int ptx_link_end(struct ptx_link *l, bool (*known)(const char *name), struct buffer *ret,
		 struct error *err)
{
	struct symbol *symbols = calloc((size_t)l->names.n + 1, sizeof(*symbols));
	uint32_t version = 0, target = 0;
	int failed;

	if (!symbols)
		return error_set(err, ERROR_MEMORY, "out of memory while linking PTX");
	for (uint32_t i = 0; i < l->names.n; i++)
		symbols[i].owner = NONE;
	for (uint32_t k = 0; k < l->n; k++) {
		version = l->modules[k]->version > version ? l->modules[k]->version : version;
		target = l->modules[k]->target > target ? l->modules[k]->target : target;
	}
	buffer_printf(ret, ".version %u.%u\n.target sm_%u\n.address_size 64\n", version / 10,
		      version % 10, target);
	failed = find_owners(l, symbols, err) || (known && check_needs(l, symbols, known, err)) ||
		 write_modules(l, symbols, ret, err);
	free(symbols);
	return failed ? -1 : buffer_check(ret, err);
}
