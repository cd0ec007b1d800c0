/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All functions lie in the section of the kernel, as ptxas puts them there. Calls that were inlined
 * have a row each at the address of the instruction, the outermost first, so that the last row of
 * an address is the innermost place.
 */
#include "emulator/report/code-image.h"

#include <stdio.h>
#include <string.h>

#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/report/elf-writer.h"
#include "emulator/report/gpu-fault.h"

#define OS_CUDA 0x33
#define FILES_MAX 64

enum opcode { EXTENDED, COPY, ADVANCE_ADDRESS, ADVANCE_LINE, SET_FILE, OPCODES = 10 };
enum extended_opcode { END_SEQUENCE = 1, SET_ADDRESS, INLINED_CALL = 0x90 };

struct lines {
	struct buffer code;
	struct buffer strings; /* names of inlined functions */
	char files[FILES_MAX][sizeof(((struct ptx_lines_frame *)0)->file)];
	uint32_t n_files;
	/* the registers of who reads it */
	uint64_t address;
	uint32_t line, file, rows, inlined_at;
};

static uint64_t size_of(const struct ptx_function *f)
{
	return (uint64_t)f->body->instruction_count * CODE_IMAGE_STEP;
}

void code_image_add(struct code_image *c, const struct ptx_function *f)
{
	if (!f || !f->body || c->count == CODE_IMAGE_FUNCTIONS)
		return;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->functions[i] == f)
			return;
	c->functions[c->count++] = f;
}

uint64_t code_image_address(const struct code_image *c, const char *function, uint32_t offset)
{
	uint64_t address = c->address;

	for (uint32_t i = 0; i < c->count; i++) {
		if (!strcmp(c->functions[i]->name, function))
			return address + offset;
		address += size_of(c->functions[i]);
	}
	return 0;
}

static void put_uleb(struct buffer *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buffer_putc(b, (char)(0x80 | (v & 0x7f)));
	buffer_putc(b, (char)v);
}

static void put_sleb(struct buffer *b, int64_t v)
{
	for (; v < -64 || v > 63; v >>= 7)
		buffer_putc(b, (char)(0x80 | (v & 0x7f)));
	buffer_putc(b, (char)(v & 0x7f));
}

static void put_fixed(struct buffer *b, uint64_t v, size_t size)
{
	buffer_append(b, &v, size);
}

static uint32_t file_number(struct lines *l, const char *name)
{
	for (uint32_t i = 0; i < l->n_files; i++)
		if (!strcmp(l->files[i], name))
			return i + 1;
	if (l->n_files == FILES_MAX)
		return 0;
	snprintf(l->files[l->n_files], sizeof(l->files[0]), "%s", name);
	return ++l->n_files;
}

static size_t string_at(struct lines *l, const char *text)
{
	size_t at = l->strings.len;

	for (size_t i = 0; i < l->strings.len; i += strlen(l->strings.data + i) + 1)
		if (!strcmp(l->strings.data + i, text))
			return i;
	buffer_append(&l->strings, text, strlen(text) + 1);
	return at;
}

static void put_inlined(struct lines *l, uint32_t inlined_at, const char *function)
{
	cleanup_buffer struct buffer operands = BUFFER_INIT;

	if (inlined_at == l->inlined_at && !inlined_at)
		return;
	buffer_putc(&operands, (char)INLINED_CALL);
	put_uleb(&operands, inlined_at);
	put_uleb(&operands, inlined_at ? string_at(l, function) : 0);
	buffer_putc(&l->code, EXTENDED);
	put_uleb(&l->code, operands.len);
	buffer_append(&l->code, operands.data, operands.len);
	l->inlined_at = inlined_at;
}

static void put_row(struct lines *l, const struct ptx_lines_frame *f, uint32_t inlined_at,
		    uint64_t address)
{
	uint32_t file = file_number(l, f->file);

	put_inlined(l, inlined_at, *f->symbol ? f->symbol : f->function);
	if (file != l->file) {
		buffer_putc(&l->code, SET_FILE);
		put_uleb(&l->code, file);
	}
	buffer_putc(&l->code, ADVANCE_LINE);
	put_sleb(&l->code, (int64_t)f->line - l->line);
	if (address != l->address) {
		buffer_putc(&l->code, ADVANCE_ADDRESS);
		put_uleb(&l->code, address - l->address);
	}
	buffer_putc(&l->code, COPY);
	l->file = file;
	l->line = f->line;
	l->address = address;
	l->rows++;
}

static void put_function(struct lines *l, const struct ptx_function *f, uint64_t address)
{
	struct ptx_lines_frame frames[GPU_FAULT_FRAMES];
	uint32_t loc = PTX_NONE;

	for (uint32_t i = 0; i < f->body->instruction_count; i++) {
		uint32_t own = f->body->instructions[i].loc, n;

		if (own == loc)
			continue;
		loc = own;
		n = ptx_lines_frames(f->module, own, f->name, frames, GPU_FAULT_FRAMES);
		for (uint32_t at = n; at-- > 0;)
			put_row(l, &frames[at], at + 1 == n ? 0 : l->rows,
				address + (uint64_t)i * CODE_IMAGE_STEP);
	}
}

static void put_sequence(struct lines *l, const struct code_image *c, uint64_t *ret_size)
{
	uint64_t at = c->address;

	buffer_putc(&l->code, EXTENDED);
	put_uleb(&l->code, 9);
	buffer_putc(&l->code, SET_ADDRESS);
	put_fixed(&l->code, c->address, 8);
	l->address = c->address;
	l->line = l->file = 1;
	for (uint32_t i = 0; i < c->count; i++) {
		put_function(l, c->functions[i], at);
		at += size_of(c->functions[i]);
	}
	buffer_putc(&l->code, ADVANCE_ADDRESS);
	put_uleb(&l->code, at - l->address);
	buffer_putc(&l->code, EXTENDED);
	put_uleb(&l->code, 1);
	buffer_putc(&l->code, END_SEQUENCE);
	*ret_size = at - c->address;
}

/* The header of the only unit, with the files that its code has named, and the code. */
static void put_unit(const struct lines *l, struct buffer *out)
{
	static const unsigned char operands[OPCODES - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	cleanup_buffer struct buffer head = BUFFER_INIT;

	put_fixed(&head, 1, 1);           /* bytes of the smallest instruction */
	put_fixed(&head, 1, 1);           /* each row is a statement */
	put_fixed(&head, (uint8_t)-5, 1); /* special opcodes, of which none is used: lowest line, */
	put_fixed(&head, 14, 1);          /* and how many */
	put_fixed(&head, OPCODES, 1);
	buffer_append(&head, operands, sizeof(operands));
	put_fixed(&head, 0, 1); /* no folders */
	for (uint32_t i = 0; i < l->n_files; i++) {
		buffer_append(&head, l->files[i], strlen(l->files[i]) + 1);
		put_fixed(&head, 0, 3); /* folder, time, size */
	}
	put_fixed(&head, 0, 1);
	put_fixed(out, 2 + 4 + head.len + l->code.len, 4);
	put_fixed(out, 2, 2);
	put_fixed(out, head.len, 4);
	buffer_append(out, head.data, head.len);
	buffer_append(out, l->code.data, l->code.len);
}

static void put_symbols(struct elf_writer *w, const struct code_image *c, uint32_t text)
{
	cleanup_buffer struct buffer names = BUFFER_INIT, symbols = BUFFER_INIT;
	uint64_t at = c->address;
	Elf64_Sym s = { 0 };
	uint32_t strings;

	buffer_putc(&names, 0);
	buffer_append(&symbols, &s, sizeof(s));
	for (uint32_t i = 0; i < c->count; i++) {
		s = (Elf64_Sym){ .st_name = (Elf64_Word)names.len,
				 .st_info = ELF64_ST_INFO(i ? STB_LOCAL : STB_GLOBAL, STT_FUNC),
				 .st_shndx = (Elf64_Section)text,
				 .st_value = at,
				 .st_size = size_of(c->functions[i]) };
		if (i)
			buffer_printf(&names, "$%s$", c->functions[0]->name);
		buffer_append(&names, c->functions[i]->name, strlen(c->functions[i]->name) + 1);
		buffer_append(&symbols, &s, sizeof(s));
		at += s.st_size;
	}
	strings = elf_writer_add(w, ".strtab", &(Elf64_Shdr){ .sh_type = SHT_STRTAB }, names.data,
				 names.len);
	elf_writer_add(w, ".symtab",
		       &(Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				      .sh_link = strings,
				      .sh_info = 1,
				      .sh_entsize = sizeof(s) },
		       symbols.data, symbols.len);
	w->bytes.failed |= names.failed | symbols.failed;
}

int code_image_build(const struct code_image *c, struct buffer *out, struct error *err)
{
	cleanup_buffer struct buffer unit = BUFFER_INIT, name = BUFFER_INIT;
	struct lines l = { .code = BUFFER_INIT, .strings = BUFFER_INIT };
	struct elf_writer w;
	uint64_t size = 0;
	uint32_t text;
	int ret = -1;

	elf_writer_init(&w, ET_EXEC, OS_CUDA);
	put_sequence(&l, c, &size);
	put_unit(&l, &unit);
	buffer_printf(&name, ".text.%s", c->functions[0]->name);
	text = elf_writer_add(&w, buffer_text(&name),
			      &(Elf64_Shdr){ .sh_type = SHT_NOBITS,
					     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					     .sh_addr = c->address },
			      NULL, size);
	put_symbols(&w, c, text);
	elf_writer_add(&w, ".debug_line", &(Elf64_Shdr){ .sh_type = SHT_PROGBITS }, unit.data,
		       unit.len);
	elf_writer_add(&w, ".debug_str", &(Elf64_Shdr){ .sh_type = SHT_PROGBITS }, l.strings.data,
		       l.strings.len);
	if (!buffer_check(&unit, err) && !buffer_check(&name, err) && !buffer_check(&l.code, err) &&
	    !buffer_check(&l.strings, err) && !elf_writer_end(&w, err)) {
		buffer_append(out, w.bytes.data, w.bytes.len);
		ret = buffer_check(out, err);
	}
	elf_writer_release(&w);
	buffer_release(&l.code);
	buffer_release(&l.strings);
	return ret;
}
