/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the arrays of shared memory lie. Between two of them is a red zone, so that an index past the end of one does
 * not land in the next; what programs see as sizes is counted without red zones. Shared variables of the module and of
 * device functions lie first and at the same place for every entry, since device functions are decoded once; an entry
 * that can reach none of them starts its own at 0.
 */
#include "emulator/ptx/ptx-shared.h"

#include <string.h>

#include "common/error.h"
#include "emulator/machine/machine-limits.h"
#include "emulator/ptx/ptx-syntax.h"

/* What of shared memory the operands of a body name. */
struct shared_use {
	bool module_level, calls;
	const char *dynamic; /* name of an extern array */
};

/* A run of arrays: where the next one goes, bytes as the program counts them, how many. */
struct shared_extent {
	uint64_t at, counted;
	uint32_t arrays;
};

static void scan_operand(struct ptx_module *m, const struct ptx_operand *o, struct shared_use *use)
{
	const struct ptx_variable *v;
	const struct ptx_function *f;

	switch (o->kind) {
	case PTX_OPERAND_SYMBOL:
		v = ptx_module_variable(m, o->name);
		f = ptx_module_function(m, o->name);
		if (v && v->space == PTX_SPACE_SHARED && v->is_extern)
			use->dynamic = v->name;
		else if (v && v->space == PTX_SPACE_SHARED)
			use->module_level = true;
		use->calls |= f && f->has_body;
		break;
	case PTX_OPERAND_ADDRESS:
	case PTX_OPERAND_VECTOR:
	case PTX_OPERAND_LIST:
	case PTX_OPERAND_PAIR:
		for (unsigned i = 0; i < o->count; i++)
			scan_operand(m, &o->elements[i], use);
		break;
	default:
		break;
	}
}

static struct shared_use scan_body(struct ptx_module *m, const struct ptx_body *b)
{
	struct shared_use use = { 0 };

	for (uint32_t i = 0; i < b->instruction_count; i++) {
		const struct ptx_instruction *in = &b->instructions[i];

		use.calls |= in->form_len >= 4 && !memcmp(in->text, "call", 4);
		for (unsigned k = 0; k < in->operand_count; k++)
			scan_operand(m, &in->operands[k], &use);
	}
	return use;
}

static uint64_t align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}

static void place(struct shared_extent *e, struct ptx_variable *v, struct ptx_shared_array *list)
{
	uint32_t align = v->align ? v->align : 1;
	uint64_t offset = align_up(e->arrays ? e->at + MACHINE_SHARED_RED_ZONE : e->at, align);

	if (list)
		list[e->arrays] = (struct ptx_shared_array){ v->name, (uint32_t)offset, (uint32_t)v->size };
	v->address = offset;
	e->at = offset + v->size;
	e->counted = align_up(e->counted, align) + v->size;
	e->arrays++;
}

static void place_body(const struct ptx_body *b, struct shared_extent *e, struct ptx_shared_array *list)
{
	for (uint32_t k = 0; k < b->variable_count; k++) {
		struct ptx_variable *v = (struct ptx_variable *)b->variables[k].shared;

		if (!v)
			continue;
		place(e, v, list);
		b->variables[k].offset = (uint32_t)v->address;
	}
}

static bool owned_by_body(const struct ptx_module *m, const struct ptx_variable *v)
{
	for (size_t i = 0; i < m->function_count; i++)
		for (uint32_t k = 0; m->functions[i]->body && k < m->functions[i]->body->variable_count; k++)
			if (m->functions[i]->body->variables[k].shared == v)
				return true;
	return false;
}

/* Variables outside of all bodies, then those of device functions. *dynamic: an extern array that these use. */
static struct shared_extent place_common(struct ptx_module *m, struct ptx_shared_array *list, const char **dynamic)
{
	struct shared_extent e = { 0 };

	for (size_t i = 0; i < m->variable_count; i++) {
		struct ptx_variable *v = m->variables[i];

		if (v->space == PTX_SPACE_SHARED && !v->is_extern && ptx_module_variable(m, v->name) == v &&
		    !owned_by_body(m, v))
			place(&e, v, list);
	}
	for (size_t i = 0; i < m->function_count; i++)
		if (!m->functions[i]->is_entry && m->functions[i]->body) {
			struct shared_use use = scan_body(m, m->functions[i]->body);

			if (use.dynamic)
				*dynamic = use.dynamic;
			place_body(m->functions[i]->body, &e, list);
		}
	return e;
}

int ptx_shared_lay_out(struct ptx_module *m, struct error *err)
{
	const char *dynamic = NULL;
	struct ptx_shared_array *list = mem_pool_array(&m->pool, m->variable_count + 1, sizeof(*list));
	struct shared_extent common;

	if (!list)
		return error_set(err, ERROR_MEMORY, "out of memory for a PTX module");
	common = place_common(m, list, &dynamic);
	if (common.counted > MACHINE_MAX_SHARED)
		return error_set(err, ERROR_LIMIT, "the module's shared variables need %llu bytes, a block has %d",
				 (unsigned long long)common.counted, MACHINE_MAX_SHARED);
	for (size_t i = 0; i < m->function_count; i++) {
		struct ptx_function *f = m->functions[i];
		struct shared_extent e = { 0 };
		struct ptx_shared_array *own;
		struct shared_use use;

		if (!f->is_entry || !f->body)
			continue;
		use = scan_body(m, f->body);
		if (use.module_level || use.calls)
			e = common;
		own = mem_pool_array(&m->pool, e.arrays + f->body->variable_count + 1, sizeof(*own));
		if (!own)
			return error_set(err, ERROR_MEMORY, "out of memory for a PTX module");
		memcpy(own, list, e.arrays * sizeof(*own));
		place_body(f->body, &e, own);
		f->shared_arrays = own;
		f->shared_array_count = e.arrays;
		f->shared_bytes = (uint32_t)e.at;
		f->static_shared = (uint32_t)e.counted;
		f->dynamic_shared = use.dynamic ? use.dynamic : use.calls ? dynamic : NULL;
	}
	return 0;
}
