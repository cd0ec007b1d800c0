/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view of a 64-bit ELF file in memory, which may be truncated or malicious: anything outside of
 * the bytes counts as absent. The view owns nothing.
 */
#ifndef CGPU_COMMON_CODE_ELF_FILE_H
#define CGPU_COMMON_CODE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct error;

struct elf_file {
	const unsigned char *data;
	size_t len;
	uint16_t type, machine; /* ET_CORE, EM_CUDA */
	uint64_t sections_at;
	uint32_t n_sections; /* number of sections whose headers are in the file */
	uint32_t names;      /* number of the section with their names */
};

/* The content of a section; NULL and 0: none that is in the file. */
struct elf_bytes {
	const unsigned char *data;
	size_t len;
};

/* Opens a file. ERROR_INPUT: it is no ELF file, or its section headers are cut off. */
int elf_file_open(struct elf_file *e, const void *data, size_t len, struct error *err);

/* Returns the header of a section; zeros for a number that no section has. */
Elf64_Shdr elf_file_section(const struct elf_file *e, uint32_t number);
struct elf_bytes elf_file_bytes(const struct elf_file *e, const Elf64_Shdr *s);
/* Returns a string of a section; "" when there is none, or it does not end in its section. */
const char *elf_file_string(const struct elf_file *e, uint32_t section, uint64_t offset);
const char *elf_file_name(const struct elf_file *e, const Elf64_Shdr *s);
/* Returns the number of the first section of that name; 0: none. */
uint32_t elf_file_find(const struct elf_file *e, const char *name);

/* Copies row i of a table; false: there is none. */
static inline bool elf_bytes_row(const struct elf_bytes *b, size_t i, void *ret, size_t size)
{
	if (i >= b->len / size)
		return false;
	memcpy(ret, b->data + i * size, size);
	return true;
}

#endif
