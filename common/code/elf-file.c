/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers are copied out, since they may be unaligned. A file with more sections than its header
 * can count has the numbers in the first section header.
 */
#include "common/code/elf-file.h"

#include "common/base/error.h"

static bool is_inside(const struct elf_file *e, uint64_t offset, uint64_t size)
{
	return offset <= e->len && size <= e->len - offset;
}

int elf_file_open(struct elf_file *e, const void *data, size_t len, struct error *err)
{
	Elf64_Ehdr h;
	Elf64_Shdr first;

	*e = (struct elf_file){ .data = data, .len = len };
	if (len < sizeof(h))
		return error_set(err, ERROR_INPUT, "it is no ELF file");
	memcpy(&h, data, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB)
		return error_set(err, ERROR_INPUT, "it is no ELF file");
	e->type = h.e_type;
	e->machine = h.e_machine;
	if (!h.e_shoff)
		return 0;
	if (h.e_shentsize != sizeof(first) || !is_inside(e, h.e_shoff, sizeof(first)))
		return error_set(err, ERROR_INPUT,
				 "the section headers of the ELF file are cut off");
	memcpy(&first, e->data + h.e_shoff, sizeof(first));
	e->sections_at = h.e_shoff;
	e->names = h.e_shstrndx == SHN_XINDEX ? first.sh_link : h.e_shstrndx;
	if (!h.e_shnum && first.sh_size > UINT32_MAX)
		return error_set(err, ERROR_INPUT,
				 "the section headers of the ELF file are cut off");
	e->n_sections = h.e_shnum ? h.e_shnum : (uint32_t)first.sh_size;
	if (!is_inside(e, e->sections_at, (uint64_t)e->n_sections * sizeof(first)))
		return error_set(err, ERROR_INPUT,
				 "the section headers of the ELF file are cut off");
	return 0;
}

Elf64_Shdr elf_file_section(const struct elf_file *e, uint32_t number)
{
	Elf64_Shdr s = { 0 };

	if (number < e->n_sections)
		memcpy(&s, e->data + e->sections_at + (uint64_t)number * sizeof(s), sizeof(s));
	return s;
}

struct elf_bytes elf_file_bytes(const struct elf_file *e, const Elf64_Shdr *s)
{
	if (s->sh_type == SHT_NOBITS || s->sh_type == SHT_NULL ||
	    !is_inside(e, s->sh_offset, s->sh_size))
		return (struct elf_bytes){ NULL, 0 };
	return (struct elf_bytes){ e->data + s->sh_offset, s->sh_size };
}

const char *elf_file_string(const struct elf_file *e, uint32_t section, uint64_t offset)
{
	Elf64_Shdr s = elf_file_section(e, section);
	struct elf_bytes b = elf_file_bytes(e, &s);

	if (offset >= b.len || !memchr(b.data + offset, 0, b.len - offset))
		return "";
	return (const char *)b.data + offset;
}

const char *elf_file_name(const struct elf_file *e, const Elf64_Shdr *s)
{
	return elf_file_string(e, e->names, s->sh_name);
}

uint32_t elf_file_find(const struct elf_file *e, const char *name)
{
	for (uint32_t i = 1; i < e->n_sections; i++) {
		Elf64_Shdr s = elf_file_section(e, i);

		if (!strcmp(elf_file_name(e, &s), name))
			return i;
	}
	return 0;
}
