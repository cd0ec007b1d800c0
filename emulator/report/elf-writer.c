/* SPDX-License-Identifier: Apache-2.0 */
/* Contents are appended as they come; the section headers, which say where, are last. */
#include "emulator/report/elf-writer.h"

#include <string.h>

#include "common/base/bug.h"

#define ALIGNMENT 8

static void align(struct buffer *b)
{
	while (b->len % ALIGNMENT && !b->failed)
		buffer_putc(b, 0);
}

void elf_writer_init(struct elf_writer *w, uint16_t type, unsigned char os)
{
	Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT, os },
		.e_type = type,
		.e_machine = EM_CUDA,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(h),
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	*w = (struct elf_writer){ .bytes = BUFFER_INIT, .names = BUFFER_INIT, .n = 1 };
	buffer_append(&w->bytes, &h, sizeof(h));
	buffer_putc(&w->names, 0);
}

void elf_writer_release(struct elf_writer *w)
{
	buffer_release(&w->bytes);
	buffer_release(&w->names);
}

uint32_t elf_writer_add(struct elf_writer *w, const char *name, const Elf64_Shdr *s,
			const void *data, size_t len)
{
	Elf64_Shdr *own = &w->sections[w->n];

	if (w->n == ELF_WRITER_SECTIONS)
		BUG("an ELF file of more than %d sections", ELF_WRITER_SECTIONS);
	align(&w->bytes);
	*own = *s;
	own->sh_name = (Elf64_Word)w->names.len;
	own->sh_offset = w->bytes.len;
	own->sh_size = len;
	own->sh_addralign = ALIGNMENT;
	buffer_append(&w->names, name, strlen(name) + 1);
	if (s->sh_type != SHT_NOBITS)
		buffer_append(&w->bytes, data, len);
	return w->n++;
}

int elf_writer_end(struct elf_writer *w, struct error *err)
{
	static const char name[] = ".shstrtab";
	cleanup_buffer struct buffer names = BUFFER_INIT;
	uint32_t number;
	Elf64_Ehdr h;

	/* With its own name, which elf_writer_add() puts behind the others. */
	buffer_append(&names, w->names.data, w->names.len);
	buffer_append(&names, name, sizeof(name));
	number = elf_writer_add(w, name, &(Elf64_Shdr){ .sh_type = SHT_STRTAB }, names.data,
				names.len);
	align(&w->bytes);
	if (buffer_check(&names, err) || buffer_check(&w->names, err) ||
	    buffer_check(&w->bytes, err))
		return -1;
	memcpy(&h, w->bytes.data, sizeof(h));
	h.e_shoff = w->bytes.len;
	h.e_shnum = (Elf64_Half)w->n;
	h.e_shstrndx = (Elf64_Half)number;
	memcpy(w->bytes.data, &h, sizeof(h));
	buffer_append(&w->bytes, w->sections, w->n * sizeof(w->sections[0]));
	return buffer_check(&w->bytes, err);
}
