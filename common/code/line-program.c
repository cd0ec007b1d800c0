/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine's registers are those of the standard. An unknown opcode is skipped by the
 * sizes in the header. */
#include "common/code/line-program.h"

#include <string.h>

#include "common/base/error.h"
#include "common/base/mem-pool.h"

#define MALFORMED "the line table is malformed"

#define NVIDIA_INLINED_CALL 0x90
#define NVIDIA_FUNCTION_NAME 0x91

struct reader {
	const unsigned char *at, *end;
	bool failed;
};

struct file {
	const char *name, *folder;
};

struct header {
	uint8_t minimum_instruction, line_range, opcode_base;
	int8_t line_base;
	uint8_t operand_counts[256];
};

struct machine {
	const struct line_program *program;
	struct error *err;
	struct mem_pool pool; /* for the tables of one unit */
	const char **folders;
	uint32_t n_folders, folders_cap;
	struct file *files;
	uint32_t n_files, files_cap;
	struct header header;
	struct line_row row;
	uint64_t line, file;
	bool failed; /* err is filled */
};

static uint64_t fixed(struct reader *r, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->at) < n) {
		r->failed = true;
		r->at = r->end;
		return 0;
	}
	memcpy(&v, r->at, n);
	r->at += n;
	return v;
}

static uint64_t uleb(struct reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		unsigned char c = *r->at++;

		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	r->failed = true;
	return 0;
}

/* Reads a signed number, in a form that can be added to an unsigned register. */
static uint64_t sleb(struct reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		unsigned char c = *r->at++;

		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80)) {
			if (shift + 7 < 64 && (c & 0x40))
				v |= -((uint64_t)1 << (shift + 7));
			return v;
		}
	}
	r->failed = true;
	return 0;
}

static const char *text(struct reader *r)
{
	const unsigned char *start = r->at, *nul = memchr(start, 0, (size_t)(r->end - start));

	if (!nul) {
		r->failed = true;
		r->at = r->end;
		return "";
	}
	r->at = nul + 1;
	return (const char *)start;
}

static void emit(struct machine *m, bool end)
{
	bool known = m->file && m->file <= m->n_files;

	m->row.line = (uint32_t)m->line;
	m->row.file = known ? m->files[m->file - 1].name : "";
	m->row.folder = known ? m->files[m->file - 1].folder : "";
	m->row.end = end;
	m->failed |= m->program->row(m->program->data, &m->row, m->err) != 0;
}

static void reset(struct machine *m)
{
	m->row = (struct line_row){ 0 };
	m->file = 1;
	m->line = 1;
}

static void extended(struct machine *m, struct reader *r)
{
	uint64_t len = uleb(r);
	size_t left = (size_t)(r->end - r->at);
	struct reader operands = { r->at, r->at + (len < left ? len : left), false };

	r->at = operands.end;
	switch (fixed(&operands, 1)) {
	case 1: /* DW_LNE_end_sequence */
		emit(m, true);
		reset(m);
		break;
	case 2: { /* DW_LNE_set_address */
		size_t at = (size_t)(operands.at - (const unsigned char *)m->program->section);

		m->row.address = fixed(&operands, 8);
		m->program->place(m->program->data, at, &m->row.address, &m->row.section);
		break;
	}
	case NVIDIA_INLINED_CALL:
		m->row.inlined_at = (uint32_t)uleb(&operands);
		m->row.function = (uint32_t)uleb(&operands);
		break;
	case NVIDIA_FUNCTION_NAME:
		m->row.function = (uint32_t)uleb(&operands);
		break;
	default:
		return;
	}
	r->failed |= operands.failed;
}

static void standard(struct machine *m, struct reader *r, uint8_t opcode)
{
	const struct header *h = &m->header;

	switch (opcode) {
	case 1: /* DW_LNS_copy */
		emit(m, false);
		break;
	case 2: /* DW_LNS_advance_pc */
		m->row.address += uleb(r) * h->minimum_instruction;
		break;
	case 3: /* DW_LNS_advance_line */
		m->line += sleb(r);
		break;
	case 4: /* DW_LNS_set_file */
		m->file = uleb(r);
		break;
	case 8: /* DW_LNS_const_add_pc */
		m->row.address +=
			(uint64_t)((255 - h->opcode_base) / h->line_range) * h->minimum_instruction;
		break;
	case 9: /* DW_LNS_fixed_advance_pc */
		m->row.address += fixed(r, 2);
		break;
	default:
		for (uint8_t i = 0; i < h->operand_counts[opcode]; i++)
			uleb(r);
		break;
	}
}

static void run(struct machine *m, struct reader *r)
{
	const struct header *h = &m->header;

	reset(m);
	while (r->at < r->end && !r->failed && !m->failed) {
		uint8_t opcode = (uint8_t)fixed(r, 1);

		if (!opcode) {
			extended(m, r);
		} else if (opcode < h->opcode_base) {
			standard(m, r, opcode);
		} else {
			uint8_t adjusted = (uint8_t)(opcode - h->opcode_base);

			m->row.address +=
				(uint64_t)(adjusted / h->line_range) * h->minimum_instruction;
			m->line += (uint64_t)(int64_t)(h->line_base + adjusted % h->line_range);
			emit(m, false);
		}
	}
}

static int read_files(struct machine *m, struct reader *r)
{
	m->n_folders = m->folders_cap = m->n_files = m->files_cap = 0;
	m->folders = NULL;
	m->files = NULL;
	for (const char *name = text(r); *name; name = text(r)) {
		if (!MEM_POOL_ROOM(&m->pool, m->folders, m->n_folders, &m->folders_cap))
			return error_set(m->err, ERROR_MEMORY, "out of memory for the line table");
		m->folders[m->n_folders++] = name;
	}
	for (const char *name = text(r); *name; name = text(r)) {
		uint64_t folder = uleb(r);

		uleb(r); /* time */
		uleb(r); /* size */
		if (!MEM_POOL_ROOM(&m->pool, m->files, m->n_files, &m->files_cap))
			return error_set(m->err, ERROR_MEMORY, "out of memory for the line table");
		m->files[m->n_files++] = (struct file){ name, folder && folder <= m->n_folders
								      ? m->folders[folder - 1]
								      : "" };
	}
	return 0;
}

/* Reads the header of a unit; *ret_code is the start of its opcodes. */
static int read_header(struct machine *m, struct reader *r, const unsigned char **ret_code)
{
	struct header *h = &m->header;
	uint64_t version = fixed(r, 2), header_len = fixed(r, 4);

	if (version < 2 || version > 4)
		return error_set(m->err, ERROR_INPUT, "the line table has DWARF version %u",
				 (unsigned)version);
	if (header_len > (size_t)(r->end - r->at))
		return error_set(m->err, ERROR_INPUT, MALFORMED);
	*ret_code = r->at + header_len;
	*h = (struct header){ .minimum_instruction = (uint8_t)fixed(r, 1) };
	if (version >= 4)
		fixed(r, 1); /* operations per instruction */
	fixed(r, 1);         /* is_stmt */
	h->line_base = (int8_t)fixed(r, 1);
	h->line_range = (uint8_t)fixed(r, 1);
	h->opcode_base = (uint8_t)fixed(r, 1);
	for (unsigned i = 1; i < h->opcode_base; i++)
		h->operand_counts[i] = (uint8_t)fixed(r, 1);
	if (read_files(m, r))
		return -1;
	return r->failed || !h->line_range ? error_set(m->err, ERROR_INPUT, MALFORMED) : 0;
}

static int run_unit(struct machine *m, struct reader *section)
{
	uint64_t len = fixed(section, 4);
	struct reader r = *section;
	const unsigned char *code = NULL;

	if (section->failed || len > (size_t)(section->end - section->at))
		return error_set(m->err, ERROR_INPUT, "the line table is cut short");
	r.end = r.at + len;
	section->at = r.end;
	if (read_header(m, &r, &code))
		return -1;
	r.at = code;
	run(m, &r);
	if (m->failed)
		return -1;
	return r.failed ? error_set(m->err, ERROR_INPUT, MALFORMED) : 0;
}

int line_program_run(const struct line_program *p, struct error *err)
{
	struct machine m = { .program = p, .err = err };
	struct reader r = { .at = p->section };
	int failed = 0;

	if (!p->len)
		return 0;
	r.end = r.at + p->len;
	mem_pool_init(&m.pool);
	while (!failed && r.at < r.end) {
		failed = run_unit(&m, &r);
		mem_pool_release(&m.pool);
	}
	return failed;
}
