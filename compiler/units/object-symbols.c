/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of an ELF object that clang has just made are changed in place: the layout of the object
 * stays the same. An object whose headers point beyond its end is not changed.
 */
#include "compiler/units/object-symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "common/code/unit.h"
#include "compiler/text/own-names.h"

static int in_object(size_t len, const Elf64_Shdr *s, size_t alignment)
{
	return s->sh_offset <= len && s->sh_size <= len - s->sh_offset &&
	       s->sh_offset % alignment == 0;
}

/* Removes prefixes from a string table, which debug information uses, too. References point to the
 * start of a string, so its rest moves to the front. */
static void strip_strings(char *strings, size_t size)
{
	for (char *at = strings, *end = strings + size; at < end;) {
		size_t n = strnlen(at, (size_t)(end - at)), kept;

		if (at + n == end)
			return;
		own_names_strip(at);
		kept = strlen(at);
		memset(at + kept, 0, n - kept);
		at += n + 1;
	}
}

struct symbol_table {
	Elf64_Sym *at;
	size_t n;
	const char *strings;
	size_t size;
};

/* Finds the symbol table in section i; false: it is none. */
static bool symbol_table_at(void *object, size_t len, const Elf64_Ehdr *h, size_t i,
			    struct symbol_table *ret)
{
	const Elf64_Shdr *sections = (const Elf64_Shdr *)((char *)object + h->e_shoff),
			 *s = &sections[i];

	if (s->sh_type != SHT_SYMTAB || s->sh_link >= h->e_shnum || !in_object(len, s, 8) ||
	    !in_object(len, &sections[s->sh_link], 1))
		return false;
	*ret = (struct symbol_table){ (Elf64_Sym *)((char *)object + s->sh_offset),
				      s->sh_size / sizeof(Elf64_Sym),
				      (char *)object + sections[s->sh_link].sh_offset,
				      sections[s->sh_link].sh_size };
	return true;
}

static const Elf64_Ehdr *header_of(const void *object, size_t len)
{
	const Elf64_Ehdr *h = object;

	if (len < sizeof(*h) || h->e_shoff > len || h->e_shoff % 8 ||
	    h->e_shnum > (len - h->e_shoff) / sizeof(Elf64_Shdr))
		return NULL;
	return h;
}

static bool is_in_group(const Elf64_Ehdr *h, const void *object, Elf64_Section index)
{
	const Elf64_Shdr *sections = (const Elf64_Shdr *)((const char *)object + h->e_shoff);

	return index >= h->e_shnum || sections[index].sh_flags & SHF_GROUP;
}

void object_symbols_make_strong(void *object, size_t len)
{
	const Elf64_Ehdr *h = header_of(object, len);
	struct symbol_table t;

	for (size_t i = 0; h && i < h->e_shnum; i++) {
		if (!symbol_table_at(object, len, h, i, &t))
			continue;
		for (size_t k = 0; k < t.n; k++) {
			Elf64_Sym *s = &t.at[k];

			if (s->st_shndx != SHN_UNDEF && ELF64_ST_BIND(s->st_info) == STB_WEAK &&
			    ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
			    !is_in_group(h, object, s->st_shndx))
				s->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		}
	}
}

void object_symbols_mark_library(void *object, size_t len,
				 bool (*is)(void *context, const char *name), void *context)
{
	const Elf64_Ehdr *h = header_of(object, len);
	struct symbol_table t;

	for (size_t i = 0; h && i < h->e_shnum; i++) {
		if (!symbol_table_at(object, len, h, i, &t) || !t.size || t.strings[t.size - 1])
			continue;
		for (size_t k = 1; k < t.n; k++) {
			Elf64_Sym *s = &t.at[k];

			if (s->st_shndx == SHN_UNDEF && s->st_name < t.size &&
			    is(context, t.strings + s->st_name))
				s->st_other |= UNIT_CALLS_LIBRARY;
		}
	}
}

void object_symbols_mark_variable(void *object, size_t len, const char *name)
{
	static const char *const prefixes[] = { "", "__emutls_v.", "__emutls_t." };
	const Elf64_Ehdr *h = header_of(object, len);
	struct symbol_table t;

	for (size_t i = 0; h && i < h->e_shnum; i++) {
		if (!symbol_table_at(object, len, h, i, &t))
			continue;
		for (size_t k = 0; k < t.n * 3; k++) {
			Elf64_Sym *s = &t.at[k / 3];
			size_t n = strlen(prefixes[k % 3]);

			if (s->st_name < t.size && t.size - s->st_name > n + strlen(name) &&
			    !strncmp(t.strings + s->st_name, prefixes[k % 3], n) &&
			    !strcmp(t.strings + s->st_name + n, name))
				s->st_other |= UNIT_OWN_VARIABLE;
		}
	}
}

/* A name that is the end of another one shares its string, at a later offset. */
void object_symbols_strip(void *object, size_t len)
{
	const Elf64_Ehdr *h = header_of(object, len);
	size_t n = strlen(OWN_PREFIX);
	struct symbol_table t;

	for (size_t i = 0; h && i < h->e_shnum; i++) {
		const Elf64_Shdr *s = (const Elf64_Shdr *)((char *)object + h->e_shoff) + i;

		if (s->sh_type == SHT_PROGBITS && s->sh_flags & SHF_STRINGS &&
		    !(s->sh_flags & SHF_ALLOC) && in_object(len, s, 1))
			strip_strings((char *)object + s->sh_offset, s->sh_size);
		if (!symbol_table_at(object, len, h, i, &t))
			continue;
		for (size_t k = 0; k < t.n; k++)
			if (t.at[k].st_name < t.size && t.size - t.at[k].st_name > n &&
			    !memcmp(t.strings + t.at[k].st_name, OWN_PREFIX, n))
				t.at[k].st_name += (Elf64_Word)n;
	}
}
