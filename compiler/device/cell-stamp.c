/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A longer name is replaced by a shorter one. In strings the rest is filled with NULs, in PTX with
 * blanks. The file table of a line program (DWARF 4, section 6.2.4) has a string followed by three
 * LEB128 numbers: the first of these is written with more bytes than it needs, which the format
 * allows.
 */
#define _GNU_SOURCE
#include "compiler/device/cell-stamp.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>
#include <xxhash.h>

#include "common/base/buffer.h"

struct stamp {
	char from[40], to[40];
	size_t from_len, to_len;
};

static struct stamp stamp_of(const char *format, uint32_t cell)
{
	struct stamp s;

	s.from_len = (size_t)snprintf(s.from, sizeof(s.from), format, CELL_STAMP);
	s.to_len = (size_t)snprintf(s.to, sizeof(s.to), format, cell);
	return s;
}

void cell_stamp_text(struct buffer *text, uint32_t cell)
{
	struct stamp s = stamp_of("In[%u]", cell);
	char *at = text->data, *end;

	while (at && (at = memmem(at, text->len - (size_t)(at - text->data), s.from, s.from_len))) {
		end = text->data + text->len;
		memcpy(at, s.to, s.to_len);
		/* The NUL behind the text is moved, too. */
		memmove(at + s.to_len, at + s.from_len, (size_t)(end - at) - s.from_len + 1);
		text->len -= s.from_len - s.to_len;
		at += s.to_len;
	}
}

/* Replaces `.file 1 "/home/me/In[999983]"` of PTX by the bare name, with blanks behind it. */
static bool stamp_ptx_file(const struct stamp *s, char *begin, char *at, const char *end)
{
	char *line = memrchr(begin, '\n', (size_t)(at - begin));
	char *quote = line ? memchr(line, '"', (size_t)(at - line)) : NULL,
	     *behind = at + s->from_len;

	if (!quote || behind >= end || *behind != '"' ||
	    !memmem(line, (size_t)(quote - line), ".file", 5))
		return false;
	memcpy(quote + 1, s->to, s->to_len);
	quote[1 + s->to_len] = '"';
	memset(quote + 2 + s->to_len, ' ', (size_t)(behind + 1 - (quote + 2 + s->to_len)));
	return true;
}

static void stamp_strings(const struct stamp *s, char *data, size_t size)
{
	char *at = data, *end = data + size;

	while ((at = memmem(at, (size_t)(end - at), s->from, s->from_len))) {
		char *behind = at + s->from_len;

		if (!stamp_ptx_file(s, data, at, end)) {
			size_t rest = behind < end ? strnlen(behind, (size_t)(end - behind)) : 0;

			memcpy(at, s->to, s->to_len);
			memmove(at + s->to_len, behind, rest);
			memset(at + s->to_len + rest, 0, s->from_len - s->to_len);
		}
		at = behind;
	}
}

/* Replaces the number in strings of PTX, `73, 110, 91, ...`, where each of its digits has two
 * digits. */
static void stamp_numbers(const struct stamp *s, char *data, size_t size)
{
	char from[256] = "", *at = data, *end = data + size;

	for (size_t i = 0; i < s->from_len; i++)
		sprintf(from + strlen(from), "%s%d", i ? ", " : "", s->from[i]);
	while ((at = memmem(at, (size_t)(end - at), from, strlen(from)))) {
		char *list = at;

		for (size_t i = 0; i < s->from_len; i++) {
			size_t width = strcspn(list, ",}");
			char number[8];
			int n = snprintf(number, sizeof(number), "%d",
					 i < s->to_len ? s->to[i] : 0);

			if (i == s->from_len - 1)
				width = strspn(list, "0123456789");
			memset(list, ' ', width);
			memcpy(list, number, (size_t)n);
			list += width + 2;
		}
		at = list - 2;
	}
}

static void stamp_lines(const struct stamp *s, char *data, size_t size)
{
	char *at = data, *end = data + size;

	while ((at = memmem(at, (size_t)(end - at), s->from, s->from_len + 1))) {
		size_t more = s->from_len - s->to_len;
		char *number = at + s->from_len + 1;
		unsigned char value = (unsigned char)*number;

		at = number;
		if (number + 1 >= end || value & 0x80)
			continue;
		memcpy(number - s->from_len - 1, s->to, s->to_len + 1);
		number -= more;
		for (size_t i = 0; i < more; i++)
			number[i] = (char)((i ? 0 : value) | 0x80);
		number[more] = (char)(more ? 0 : value);
	}
}

/* Replaces the number in the symbol, with leading zeros, so that it keeps its length. */
static void stamp_symbol(uint32_t cell, char *data, size_t size)
{
	char from[40], to[40], *at = data;
	size_t n = (size_t)snprintf(from, sizeof(from), "cgpu_cell_%06u", CELL_STAMP);

	snprintf(to, sizeof(to), "cgpu_cell_%06u", cell);
	for (; (at = memmem(at, size - (size_t)(at - data), from, n)); at += n)
		memcpy(at, to, n);
}

/* Hashes the meaning of a relocation. Local names are nvcc's, which contain its process number. */
static void hash_relocation(XXH3_state_t *h, const Elf_Data *symbols, Elf *elf, size_t names,
			    const GElf_Rela *r)
{
	uint64_t words[5] = { r->r_offset, GELF_R_TYPE(r->r_info), (uint64_t)r->r_addend };
	const char *name = NULL;
	GElf_Sym s;

	if (gelf_getsym((Elf_Data *)symbols, (int)GELF_R_SYM(r->r_info), &s)) {
		words[3] = s.st_shndx;
		words[4] = s.st_value;
		name = GELF_ST_BIND(s.st_info) == STB_LOCAL ? NULL
							    : elf_strptr(elf, names, s.st_name);
	}
	XXH3_64bits_update(h, words, sizeof(words));
	if (name)
		XXH3_64bits_update(h, name, strlen(name) + 1);
}

static void hash_relocations(XXH3_state_t *h, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Scn *table = elf_getscn(elf, header->sh_link),
		*target = elf_getscn(elf, header->sh_info);
	GElf_Shdr symbols, patched;
	Elf_Data *from = table ? elf_getdata(table, NULL) : NULL,
		 *data = elf_getdata(section, NULL);
	GElf_Rela r;

	if (!from || !data || !gelf_getshdr(table, &symbols) || !gelf_getshdr(target, &patched) ||
	    !(patched.sh_flags & SHF_ALLOC))
		return;
	for (int i = 0; gelf_getrela(data, i, &r); i++)
		hash_relocation(h, from, elf, symbols.sh_link, &r);
}

static void hash_sections(XXH3_state_t *h, Elf *elf, const struct buffer *object)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_RELA)
			hash_relocations(h, elf, section, &header);
		if (!(header.sh_flags & SHF_ALLOC))
			continue;
		XXH3_64bits_update(
			h, (uint64_t[]){ header.sh_type, header.sh_flags, header.sh_size }, 24);
		if (header.sh_type != SHT_NOBITS &&
		    header.sh_offset + header.sh_size <= object->len)
			XXH3_64bits_update(h, object->data + header.sh_offset, header.sh_size);
	}
}

uint64_t cell_stamp_program(const struct buffer *object)
{
	XXH3_state_t *h = XXH3_createState();
	uint64_t ret = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(object->data, object->len);
	if (elf && h && elf_kind(elf) == ELF_K_ELF) {
		XXH3_64bits_reset(h);
		hash_sections(h, elf, object);
		ret = XXH3_64bits_digest(h);
		ret += !ret;
	}
	elf_end(elf);
	XXH3_freeState(h);
	return ret;
}

void cell_stamp_object(struct buffer *object, uint32_t cell)
{
	struct stamp s = stamp_of("In[%u]", cell);
	size_t names = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(object->data, object->len);
	if (elf && !elf_getshdrstrndx(elf, &names))
		for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
			GElf_Shdr h;
			const char *name = gelf_getshdr(section, &h)
						   ? elf_strptr(elf, names, h.sh_name)
						   : NULL;
			char *data = object->data + (name ? h.sh_offset : 0);

			if (!name || h.sh_type == SHT_NOBITS ||
			    h.sh_offset + h.sh_size > object->len)
				continue;
			stamp_symbol(cell, data, h.sh_size);
			if (!strcmp(name, ".debug_line")) {
				stamp_lines(&s, data, h.sh_size);
				continue;
			}
			stamp_strings(&s, data, h.sh_size);
			if (h.sh_flags & SHF_ALLOC)
				stamp_numbers(&s, data, h.sh_size);
		}
	elf_end(elf);
}
