/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file of NVIDIA's machine that is made of sections in memory: the dump of a fault, and the
 * code in it. */
#ifndef CGPU_EMULATOR_ELF_WRITER_H
#define CGPU_EMULATOR_ELF_WRITER_H

#include <elf.h>

#include "common/base/buffer.h"

#ifndef EM_CUDA
#define EM_CUDA 190
#endif

#define ELF_WRITER_SECTIONS 24

struct elf_writer {
	struct buffer bytes; /* header and contents */
	struct buffer names;
	Elf64_Shdr sections[ELF_WRITER_SECTIONS]; /* the first is none */
	uint32_t n;
};

/* type: ET_CORE, ET_EXEC; os: of whose format the file is. */
void elf_writer_init(struct elf_writer *w, uint16_t type, unsigned char os);
void elf_writer_release(struct elf_writer *w);

/*
 * s: type, flags, address, link, info and entry size are taken from it; SHT_NOBITS: data may be
 * NULL. Returns the number of the section.
 */
uint32_t elf_writer_add(struct elf_writer *w, const char *name, const Elf64_Shdr *s,
			const void *data, size_t len);

/* Names and section headers. 0, or -1: out of memory; the file is w->bytes. */
int elf_writer_end(struct elf_writer *w, struct error *err);

#endif
