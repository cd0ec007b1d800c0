/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of the arrays of shared memory. Device functions are decoded once, so an array has one
 * place for all kernels; but two arrays that no kernel can reach both may have the same one. A
 * kernel reaches all that it and the functions it calls name, and with a call through a pointer all
 * that any function names. Between two arrays is a red zone, so that an index past the end of one
 * does not land in the next; what programs see as sizes is counted without red zones.
 */
#include "emulator/ptx/ptx-shared.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/text/demangle.h"
#include "emulator/ptx/machine-limits.h"
#include "emulator/ptx/ptx-syntax.h"

/* The names that one body uses. */
struct use {
	uint64_t *arrays, *callees; /* sets of the numbers of arrays and of functions */
	const char *dynamic;        /* name of an extern array */
	bool indirect;              /* calls through a pointer */
};

struct layout {
	struct ptx_module *m;
	struct ptx_variable **arrays; /* by their index */
	uint32_t count;
	size_t words; /* of a set of functions */
	size_t array_words;
	struct use *uses;  /* of each function */
	uint64_t *reached; /* a set of kernels for each array */
	uint64_t *bits;    /* memory of the sets */
};

static bool has(const uint64_t *set, size_t i)
{
	return set[i / 64] >> (i % 64) & 1;
}

static void put(uint64_t *set, size_t i)
{
	set[i / 64] |= 1ull << (i % 64);
}

static bool is_array(const struct ptx_module *m, const struct ptx_variable *v)
{
	return v->space == PTX_SPACE_SHARED && !v->is_extern &&
	       ptx_module_variable(m, v->name) == v;
}

static void add_array(struct layout *l, struct ptx_variable *v)
{
	v->index = l->count;
	l->arrays[l->count++] = v;
}

/* They are declared in a body: their numbers follow. */
static void mark_arrays(const struct ptx_body *b)
{
	for (uint32_t k = 0; b && k < b->variable_count; k++)
		if (b->variables[k].shared)
			((struct ptx_variable *)b->variables[k].shared)->index = 0;
}

static void add_arrays_of_bodies(struct layout *l, bool kernels)
{
	for (size_t i = 0; i < l->m->function_count; i++) {
		const struct ptx_function *f = l->m->functions[i];

		for (uint32_t k = 0;
		     f->body && f->is_kernel == kernels && k < f->body->variable_count; k++)
			if (f->body->variables[k].shared)
				add_array(l, (struct ptx_variable *)f->body->variables[k].shared);
	}
}

/* Variables outside of all bodies first, then those of device functions: they are in most kernels.
 */
static void collect(struct layout *l)
{
	const struct ptx_module *m = l->m;

	for (size_t i = 0; i < m->variable_count; i++)
		m->variables[i]->index = PTX_NONE;
	for (size_t i = 0; i < m->function_count; i++)
		mark_arrays(m->functions[i]->body);
	for (size_t i = 0; i < m->variable_count; i++)
		if (is_array(m, m->variables[i]) && m->variables[i]->index == PTX_NONE)
			add_array(l, m->variables[i]);
	add_arrays_of_bodies(l, false);
	add_arrays_of_bodies(l, true);
}

static void scan_operand(const struct layout *l, const struct ptx_operand *o, struct use *use)
{
	const struct ptx_variable *v;
	struct ptx_function *f;

	switch (o->kind) {
	case PTX_OPERAND_SYMBOL:
		v = ptx_module_variable(l->m, o->name);
		f = ptx_module_function(l->m, o->name);
		if (v && v->space == PTX_SPACE_SHARED && v->is_extern)
			use->dynamic = v->name;
		else if (v && v->index != PTX_NONE)
			put(use->arrays, v->index);
		if (f && f->body)
			put(use->callees, f->index);
		break;
	case PTX_OPERAND_ADDRESS:
	case PTX_OPERAND_VECTOR:
	case PTX_OPERAND_LIST:
	case PTX_OPERAND_PAIR:
		for (unsigned i = 0; i < o->count; i++)
			scan_operand(l, &o->elements[i], use);
		break;
	default:
		break;
	}
}

static bool calls_by_register(const struct ptx_instruction *in)
{
	if (in->form_len < 4 || memcmp(in->text, "call", 4))
		return false;
	for (unsigned k = 0; k < in->operand_count; k++)
		if (in->operands[k].kind == PTX_OPERAND_REGISTER)
			return true;
	return false;
}

static void scan_body(const struct layout *l, const struct ptx_body *b, struct use *use)
{
	for (uint32_t k = 0; k < b->variable_count; k++)
		if (b->variables[k].shared)
			put(use->arrays, b->variables[k].shared->index);
	for (uint32_t i = 0; i < b->instruction_count; i++) {
		const struct ptx_instruction *in = &b->instructions[i];

		use->indirect |= calls_by_register(in);
		for (unsigned k = 0; k < in->operand_count; k++)
			scan_operand(l, &in->operands[k], use);
	}
}

/* The functions that the kernel reaches; returns the name of an extern array that one of them uses.
 */
static const char *reach(const struct layout *l, const struct ptx_function *kernel, uint64_t *seen,
			 uint32_t *stack)
{
	const char *dynamic = NULL;
	size_t depth = 0;

	memset(seen, 0, l->words * sizeof(*seen));
	put(seen, kernel->index);
	stack[depth++] = kernel->index;
	while (depth) {
		const struct use *use = &l->uses[stack[--depth]];

		if (use->dynamic)
			dynamic = use->dynamic;
		for (uint32_t i = 0; i < l->m->function_count; i++) {
			const struct ptx_function *f = l->m->functions[i];

			if (has(seen, i) || !f->body ||
			    !(has(use->callees, i) || (use->indirect && !f->is_kernel)))
				continue;
			put(seen, i);
			stack[depth++] = i;
		}
		for (uint32_t i = 0; i < l->count; i++)
			if (has(use->arrays, i))
				put(l->reached + i * l->words, kernel->index);
	}
	return dynamic;
}

static bool meet(const struct layout *l, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < l->words; i++)
		if (l->reached[a * l->words + i] & l->reached[b * l->words + i])
			return true;
	return false;
}

static uint64_t align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}

/* Behind all that may be there at the same time. Starts are multiples of 16, as what keeps notes on
 * words has it. */
static void place(const struct layout *l, uint32_t number)
{
	struct ptx_variable *v = l->arrays[number];
	uint64_t at = 0;

	for (uint32_t i = 0; i < number; i++) {
		const struct ptx_variable *u = l->arrays[i];

		if (u->address + u->size + MACHINE_SHARED_RED_ZONE > at && meet(l, i, number))
			at = u->address + u->size + MACHINE_SHARED_RED_ZONE;
	}
	v->address = align_up(at, v->align < 16 ? 16 : v->align);
}

static int by_offset(const void *a, const void *b)
{
	const struct ptx_shared_array *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int describe(const struct layout *l, struct ptx_function *f, struct error *err)
{
	struct ptx_shared_array *list;
	uint64_t counted = 0, end = 0;
	char shown[160];
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->count; i++)
		n += has(l->reached + i * l->words, f->index);
	list = mem_pool_array(&l->m->pool, n + 1, sizeof(*list));
	if (!list)
		return error_set(err, ERROR_MEMORY, "out of memory for a PTX module");
	n = 0;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ptx_variable *v = l->arrays[i];

		if (!has(l->reached + i * l->words, f->index))
			continue;
		counted = align_up(counted, v->align ? v->align : 1) + v->size;
		if (v->address + v->size > end)
			end = v->address + v->size;
		list[n++] = (struct ptx_shared_array){ v->name, (uint32_t)v->address,
						       (uint32_t)v->size };
	}
	demangle(f->name, shown, sizeof(shown));
	/* As ptxas has it, whatever the GPU: more is had only at the launch. */
	if (counted > MACHINE_MAX_SHARED_STATIC)
		return error_set(
			err, ERROR_LIMIT,
			"the __shared__ variables of `%s` take %llu bytes, and %d is the most. For "
			"more, declare `extern __shared__ T a[];`, give the bytes as the third "
			"number of the launch, and allow them by cudaFuncSetAttribute(%s, "
			"cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
			shown, (unsigned long long)counted, MACHINE_MAX_SHARED_STATIC, shown);
	qsort(list, n, sizeof(*list), by_offset);
	f->shared_arrays = list;
	f->shared_array_count = n;
	f->shared_bytes = (uint32_t)end;
	f->static_shared = (uint32_t)counted;
	return 0;
}

static int lay_out(struct layout *l, uint64_t *seen, uint32_t *stack, struct error *err)
{
	struct ptx_module *m = l->m;

	for (size_t i = 0; i < m->function_count; i++)
		if (m->functions[i]->body)
			scan_body(l, m->functions[i]->body, &l->uses[i]);
	for (size_t i = 0; i < m->function_count; i++)
		if (m->functions[i]->is_kernel && m->functions[i]->body)
			m->functions[i]->dynamic_shared = reach(l, m->functions[i], seen, stack);
	for (uint32_t i = 0; i < l->count; i++)
		place(l, i);
	for (size_t i = 0; i < m->function_count; i++) {
		struct ptx_function *f = m->functions[i];

		for (uint32_t k = 0; f->body && k < f->body->variable_count; k++)
			if (f->body->variables[k].shared)
				f->body->variables[k].offset =
					(uint32_t)f->body->variables[k].shared->address;
		if (f->is_kernel && f->body && describe(l, f, err))
			return -1;
	}
	return 0;
}

int ptx_shared_lay_out(struct ptx_module *m, struct error *err)
{
	struct layout l = { .m = m, .words = m->function_count / 64 + 1 };
	size_t n = m->function_count;
	uint32_t *stack = calloc(n + 1, sizeof(*stack));
	int failed = -1;

	l.arrays = calloc(m->variable_count + 1, sizeof(*l.arrays));
	l.uses = calloc(n + 1, sizeof(*l.uses));
	if (!stack || !l.arrays || !l.uses)
		goto out;
	collect(&l);
	l.array_words = l.count / 64 + 1;
	l.bits = calloc(n * (l.words + l.array_words) + (l.count + 1) * l.words, sizeof(*l.bits));
	if (!l.bits)
		goto out;
	for (size_t i = 0; i < n; i++) {
		l.uses[i].callees = l.bits + i * (l.words + l.array_words);
		l.uses[i].arrays = l.uses[i].callees + l.words;
	}
	l.reached = l.bits + n * (l.words + l.array_words);
	failed = lay_out(&l, l.reached + l.count * l.words, stack, err);
out:
	if (!stack || !l.arrays || !l.uses || !l.bits)
		error_set(err, ERROR_MEMORY, "out of memory for a PTX module");
	free(stack);
	free(l.arrays);
	free(l.uses);
	free(l.bits);
	return failed;
}
