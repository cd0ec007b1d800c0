/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF 4, section 6.2: the line program is run as the standard says, and each row is placed in the
 * function that holds its address. Addresses are relocations against .text (or a section of its
 * own), which is at 0 in the object, so the addend is the offset.
 */
#include "compiler/line-table.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/error.h"
#include "common/mem-pool.h"

struct elf {
	const unsigned char *data;
	size_t len;
	const Elf64_Shdr *sections;
	size_t n_sections;
	const char *names;
	size_t names_len;
	const Elf64_Sym *symbols;
	size_t n_symbols;
	const char *strings;
	size_t strings_len;
};

struct function {
	const char *name;
	uint32_t section;
	uint64_t start, end;
};

struct reader {
	const unsigned char *at, *end;
	bool failed;
};

struct program {
	struct elf elf;
	const char *cell_name;
	struct mem_pool *pool;
	struct function *functions; /* sorted by section and start */
	size_t n_functions;
	struct unit_line *rows;
	size_t n, cap;
	const Elf64_Rela *relocations; /* of .debug_line */
	size_t n_relocations;
	const unsigned char *section; /* start of .debug_line */
	bool *file_is_cell;	      /* by file number */
	uint32_t n_files;
	/* the machine's registers */
	uint64_t address;
	uint32_t address_section;
	uint32_t file;
	int64_t line;
};

static bool section_ok(const struct elf *e, const Elf64_Shdr *s)
{
	return s->sh_type == SHT_NOBITS ||
	       (s->sh_offset <= e->len && s->sh_size <= e->len - s->sh_offset);
}

static bool open_elf(struct elf *e, const void *object, size_t len)
{
	const Elf64_Ehdr *h = object;

	*e = (struct elf){ .data = object, .len = len };
	if (len < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shoff > len ||
	    h->e_shnum > (len - h->e_shoff) / sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum)
		return false;
	e->sections = (const Elf64_Shdr *)(e->data + h->e_shoff);
	e->n_sections = h->e_shnum;
	for (size_t i = 0; i < e->n_sections; i++)
		if (!section_ok(e, &e->sections[i]))
			return false;
	e->names = (const char *)e->data + e->sections[h->e_shstrndx].sh_offset;
	e->names_len = e->sections[h->e_shstrndx].sh_size;
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->sections[i];

		if (s->sh_type != SHT_SYMTAB || s->sh_link >= e->n_sections)
			continue;
		e->symbols = (const Elf64_Sym *)(e->data + s->sh_offset);
		e->n_symbols = s->sh_size / sizeof(Elf64_Sym);
		e->strings = (const char *)e->data + e->sections[s->sh_link].sh_offset;
		e->strings_len = e->sections[s->sh_link].sh_size;
	}
	return true;
}

static const Elf64_Shdr *find_section(const struct elf *e, const char *name)
{
	for (size_t i = 0; i < e->n_sections; i++)
		if (e->sections[i].sh_name < e->names_len &&
		    !strcmp(e->names + e->sections[i].sh_name, name))
			return &e->sections[i];
	return NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int find_functions(struct program *p, struct error *err)
{
	p->functions = mem_pool_array(p->pool, p->elf.n_symbols + 1, sizeof(*p->functions));
	if (!p->functions)
		return error_set(err, ERROR_MEMORY, "out of memory for the line table");
	for (size_t i = 0; i < p->elf.n_symbols; i++) {
		const Elf64_Sym *s = &p->elf.symbols[i];

		if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_name >= p->elf.strings_len)
			continue;
		char *name = mem_pool_strdup(p->pool, p->elf.strings + s->st_name);

		if (!name)
			return error_set(err, ERROR_MEMORY, "out of memory for the line table");
		p->functions[p->n_functions++] = (struct function){ name, s->st_shndx, s->st_value,
								    s->st_value + s->st_size };
	}
	qsort(p->functions, p->n_functions, sizeof(*p->functions), by_place);
	return 0;
}

static uint64_t fixed(struct reader *r, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->at) < n) {
		r->failed = true;
		r->at = r->end;
		return 0;
	}
	memcpy(&v, r->at, n);
	r->at += n;
	return v;
}

static uint64_t uleb(struct reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		unsigned char c = *r->at++;

		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	r->failed = true;
	return 0;
}

static int64_t sleb(struct reader *r)
{
	int64_t v = 0;

	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		unsigned char c = *r->at++;

		if (shift < 64)
			v |= (int64_t)((uint64_t)(c & 0x7f) << shift);
		if (!(c & 0x80)) {
			if (shift + 7 < 64 && (c & 0x40))
				v |= -((int64_t)1 << (shift + 7));
			return v;
		}
	}
	r->failed = true;
	return 0;
}

static const char *text(struct reader *r)
{
	const unsigned char *start = r->at, *nul = memchr(start, 0, (size_t)(r->end - start));

	if (!nul) {
		r->failed = true;
		r->at = r->end;
		return "";
	}
	r->at = nul + 1;
	return (const char *)start;
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

static void emit(struct program *p, struct reader *r)
{
	const struct function *f = function_at(p, p->address_section, p->address);
	bool in_cell = p->file < p->n_files && p->file_is_cell[p->file];

	if (!f)
		return;
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 128;
		struct unit_line *grown = realloc(p->rows, cap * sizeof(*grown));

		if (!grown) {
			r->failed = true;
			return;
		}
		p->rows = grown;
		p->cap = cap;
	}
	p->rows[p->n++] = (struct unit_line){ f->name, (uint32_t)(p->address - f->start),
					      in_cell ? (uint32_t)p->line : 0 };
}

/* The address operand at `at` is a relocation; its symbol is a section. */
static void set_address(struct program *p, const unsigned char *at)
{
	for (size_t i = 0; i < p->n_relocations; i++) {
		const Elf64_Rela *rel = &p->relocations[i];
		uint32_t symbol = ELF64_R_SYM(rel->r_info);

		if (rel->r_offset != (uint64_t)(at - p->section) || symbol >= p->elf.n_symbols)
			continue;
		p->address = p->elf.symbols[symbol].st_value + (uint64_t)rel->r_addend;
		p->address_section = p->elf.symbols[symbol].st_shndx;
		return;
	}
}

static void reset(struct program *p)
{
	p->address = 0;
	p->address_section = 0;
	p->file = 1;
	p->line = 1;
}

static void extended(struct program *p, struct reader *r)
{
	uint64_t len = uleb(r);
	const unsigned char *next =
		r->at + (len <= (size_t)(r->end - r->at) ? len : (size_t)(r->end - r->at));

	switch (fixed(r, 1)) {
	case 1: /* DW_LNE_end_sequence */
		reset(p);
		break;
	case 2: /* DW_LNE_set_address */
		set_address(p, r->at);
		break;
	}
	r->at = next;
}

struct header {
	uint8_t minimum_instruction, line_range, opcode_base;
	int8_t line_base;
	uint8_t operand_counts[256];
};

static void standard(struct program *p, struct reader *r, const struct header *h, uint8_t opcode)
{
	switch (opcode) {
	case 1: /* DW_LNS_copy */
		emit(p, r);
		break;
	case 2: /* DW_LNS_advance_pc */
		p->address += uleb(r) * h->minimum_instruction;
		break;
	case 3: /* DW_LNS_advance_line */
		p->line += sleb(r);
		break;
	case 4: /* DW_LNS_set_file */
		p->file = (uint32_t)uleb(r);
		break;
	case 8: /* DW_LNS_const_add_pc */
		p->address +=
			(uint64_t)((255 - h->opcode_base) / h->line_range) * h->minimum_instruction;
		break;
	case 9: /* DW_LNS_fixed_advance_pc */
		p->address += fixed(r, 2);
		break;
	default:
		for (uint8_t i = 0; i < h->operand_counts[opcode]; i++)
			uleb(r);
		break;
	}
}

static void run(struct program *p, struct reader *r, const struct header *h)
{
	reset(p);
	while (r->at < r->end && !r->failed) {
		uint8_t opcode = (uint8_t)fixed(r, 1);

		if (!opcode) {
			extended(p, r);
		} else if (opcode < h->opcode_base) {
			standard(p, r, h, opcode);
		} else {
			uint8_t adjusted = (uint8_t)(opcode - h->opcode_base);

			p->address += (uint64_t)(adjusted / h->line_range) * h->minimum_instruction;
			p->line += h->line_base + adjusted % h->line_range;
			emit(p, r);
		}
	}
}

/* The file table: which numbers are the cell. */
static void read_files(struct program *p, struct reader *r)
{
	while (*text(r) && !r->failed)
		; /* folders */
	p->n_files = 1;
	p->file_is_cell = mem_pool_array(p->pool, 1024, sizeof(bool));
	for (const char *name = text(r); *name && !r->failed; name = text(r)) {
		uleb(r);
		uleb(r);
		uleb(r);
		if (p->file_is_cell && p->n_files < 1024)
			p->file_is_cell[p->n_files++] = !strcmp(name, p->cell_name);
	}
	r->failed |= !p->file_is_cell;
}

static int run_unit(struct program *p, struct reader *section, struct error *err)
{
	struct header h = { 0 };
	uint64_t len = fixed(section, 4);
	struct reader r = *section;

	if (section->failed || len > (size_t)(section->end - section->at))
		return error_set(err, ERROR_INPUT, "the line table of a unit is cut short");
	r.end = r.at + len;
	section->at += len;
	uint64_t version = fixed(&r, 2), header_len = fixed(&r, 4);

	if (version < 2 || version > 4 || header_len > (size_t)(r.end - r.at))
		return error_set(err, ERROR_INPUT, "the line table of a unit has DWARF version %u",
				 (unsigned)version);
	const unsigned char *code = r.at + header_len;

	h.minimum_instruction = (uint8_t)fixed(&r, 1);
	if (version >= 4)
		fixed(&r, 1); /* operations an instruction */
	fixed(&r, 1);	      /* is_stmt */
	h.line_base = (int8_t)fixed(&r, 1);
	h.line_range = (uint8_t)fixed(&r, 1);
	h.opcode_base = (uint8_t)fixed(&r, 1);
	for (unsigned i = 1; i < h.opcode_base; i++)
		h.operand_counts[i] = (uint8_t)fixed(&r, 1);
	read_files(p, &r);
	if (r.failed || !h.line_range)
		return error_set(err, ERROR_INPUT, "the line table of a unit is malformed");
	r.at = code;
	run(p, &r, &h);
	return r.failed ? error_set(err, ERROR_INPUT, "the line table of a unit is malformed") : 0;
}

static int by_function(const void *a, const void *b)
{
	const struct unit_line *x = a, *y = b;
	int names = strcmp(x->function, y->function);

	if (names)
		return names;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int line_table_read(const void *object, size_t len, const char *cell_name, struct mem_pool *pool,
		    struct unit_line **ret, size_t *ret_n, struct error *err)
{
	struct program p = { .cell_name = cell_name, .pool = pool };
	const Elf64_Shdr *section, *relocations;
	struct reader r = { 0 };
	int failed = 0;

	*ret = NULL;
	*ret_n = 0;
	if (!len)
		return 0;
	if (!open_elf(&p.elf, object, len))
		return error_set(err, ERROR_INPUT, "the object of a unit is no ELF file");
	section = find_section(&p.elf, ".debug_line");
	if (!section)
		return 0;
	relocations = find_section(&p.elf, ".rela.debug_line");
	if (relocations) {
		p.relocations = (const Elf64_Rela *)(p.elf.data + relocations->sh_offset);
		p.n_relocations = relocations->sh_size / sizeof(Elf64_Rela);
	}
	if (find_functions(&p, err))
		return -1;
	p.section = p.elf.data + section->sh_offset;
	r.at = p.section;
	r.end = r.at + section->sh_size;
	while (!failed && r.at < r.end)
		failed = run_unit(&p, &r, err);
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
