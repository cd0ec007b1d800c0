/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each row of the line program is placed in the function that holds its address. Addresses are
 * relocations against .text (or a section of its own), which is at 0 in the object, so the addend
 * is the offset.
 */
#include "compiler/units/line-table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/elf-file.h"
#include "common/code/line-program.h"

struct function {
	const char *name;
	uint32_t section;
	uint64_t start, end;
};

struct program {
	struct elf_file elf;
	const char *cell_name;
	struct mem_pool *pool;
	struct elf_bytes symbols;
	struct elf_bytes relocations; /* of .debug_line */
	struct function *functions;   /* sorted by section and start */
	size_t n_functions;
	struct unit_line *rows;
	size_t n, cap;
	const char *file; /* file of the last row */
	bool in_cell;     /* that file is the cell */
};

static int by_place(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Finds the symbol table; *ret_strings: the section with its names. */
static void find_symbols(struct program *p, uint32_t *ret_strings)
{
	for (uint32_t i = 0; i < p->elf.n_sections; i++) {
		Elf64_Shdr s = elf_file_section(&p->elf, i);

		if (s.sh_type != SHT_SYMTAB)
			continue;
		p->symbols = elf_file_bytes(&p->elf, &s);
		*ret_strings = s.sh_link;
	}
}

static int find_functions(struct program *p, struct error *err)
{
	uint32_t strings = 0;
	Elf64_Sym s;

	find_symbols(p, &strings);
	p->functions =
		mem_pool_array(p->pool, p->symbols.len / sizeof(s) + 1, sizeof(*p->functions));
	if (!p->functions)
		return error_set(err, ERROR_MEMORY, "out of memory for the line table");
	for (size_t i = 0; elf_bytes_row(&p->symbols, i, &s, sizeof(s)); i++) {
		if (ELF64_ST_TYPE(s.st_info) != STT_FUNC)
			continue;
		char *name = mem_pool_strdup(p->pool, elf_file_string(&p->elf, strings, s.st_name));

		if (!name)
			return error_set(err, ERROR_MEMORY, "out of memory for the line table");
		p->functions[p->n_functions++] =
			(struct function){ name, s.st_shndx, s.st_value, s.st_value + s.st_size };
	}
	qsort(p->functions, p->n_functions, sizeof(*p->functions), by_place);
	return 0;
}

static const struct function *function_at(const struct program *p, uint32_t section,
					  uint64_t address)
{
	size_t low = 0, high = p->n_functions;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct function *f = &p->functions[middle];

		if (f->section < section || (f->section == section && f->end <= address))
			low = middle + 1;
		else if (f->section > section || f->start > address)
			high = middle;
		else
			return f;
	}
	return NULL;
}

static int add_row(void *data, const struct line_row *row, struct error *err)
{
	struct program *p = data;
	const struct function *f = row->end ? NULL : function_at(p, row->section, row->address);

	if (!f)
		return 0;
	if (row->file != p->file) {
		p->file = row->file;
		p->in_cell = !strcmp(row->file, p->cell_name);
	}
	if (!ARRAY_ROOM(p->rows, p->n, &p->cap))
		return error_set(err, ERROR_MEMORY, "out of memory for the line table");
	p->rows[p->n++] = (struct unit_line){ f->name, (uint32_t)(row->address - f->start),
					      p->in_cell ? row->line : 0 };
	return 0;
}

/* Sets the address, which is a relocation against a section symbol. */
static void set_address(void *data, size_t at, uint64_t *address, uint32_t *section)
{
	struct program *p = data;
	Elf64_Rela rel;
	Elf64_Sym symbol;

	for (size_t i = 0; elf_bytes_row(&p->relocations, i, &rel, sizeof(rel)); i++) {
		if (rel.r_offset != at ||
		    !elf_bytes_row(&p->symbols, ELF64_R_SYM(rel.r_info), &symbol, sizeof(symbol)))
			continue;
		*address = symbol.st_value + (uint64_t)rel.r_addend;
		*section = symbol.st_shndx;
		return;
	}
}

static int by_function(const void *a, const void *b)
{
	const struct unit_line *x = a, *y = b;
	int names = strcmp(x->function, y->function);

	if (names)
		return names;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct elf_bytes bytes_of(const struct program *p, uint32_t section)
{
	Elf64_Shdr s = elf_file_section(&p->elf, section);

	return elf_file_bytes(&p->elf, &s);
}

int line_table_read(const void *object, size_t len, const char *cell_name, struct mem_pool *pool,
		    struct unit_line **ret, size_t *ret_n, struct error *err)
{
	struct program p = { .cell_name = cell_name, .pool = pool };
	struct line_program lines = { .place = set_address, .row = add_row, .data = &p };
	uint32_t section;
	int failed;

	*ret = NULL;
	*ret_n = 0;
	if (!len)
		return 0;
	if (elf_file_open(&p.elf, object, len, err))
		return error_wrap(err, "the object of a unit");
	section = elf_file_find(&p.elf, ".debug_line");
	if (!section)
		return 0;
	p.relocations = bytes_of(&p, elf_file_find(&p.elf, ".rela.debug_line"));
	if (find_functions(&p, err))
		return -1;
	lines.section = bytes_of(&p, section).data;
	lines.len = bytes_of(&p, section).len;
	failed = line_program_run(&lines, err);
	if (failed)
		error_wrap(err, "the object of a unit");
	*ret = mem_pool_array(pool, p.n + 1, sizeof(**ret));
	if (!failed && !*ret)
		failed = error_set(err, ERROR_MEMORY, "out of memory for the line table");
	if (!failed && p.n) {
		memcpy(*ret, p.rows, p.n * sizeof(**ret));
		qsort(*ret, p.n, sizeof(**ret), by_function);
		*ret_n = p.n;
	}
	free(p.rows);
	return failed;
}
