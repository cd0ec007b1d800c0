/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF relocatable object as bytes: checked once, so that the loader may index it without
 * looking. Nothing is copied; the bytes must outlive it.
 */
#ifndef CGPU_RUNTIME_LOADER_OBJECT_H
#define CGPU_RUNTIME_LOADER_OBJECT_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct object {
	const unsigned char *data;
	size_t len;
	const Elf64_Shdr *sections;
	uint32_t n_sections;
	const char *section_names;
	const Elf64_Sym *symbols; /* index 0 is the null symbol */
	uint32_t n_symbols;
	const char *names; /* of symbols */
};

/* ERROR_INPUT when this is no relocatable object of this machine, or a table points outside of it.
 */
int object_open(const void *data, size_t len, uint16_t machine, struct object *ret,
		struct error *err);

static inline const char *object_symbol_name(const struct object *o, uint32_t i)
{
	return o->names + o->symbols[i].st_name;
}

static inline const char *object_section_name(const struct object *o, uint32_t i)
{
	return o->section_names + o->sections[i].sh_name;
}

/* Relocations of a section header of type SHT_RELA; each starts inside of the section that it is
 * for, but may end behind. */
static inline const Elf64_Rela *object_relocations(const struct object *o, uint32_t i,
						   size_t *ret_n)
{
	*ret_n = o->sections[i].sh_size / sizeof(Elf64_Rela);
	return (const Elf64_Rela *)(o->data + o->sections[i].sh_offset);
}

/* The symbol may be replaced by, or comes from, another unit or library. */
bool object_is_global(const struct object *o, uint32_t symbol);
/* A variable that is inline, or static in an inline function: each unit that uses it has one, and
 * the session has one of them. */
bool object_is_shared(const struct object *o, uint32_t symbol);
bool object_is_undefined(const struct object *o, uint32_t symbol);

#endif
