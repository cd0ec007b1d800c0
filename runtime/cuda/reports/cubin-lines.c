/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image was made for a device, by a compiler that is not ours: see common/code/elf-file.h for
 * what is believed. Which addresses the driver has put in, and which it has left to the
 * relocations, is nowhere said; so an address that lies in the section is taken as it is, and any
 * other one is looked up.
 */
#include "runtime/cuda/reports/cubin-lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/error.h"
#include "common/code/elf-file.h"
#include "common/code/line-program.h"

#define TEXT ".text."

struct search {
	struct elf_file elf;
	uint32_t section; /* that holds the address */
	Elf64_Shdr text;
	uint64_t address;
	struct elf_bytes symbols;
	struct elf_bytes rel, rela; /* of .debug_line: there are devices with either */
	uint32_t strings;           /* section of the names of symbols */
	struct line_row *rows;      /* of the sequence at work */
	size_t n, cap;
	struct cubin_place *place;
};

static bool holds(const Elf64_Shdr *text, uint64_t address)
{
	return address >= text->sh_addr && address - text->sh_addr < text->sh_size;
}

static bool find_section(struct search *s)
{
	for (uint32_t i = 1; i < s->elf.n_sections; i++) {
		s->text = elf_file_section(&s->elf, i);
		s->section = i;
		if (holds(&s->text, s->address) &&
		    !strncmp(elf_file_name(&s->elf, &s->text), TEXT, strlen(TEXT)))
			return true;
	}
	return false;
}

static struct elf_bytes bytes_of(const struct search *s, const char *name)
{
	Elf64_Shdr section = elf_file_section(&s->elf, elf_file_find(&s->elf, name));

	return elf_file_bytes(&s->elf, &section);
}

static uint64_t absolute(const struct search *s, uint64_t value)
{
	return holds(&s->text, value) ? value : s->text.sh_addr + value;
}

/* A device function lies in the section of the kernel that calls it, as $kernel$function. */
static void find_function(struct search *s)
{
	const char *kernel = elf_file_name(&s->elf, &s->text) + strlen(TEXT);
	uint64_t size = UINT64_MAX;
	Elf64_Sym symbol;

	snprintf(s->place->kernel, sizeof(s->place->kernel), "%s", kernel);
	snprintf(s->place->function, sizeof(s->place->function), "%s", kernel);
	s->place->offset = s->address - s->text.sh_addr;
	for (size_t i = 0; elf_bytes_row(&s->symbols, i, &symbol, sizeof(symbol)); i++) {
		uint64_t start = absolute(s, symbol.st_value);
		const char *name = elf_file_string(&s->elf, s->strings, symbol.st_name);
		size_t len = strlen(kernel);

		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx != s->section ||
		    symbol.st_size > size || s->address < start ||
		    s->address - start >= symbol.st_size)
			continue;
		if (name[0] == '$' && !strncmp(name + 1, kernel, len) && name[1 + len] == '$')
			name += len + 2;
		snprintf(s->place->function, sizeof(s->place->function), "%s", name);
		s->place->offset = s->address - start;
		size = symbol.st_size;
	}
}

/* The address that a relocation at `at` of .debug_line names is added; false: it is none of the
 * section. */
static bool relocate(const struct search *s, uint64_t offset, uint64_t info, size_t at,
		     uint64_t *address)
{
	Elf64_Sym symbol;

	if (offset != at ||
	    !elf_bytes_row(&s->symbols, ELF64_R_SYM(info), &symbol, sizeof(symbol)) ||
	    symbol.st_shndx != s->section)
		return false;
	*address += absolute(s, symbol.st_value);
	return true;
}

static void set_address(void *data, size_t at, uint64_t *address, uint32_t *section)
{
	struct search *s = data;
	bool found = s->text.sh_addr && holds(&s->text, *address);
	Elf64_Rela with_addend;
	Elf64_Rel rel;

	for (size_t i = 0; !found && elf_bytes_row(&s->rel, i, &rel, sizeof(rel)); i++)
		found = relocate(s, rel.r_offset, rel.r_info, at, address);
	for (size_t i = 0; !found && elf_bytes_row(&s->rela, i, &with_addend, sizeof(with_addend));
	     i++) {
		uint64_t own = (uint64_t)with_addend.r_addend;

		found = relocate(s, with_addend.r_offset, with_addend.r_info, at, &own);
		if (found)
			*address = own;
	}
	*section = found ? s->section : 0;
}

static void put_file(const struct line_row *row, char *ret, size_t size)
{
	bool plain = !*row->folder || *row->file == '/';

	snprintf(ret, size, "%s%s%s", plain ? "" : row->folder, plain ? "" : "/", row->file);
}

/* The call of what is inlined stands before it, so that this ends. */
static void add_frames(struct search *s, size_t at)
{
	struct cubin_place *p = s->place;
	struct elf_bytes names = bytes_of(s, ".debug_str");

	p->n_frames = 0;
	for (;;) {
		const struct line_row *row = &s->rows[at];
		struct cubin_frame *f = &p->frames[p->n_frames];
		const char *name = p->function;

		if (!row->line || !*row->file)
			return;
		if (row->inlined_at)
			name = row->function < names.len && memchr(names.data + row->function, 0,
								   names.len - row->function)
				       ? (const char *)names.data + row->function
				       : "";
		snprintf(f->function, sizeof(f->function), "%s", name);
		put_file(row, f->file, sizeof(f->file));
		f->line = row->line;
		p->n_frames++;
		if (!row->inlined_at || row->inlined_at > at || p->n_frames == CUBIN_FRAMES_MAX)
			return;
		at = row->inlined_at - 1;
	}
}

/* Behind a row follows one with a higher address when the row counts for what is between. */
static int add_row(void *data, const struct line_row *row, struct error *err)
{
	struct search *s = data;

	if (row->section == s->section && s->n && s->rows[s->n - 1].address <= s->address &&
	    row->address > s->address)
		add_frames(s, s->n - 1);
	if (row->end) {
		s->n = 0;
		return 0;
	}
	if (!ARRAY_ROOM(s->rows, s->n, &s->cap))
		return error_set(err, ERROR_MEMORY, "out of memory for the line table");
	s->rows[s->n++] = *row;
	return 0;
}

bool cubin_lines_find(const struct elf_bytes *image, uint64_t address, struct cubin_place *ret)
{
	struct search s = { .address = address, .place = ret };
	struct line_program lines = { .place = set_address, .row = add_row, .data = &s };
	Elf64_Shdr symbols;

	memset(ret, 0, sizeof(*ret));
	if (!image->data || elf_file_open(&s.elf, image->data, image->len, NULL) ||
	    !find_section(&s))
		return false;
	symbols = elf_file_section(&s.elf, elf_file_find(&s.elf, ".symtab"));
	s.symbols = elf_file_bytes(&s.elf, &symbols);
	s.strings = symbols.sh_link;
	s.rel = bytes_of(&s, ".rel.debug_line");
	s.rela = bytes_of(&s, ".rela.debug_line");
	find_function(&s);
	lines.section = bytes_of(&s, ".debug_line").data;
	lines.len = bytes_of(&s, ".debug_line").len;
	line_program_run(&lines, NULL);
	free(s.rows);
	return true;
}
