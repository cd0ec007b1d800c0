/* SPDX-License-Identifier: Apache-2.0 */
/* All offsets, sizes and indexes of the object are checked here (System V gABI, chapters 4 and 5).
 */
#include "runtime/loader/object.h"

#include <string.h>

#include "common/base/error.h"

static int bad(struct error *err, const char *what)
{
	return error_set(err, ERROR_INPUT, "the compiled cell is no valid object: %s", what);
}

static bool inside(const struct object *o, uint64_t offset, uint64_t size)
{
	return offset <= o->len && size <= o->len - offset;
}

/* A string table that ends with NUL, or NULL. */
static const char *strings(const struct object *o, uint32_t section, uint64_t *ret_size)
{
	const Elf64_Shdr *s;

	if (section >= o->n_sections)
		return NULL;
	s = &o->sections[section];
	if (s->sh_type != SHT_STRTAB || !s->sh_size || o->data[s->sh_offset + s->sh_size - 1])
		return NULL;
	*ret_size = s->sh_size;
	return (const char *)o->data + s->sh_offset;
}

static int check_sections(struct object *o, const Elf64_Ehdr *h, struct error *err)
{
	uint64_t size;

	if (h->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(o, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)) || h->e_shoff % 8)
		return bad(err, "section table");
	o->sections = (const Elf64_Shdr *)(o->data + h->e_shoff);
	o->n_sections = h->e_shnum;
	for (uint32_t i = 1; i < o->n_sections; i++) {
		const Elf64_Shdr *s = &o->sections[i];

		if (s->sh_type != SHT_NOBITS && !inside(o, s->sh_offset, s->sh_size))
			return bad(err, "a section lies outside");
		if (s->sh_addralign & (s->sh_addralign - 1) || s->sh_size > (uint64_t)1 << 40)
			return bad(err, "alignment or size of a section");
	}
	o->section_names = strings(o, h->e_shstrndx, &size);
	if (!o->section_names)
		return bad(err, "section names");
	for (uint32_t i = 0; i < o->n_sections; i++) {
		if (o->sections[i].sh_name >= size)
			return bad(err, "a section's name");
	}
	return 0;
}

static int check_symbols(struct object *o, const Elf64_Shdr *table, struct error *err)
{
	uint64_t size;

	o->names = strings(o, table->sh_link, &size);
	if (!o->names || table->sh_entsize != sizeof(Elf64_Sym) || table->sh_offset % 8)
		return bad(err, "symbol table");
	o->symbols = (const Elf64_Sym *)(o->data + table->sh_offset);
	o->n_symbols = (uint32_t)(table->sh_size / sizeof(Elf64_Sym));
	for (uint32_t i = 0; i < o->n_symbols; i++) {
		const Elf64_Sym *s = &o->symbols[i];

		if (s->st_name >= size)
			return bad(err, "a symbol's name");
		if (s->st_shndx >= o->n_sections && s->st_shndx < SHN_LORESERVE)
			return bad(err, "a symbol's section");
		if (s->st_shndx && s->st_shndx < SHN_LORESERVE &&
		    s->st_value > o->sections[s->st_shndx].sh_size)
			return bad(err, "a symbol lies outside of its section");
		if (s->st_shndx == SHN_XINDEX)
			return bad(err, "more than 65,000 sections");
	}
	return 0;
}

static int check_relocations(const struct object *o, const Elf64_Shdr *s, struct error *err)
{
	const Elf64_Rela *r = (const Elf64_Rela *)(o->data + s->sh_offset);

	if (s->sh_info >= o->n_sections || s->sh_entsize != sizeof(*r) || s->sh_offset % 8)
		return bad(err, "relocation table");
	for (size_t i = 0; i < s->sh_size / sizeof(*r); i++) {
		if (ELF64_R_SYM(r[i].r_info) >= o->n_symbols)
			return bad(err, "a relocation's symbol");
		if (r[i].r_offset > o->sections[s->sh_info].sh_size)
			return bad(err, "a relocation lies outside of its section");
	}
	return 0;
}

int object_open(const void *data, size_t len, uint16_t machine, struct object *ret,
		struct error *err)
{
	const Elf64_Ehdr *h = data;
	struct object o = { .data = data, .len = len };

	if (len < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_type != ET_REL)
		return bad(err, "not a relocatable ELF file");
	if (h->e_machine != machine)
		return bad(err, "made for another machine");
	if (check_sections(&o, h, err))
		return -1;
	for (uint32_t i = 1; i < o.n_sections; i++) {
		if (o.sections[i].sh_type == SHT_SYMTAB && check_symbols(&o, &o.sections[i], err))
			return -1;
	}
	for (uint32_t i = 1; i < o.n_sections; i++) {
		if (o.sections[i].sh_type == SHT_RELA && check_relocations(&o, &o.sections[i], err))
			return -1;
		if (o.sections[i].sh_type == SHT_REL)
			return bad(err, "relocations without addends");
	}
	*ret = o;
	return 0;
}

bool object_is_undefined(const struct object *o, uint32_t symbol)
{
	return symbol && o->symbols[symbol].st_shndx == SHN_UNDEF;
}

static bool in_group(const struct object *o, uint32_t symbol)
{
	const Elf64_Sym *s = &o->symbols[symbol];
	unsigned bind = ELF64_ST_BIND(s->st_info);

	return s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE &&
	       (bind == STB_WEAK || bind == STB_GNU_UNIQUE) &&
	       o->sections[s->st_shndx].sh_flags & SHF_GROUP;
}

/* Vtables and type information are constants, once they are relocated. */
static bool is_variable_section(const struct object *o, uint32_t section)
{
	const Elf64_Shdr *s = &o->sections[section];

	return s->sh_flags & SHF_WRITE && s->sh_type != SHT_INIT_ARRAY &&
	       strncmp(object_section_name(o, section), ".data.rel.ro", 12) != 0;
}

bool object_is_shared(const struct object *o, uint32_t symbol)
{
	return in_group(o, symbol) && is_variable_section(o, o->symbols[symbol].st_shndx);
}

/*
 * One of a COMDAT group, which C++ compilers make in each object that uses it (inline functions,
 * templates, vtables): the unit keeps to its own. The classes of two cells may have one name and
 * not be the same.
 */
static bool object_is_own(const struct object *o, uint32_t symbol)
{
	return in_group(o, symbol) && !is_variable_section(o, o->symbols[symbol].st_shndx);
}

bool object_is_global(const struct object *o, uint32_t symbol)
{
	const Elf64_Sym *s = &o->symbols[symbol];
	unsigned visibility = ELF64_ST_VISIBILITY(s->st_other);

	if (ELF64_ST_BIND(s->st_info) == STB_LOCAL || object_is_own(o, symbol))
		return false;
	/* Protected: reached by all, but its own object calls it directly (`inline` functions of
	 * cells). */
	return s->st_shndx == SHN_UNDEF || visibility == STV_DEFAULT || visibility == STV_PROTECTED;
}
