/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of the sections is read twice: first to see where their labels are, then, when all names
 * have a value, for the bytes. Names are sorted once. A name that nobody defines is 0, as for a
 * linker that has dropped it; text that is no list of numbers leaves the module without a file.
 * The files of line tables are all that .debug_line has: lines of code are told with each stop.
 */
#include "emulator/debug/debug-image.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/cuda/ptx-lexer.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/report/code-image.h"
#include "emulator/report/elf-writer.h"

#define OS_CUDA 0x33
#define FILES_MAX 256
/* None, .text, .debug_line, .debug_aranges and the names of sections are some, too. */
#define SECTIONS_MAX (ELF_WRITER_SECTIONS - 5)

struct name {
	const char *text;
	size_t len;
	uint64_t value;
};

struct names {
	struct name *items;
	size_t n, cap;
	bool failed;
};

/* Reads the text of one section. */
struct reader {
	struct ptx_lexer lexer;
	struct ptx_token token;    /* the next one */
	const struct names *names; /* NULL: values do not matter yet */
	struct names *labels;      /* NULL: those of the section are known */
	struct buffer *out;
};

/* ---- names ---- */

static void add_name(struct names *l, const char *text, size_t len, uint64_t value)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 256;
		struct name *grown = realloc(l->items, cap * sizeof(*grown));

		if (!grown) {
			l->failed = true;
			return;
		}
		l->items = grown;
		l->cap = cap;
	}
	l->items[l->n++] = (struct name){ text, len, value };
}

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->text, y->text, x->len);
}

static uint64_t value_of(const struct names *l, const struct ptx_token *t)
{
	const struct name wanted = { t->text, t->len, 0 };
	const struct name *found =
		l->n ? bsearch(&wanted, l->items, l->n, sizeof(*l->items), compare_names) : NULL;

	return found ? found->value : 0;
}

static void add_body_names(struct names *l, const struct debug_image_function *f)
{
	const struct ptx_body *b = f->function->body;

	add_name(l, f->function->name, strlen(f->function->name), f->address);
	for (uint32_t i = 0; i < b->label_count; i++)
		add_name(l, b->labels[i].name, strlen(b->labels[i].name),
			 f->address + (uint64_t)b->labels[i].position * CODE_IMAGE_STEP);
	for (uint32_t i = 0; i < b->variable_count; i++)
		if (b->variables[i].space == PTX_SPACE_LOCAL)
			add_name(l, b->variables[i].name, strlen(b->variables[i].name),
				 b->variables[i].offset);
}

/* Arrays of shared memory that a body declares are among the module's variables. */
static void add_variables(struct names *l, const struct ptx_module *m, uint32_t dynamic)
{
	for (size_t i = 0; i < m->variable_count; i++) {
		const struct ptx_variable *v = m->variables[i];
		bool is_dynamic = v->space == PTX_SPACE_SHARED && v->is_extern;

		add_name(l, v->name, strlen(v->name), is_dynamic ? dynamic : v->address);
	}
}

/* ---- text of sections ---- */

static void advance(struct reader *r)
{
	ptx_lexer_next(&r->lexer, &r->token);
}

static bool take(struct reader *r, char c)
{
	if (r->token.kind != PTX_TOKEN_PUNCTUATION || r->token.value != (uint64_t)c)
		return false;
	advance(r);
	return true;
}

/* A number, a name, or a section, which counts from its own start. */
static int read_term(struct reader *r, uint64_t *ret)
{
	switch (r->token.kind) {
	case PTX_TOKEN_INTEGER:
		*ret = r->token.value;
		break;
	case PTX_TOKEN_IDENTIFIER:
		*ret = r->names ? value_of(r->names, &r->token) : 0;
		break;
	case PTX_TOKEN_DOTTED:
		*ret = 0;
		break;
	default:
		return -1;
	}
	advance(r);
	return 0;
}

static int read_value(struct reader *r, uint64_t *ret)
{
	bool minus = take(r, '-');
	uint64_t sum = 0, term;

	do {
		if (read_term(r, &term))
			return -1;
		sum += minus ? -term : term;
		minus = r->token.kind == PTX_TOKEN_PUNCTUATION && r->token.value == '-';
	} while (take(r, '+') || take(r, '-'));
	*ret = sum;
	return 0;
}

/* .b8 1, 2 */
static int read_numbers(struct reader *r)
{
	static const struct {
		const char *word;
		size_t size;
	} sizes[] = { { ".b8", 1 }, { ".b16", 2 }, { ".b32", 4 }, { ".b64", 8 } };
	size_t size = 0;
	uint64_t value;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (r->token.kind == PTX_TOKEN_DOTTED && r->token.len == strlen(sizes[i].word) &&
		    !memcmp(r->token.text, sizes[i].word, r->token.len))
			size = sizes[i].size;
	if (!size)
		return -1;
	advance(r);
	do {
		if (read_value(r, &value))
			return -1;
		buffer_append(r->out, &value, size);
	} while (take(r, ','));
	return 0;
}

static int read_section(const struct ptx_section *s, const struct names *names,
			struct names *labels, struct buffer *out)
{
	struct reader r = { .names = names, .labels = labels, .out = out };

	ptx_lexer_init(&r.lexer, s->text, s->len);
	advance(&r);
	while (r.token.kind != PTX_TOKEN_END) {
		if (r.token.kind == PTX_TOKEN_IDENTIFIER) {
			if (r.labels)
				add_name(r.labels, r.token.text, r.token.len, out->len);
			advance(&r);
			if (!take(&r, ':'))
				return -1;
		} else if (read_numbers(&r)) {
			return -1;
		}
	}
	return out->failed ? -1 : 0;
}

/* ---- the file ---- */

/* A header without rows behind it: DWARF 2, with the files by their numbers. */
static void put_files(const struct ptx_module *m, struct buffer *out)
{
	static const unsigned char head[] = {
		1, 1, (unsigned char)-5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0
	};
	cleanup_buffer struct buffer body = BUFFER_INIT;
	const char *files[FILES_MAX] = { NULL };
	uint32_t n = 0, size;

	for (size_t i = 0; i < m->file_count; i++) {
		uint32_t number = m->files[i].number;

		if (!number || number > FILES_MAX)
			continue;
		files[number - 1] = m->files[i].name;
		n = number > n ? number : n;
	}
	buffer_append(&body, head, sizeof(head));
	for (uint32_t i = 0; i < n; i++) {
		buffer_puts(&body, files[i] ? files[i] : "?");
		buffer_append(&body, "\0\0\0", 4); /* its end; folder, time, size */
	}
	buffer_putc(&body, 0);
	size = (uint32_t)body.len + 6;
	buffer_append(out, &size, 4);
	buffer_append(out, "\2", 2);
	size = (uint32_t)body.len;
	buffer_append(out, &size, 4);
	buffer_append(out, body.data, body.len);
	out->failed |= body.failed;
}

static const struct ptx_section *find_section(const struct ptx_module *m, const char *name)
{
	for (size_t i = 0; i < m->section_count; i++)
		if (!strcmp(m->sections[i].name, name))
			return &m->sections[i];
	return NULL;
}

/* Those of several texts, which a linker has put one behind the other, cannot be told apart. */
static bool is_usable(const struct ptx_module *m)
{
	if (m->section_count > SECTIONS_MAX || !find_section(m, ".debug_info") ||
	    !find_section(m, ".debug_abbrev"))
		return false;
	for (size_t i = 0; i < m->section_count; i++)
		if (find_section(m, m->sections[i].name) != &m->sections[i])
			return false;
	return true;
}

/* All code is the only unit's, so that readers find it by an address; nothing when there are more
 * units. */
static void put_ranges(const struct debug_image *x, const struct buffer *info, struct buffer *out)
{
	static const unsigned char head[] = { 44, 0, 0, 0, 2, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0 };
	const uint64_t ranges[] = { DEBUG_IMAGE_BASE, x->end - DEBUG_IMAGE_BASE, 0, 0 };
	uint32_t len;

	if (info->len < sizeof(len))
		return;
	memcpy(&len, info->data, sizeof(len));
	if (len + sizeof(len) != info->len)
		return;
	buffer_append(out, head, sizeof(head));
	buffer_append(out, ranges, sizeof(ranges));
}

static void add_section(struct elf_writer *w, const char *name, const struct buffer *bytes)
{
	elf_writer_add(w, name, &(Elf64_Shdr){ .sh_type = SHT_PROGBITS }, buffer_text(bytes),
		       bytes->len);
	w->bytes.failed |= bytes->failed;
}

static int add_sections(struct elf_writer *w, const struct debug_image *x,
			const struct names *names)
{
	cleanup_buffer struct buffer lines = BUFFER_INIT, ranges = BUFFER_INIT;
	const struct ptx_module *m = x->module;

	for (size_t i = 0; i < m->section_count; i++) {
		cleanup_buffer struct buffer bytes = BUFFER_INIT;

		if (read_section(&m->sections[i], names, NULL, &bytes))
			return -1;
		add_section(w, m->sections[i].name, &bytes);
		if (!strcmp(m->sections[i].name, ".debug_info"))
			put_ranges(x, &bytes, &ranges);
	}
	put_files(m, &lines);
	if (!find_section(m, ".debug_line"))
		add_section(w, ".debug_line", &lines);
	if (!find_section(m, ".debug_aranges") && ranges.len)
		add_section(w, ".debug_aranges", &ranges);
	return 0;
}

static int build(const struct debug_image *x, const struct names *names, struct buffer *out)
{
	struct error err = ERROR_INIT;
	struct elf_writer w;
	int failed;

	elf_writer_init(&w, ET_EXEC, OS_CUDA);
	elf_writer_add(&w, ".text",
		       &(Elf64_Shdr){ .sh_type = SHT_NOBITS,
				      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				      .sh_addr = DEBUG_IMAGE_BASE },
		       NULL, x->end - DEBUG_IMAGE_BASE);
	failed = add_sections(&w, x, names) || elf_writer_end(&w, &err);
	if (!failed) {
		*out = w.bytes;
		w.bytes = (struct buffer)BUFFER_INIT;
	}
	elf_writer_release(&w);
	return failed ? -1 : 0;
}

static int by_text(const void *a, const void *b)
{
	const struct debug_image_function *x = a, *y = b;
	const char *p = x->function->body->instructions[0].text,
		   *q = y->function->body->instructions[0].text;

	return p < q ? -1 : p > q;
}

/* Functions are told in the order in which they are first named, but an address range of several
 * of them is one of the text. */
static int place_functions(struct debug_image *x)
{
	x->functions = calloc(x->module->function_count + 1, sizeof(*x->functions));
	if (!x->functions)
		return -1;
	for (size_t i = 0; i < x->module->function_count; i++) {
		const struct ptx_function *f = x->module->functions[i];

		if (f->body && f->body->instruction_count)
			x->functions[x->n_functions++].function = f;
	}
	if (x->n_functions)
		qsort(x->functions, x->n_functions, sizeof(*x->functions), by_text);
	x->end = DEBUG_IMAGE_BASE;
	for (size_t i = 0; i < x->n_functions; i++) {
		const struct ptx_body *b = x->functions[i].function->body;

		x->functions[i].address = x->end;
		x->end += (uint64_t)b->instruction_count * CODE_IMAGE_STEP;
	}
	return 0;
}

static int collect_names(const struct debug_image *x, uint32_t dynamic, struct names *ret)
{
	const struct ptx_module *m = x->module;

	for (size_t i = 0; i < x->n_functions; i++)
		add_body_names(ret, &x->functions[i]);
	add_variables(ret, m, dynamic);
	for (size_t i = 0; i < m->section_count; i++) {
		cleanup_buffer struct buffer bytes = BUFFER_INIT;

		if (read_section(&m->sections[i], NULL, ret, &bytes))
			return -1;
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), compare_names);
	return ret->failed ? -1 : 0;
}

void debug_image_init(struct debug_image *x, const struct ptx_module *m, uint32_t dynamic)
{
	struct names names = { 0 };

	*x = (struct debug_image){ .module = m, .file = BUFFER_INIT };
	if (!is_usable(m))
		return;
	if (place_functions(x) || collect_names(x, dynamic, &names) || build(x, &names, &x->file))
		debug_image_release(x);
	free(names.items);
	x->module = m;
}

void debug_image_release(struct debug_image *x)
{
	buffer_release(&x->file);
	free(x->functions);
	*x = (struct debug_image){ .file = BUFFER_INIT };
}

uint64_t debug_image_address(const struct debug_image *x, const struct ptx_function *f,
			     uint32_t instruction)
{
	for (size_t i = 0; i < x->n_functions; i++)
		if (x->functions[i].function == f)
			return x->functions[i].address + (uint64_t)instruction * CODE_IMAGE_STEP;
	return 0;
}
