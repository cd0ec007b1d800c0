/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes with common/base/record.h, field by field in the order of the struct. */
#include "common/code/unit.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/base/record.h"

#define UNIT_VERSION 7

static const struct {
	const char *space, *name;
} kinds[] = {
#define DECLARATION(symbol, space_, name_) [DECLARATION_##symbol] = { space_, name_ },
#include "common/code/declarations.def"
#undef DECLARATION
};

bool unit_holds_statements(const char *function)
{
	static const char *const starts[] = { UNIT_STATEMENTS, "__stmts__", "__cxx_global_var_init",
					      "_GLOBAL__sub_I_" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(function, starts[i], strlen(starts[i])))
			return true;
	return false;
}

const char *declaration_space(enum declaration_kind kind)
{
	return (unsigned)kind < DECLARATION_KINDS ? kinds[kind].space : "";
}

const char *declaration_kind_name(enum declaration_kind kind)
{
	return (unsigned)kind < DECLARATION_KINDS ? kinds[kind].name : "";
}

bool declaration_has_name(enum declaration_kind kind)
{
	return kind != DECLARATION_DROPPED && kind != DECLARATION_INSTANCES;
}

void declaration_encode(const struct declaration *d, struct buffer *out)
{
	record_put_u8(out, (uint8_t)d->kind);
	record_put_u32(out, d->cell);
	record_put_u32(out, d->line);
	record_put_str(out, d->name);
	record_put_str(out, d->host);
	record_put_str(out, d->device);
	record_put_str(out, declaration_written(d));
}

struct declaration declaration_decode(struct record *r)
{
	struct declaration d = { .kind = record_u8(r) };

	if (d.kind >= DECLARATION_KINDS)
		r->failed = true;
	d.cell = record_u32(r);
	d.line = record_u32(r);
	d.name = record_str(r);
	d.host = record_str(r);
	d.device = record_str(r);
	d.written = record_str(r);
	return d;
}

void unit_encode(const struct unit *u, struct buffer *out)
{
	record_put_u32(out, UNIT_VERSION);
	record_put_u32(out, u->cell);
	record_put_str(out, u->cell_name);
	record_put_str(out, u->run_symbol);
	record_put_str(out, u->display_type);
	record_put_str(out, u->display_type_code);
	record_put_bytes(out, u->object, u->object_len);
	record_put_bytes(out, u->ptx, u->ptx_len);
	record_put_u64(out, u->program);
	record_put_str(out, u->warnings);
	record_put_u32(out, (uint32_t)u->n_declarations);
	for (size_t i = 0; i < u->n_declarations; i++)
		declaration_encode(&u->declarations[i], out);
	record_put_u32(out, (uint32_t)u->n_behind);
	for (size_t i = 0; i < u->n_behind; i++)
		record_put_str(out, u->behind[i]);
	record_put_u32(out, (uint32_t)u->n_symbols);
	for (size_t i = 0; i < u->n_symbols; i++) {
		const struct unit_symbol *s = &u->symbols[i];

		record_put_str(out, s->name);
		record_put_u8(out, s->is_function);
		record_put_u64(out, s->size);
		record_put_str(out, s->type);
		record_put_str(out, s->type_code);
		record_put_u32(out, s->line);
		record_put_u64(out, s->layout);
		record_put_u8(out, s->initialised_by_cell);
	}
	record_put_u32(out, (uint32_t)u->n_lines);
	for (size_t i = 0; i < u->n_lines; i++) {
		record_put_str(out, u->lines[i].function);
		record_put_u32(out, u->lines[i].offset);
		record_put_u32(out, u->lines[i].line);
	}
	record_put_u32(out, (uint32_t)u->n_kernels);
	for (size_t i = 0; i < u->n_kernels; i++) {
		record_put_str(out, u->kernels[i].name);
		record_put_str(out, u->kernels[i].ptx_name);
		record_put_u32(out, u->kernels[i].line);
		record_put_str(out, u->kernels[i].stub ? u->kernels[i].stub : u->kernels[i].name);
	}
}

static void *array_of(struct record *r, size_t least, size_t size, size_t *ret_n)
{
	uint32_t n = record_count(r, least);
	void *a = n ? calloc(n, size) : NULL;

	if (n && !a)
		r->failed = true;
	*ret_n = a ? n : 0;
	return a;
}

static void decode_arrays(struct record *r, struct unit *u)
{
	u->declarations = array_of(r, 10, sizeof(*u->declarations), &u->n_declarations);
	for (size_t i = 0; i < u->n_declarations; i++)
		u->declarations[i] = declaration_decode(r);
	u->behind = array_of(r, 4, sizeof(*u->behind), &u->n_behind);
	for (size_t i = 0; i < u->n_behind; i++)
		u->behind[i] = record_str(r);
	u->symbols = array_of(r, 10, sizeof(*u->symbols), &u->n_symbols);
	for (size_t i = 0; i < u->n_symbols; i++) {
		struct unit_symbol *s = &u->symbols[i];

		s->name = record_str(r);
		s->is_function = record_u8(r) != 0;
		s->size = record_u64(r);
		s->type = record_str(r);
		s->type_code = record_str(r);
		s->line = record_u32(r);
		s->layout = record_u64(r);
		s->initialised_by_cell = record_u8(r) != 0;
	}
	u->lines = array_of(r, 10, sizeof(*u->lines), &u->n_lines);
	for (size_t i = 0; i < u->n_lines; i++) {
		u->lines[i].function = record_str(r);
		u->lines[i].offset = record_u32(r);
		u->lines[i].line = record_u32(r);
	}
	u->kernels = array_of(r, 13, sizeof(*u->kernels), &u->n_kernels);
	for (size_t i = 0; i < u->n_kernels; i++) {
		u->kernels[i].name = record_str(r);
		u->kernels[i].ptx_name = record_str(r);
		u->kernels[i].line = record_u32(r);
		u->kernels[i].stub = record_str(r);
	}
}

int unit_decode(const void *data, size_t len, struct unit *ret, struct error *err)
{
	struct record r = record_open(data, len);
	struct unit u = { 0 };
	uint32_t version = record_u32(&r);

	if (!r.failed && version != UNIT_VERSION)
		return error_set(err, ERROR_PROTOCOL, "unit of version %u, this program knows %u",
				 version, UNIT_VERSION);
	u.cell = record_u32(&r);
	u.cell_name = record_str(&r);
	u.run_symbol = record_str(&r);
	u.display_type = record_str(&r);
	u.display_type_code = record_str(&r);
	u.object = record_bytes(&r, &u.object_len);
	u.ptx = record_bytes(&r, &u.ptx_len);
	u.program = record_u64(&r);
	u.warnings = record_str(&r);
	decode_arrays(&r, &u);
	if (record_check(&r, "a unit", err)) {
		unit_release(&u);
		return -1;
	}
	*ret = u;
	return 0;
}

int unit_make_room(struct unit *u, size_t more, struct mem_pool *pool, struct error *err)
{
	struct declaration *all = mem_pool_array(pool, u->n_declarations + more + 1, sizeof(*all));

	if (!all)
		return error_set(err, ERROR_MEMORY, "out of memory for the declarations of a cell");
	if (u->n_declarations)
		memcpy(all, u->declarations, u->n_declarations * sizeof(*all));
	u->declarations = all;
	return 0;
}

void unit_release(struct unit *u)
{
	free(u->declarations);
	free(u->behind);
	free(u->symbols);
	free(u->lines);
	free(u->kernels);
	*u = (struct unit){ 0 };
}
