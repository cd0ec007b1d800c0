/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF file of 64 bits in memory, which may be cut short or made up: what lies outside of the
 * bytes is not there. It is a view and owns nothing.
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
	uint32_t n_sections; /* their headers are in the file */
	uint32_t names;      /* section of their names */
};

/* What a section holds; NULL and 0: nothing that is in the file. */
struct elf_bytes {
	const unsigned char *data;
	size_t len;
};

/* ERROR_INPUT: no ELF file, or one whose section headers are cut off. */
int elf_file_open(struct elf_file *e, const void *data, size_t len, struct error *err);

/* Zeros for a number that no section has. */
Elf64_Shdr elf_file_section(const struct elf_file *e, uint32_t number);
struct elf_bytes elf_file_bytes(const struct elf_file *e, const Elf64_Shdr *s);
/* "" when there is no such string, or it does not end in its section. */
const char *elf_file_string(const struct elf_file *e, uint32_t section, uint64_t offset);
const char *elf_file_name(const struct elf_file *e, const Elf64_Shdr *s);
/* The number of the first section of that name; 0: none. */
uint32_t elf_file_find(const struct elf_file *e, const char *name);

/* Copies the i-th of the rows that the bytes are; false: there is none. */
static inline bool elf_bytes_row(const struct elf_bytes *b, size_t i, void *ret, size_t size)
{
	if (i >= b->len / size)
		return false;
	memcpy(ret, b->data + i * size, size);
	return true;
}

#endif
