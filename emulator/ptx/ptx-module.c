/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module once it is parsed: the table of its symbols, the addresses of its variables, its end.
 * Functions and variables share one hash table by name.
 */
#include "emulator/ptx/ptx-module.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "emulator/ptx/ptx-code-address.h"
#include "emulator/ptx/ptx-parser.h"
#include "emulator/ptx/ptx-program.h"
#include "emulator/ptx/text-hash.h"

/* An entry of the symbol hash: one of the two pointers is set. */
struct symbol {
	const char *name;
	struct ptx_function *function;
	struct ptx_variable *variable;
};

static uint64_t hash_name(const char *name)
{
	uint64_t h = text_hash(TEXT_HASH_START, name);

	return h ^ h >> 29;
}

static struct symbol *find_slot(struct symbol *table, size_t cap, const char *name)
{
	size_t i = hash_name(name) & (cap - 1);

	while (table[i].name && strcmp(table[i].name, name))
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static int grow_symbols(struct ptx_module *m)
{
	size_t cap = m->symbol_cap ? m->symbol_cap * 2 : 64;
	struct symbol *old = (struct symbol *)m->symbols;
	struct symbol *table = calloc(cap, sizeof(*table));

	if (!table)
		return -1;
	for (size_t i = 0; i < m->symbol_cap; i++)
		if (old[i].name)
			*find_slot(table, cap, old[i].name) = old[i];
	free(old);
	m->symbols = (void **)table;
	m->symbol_cap = cap;
	return 0;
}

static struct symbol *symbol_for(struct ptx_parser *p, const char *name)
{
	struct ptx_module *m = p->m;

	if ((m->function_count + m->variable_count + 1) * 2 > m->symbol_cap && grow_symbols(m)) {
		error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
		return NULL;
	}
	return find_slot((struct symbol *)m->symbols, m->symbol_cap, name);
}

static const struct symbol *lookup(const struct ptx_module *m, const char *name)
{
	const struct symbol *s;

	if (!m->symbol_cap)
		return NULL;
	s = find_slot((struct symbol *)m->symbols, m->symbol_cap, name);
	return s->name ? s : NULL;
}

struct ptx_variable *ptx_module_add_variable(struct ptx_parser *p, const struct ptx_variable *v)
{
	struct ptx_module *m = p->m;
	struct symbol *s = symbol_for(p, v->name);
	struct ptx_table t = { m->variables, m->variable_count, m->variable_cap };
	struct ptx_variable **slot, *copy;

	if (!s)
		return NULL;
	if (s->variable && (s->variable->is_extern || v->is_extern)) {
		/* A declaration and the definition of the same variable. */
		if (s->variable->is_extern)
			*s->variable = *v;
		return s->variable;
	}
	slot = ptx_parser_push(p, &t, sizeof(*slot));
	m->variables = t.items;
	m->variable_count = t.count;
	m->variable_cap = t.cap;
	copy = mem_pool_alloc(&m->pool, sizeof(*copy));
	if (!slot || !copy) {
		error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
		return NULL;
	}
	*copy = *v;
	*slot = copy;
	if (!s->name) {
		s->name = copy->name;
		s->variable = copy;
	}
	return copy;
}

struct ptx_function *ptx_module_add_function(struct ptx_parser *p, const char *name)
{
	struct ptx_module *m = p->m;
	struct symbol *s = symbol_for(p, name);
	struct ptx_table t = { m->functions, m->function_count, m->function_cap };
	struct ptx_function **slot, *f;

	if (!s)
		return NULL;
	if (s->function)
		return s->function;
	slot = ptx_parser_push(p, &t, sizeof(*slot));
	m->functions = t.items;
	m->function_count = t.count;
	m->function_cap = t.cap;
	f = mem_pool_alloc(&m->pool, sizeof(*f));
	if (!slot || !f) {
		error_set(p->err, ERROR_MEMORY, "out of memory while parsing PTX");
		return NULL;
	}
	f->name = name;
	f->module = m;
	f->index = (uint32_t)m->function_count - 1;
	*slot = f;
	s->name = name;
	s->function = f;
	return f;
}

void ptx_module_keep_plain(struct ptx_module *m)
{
	m->plain = true;
}

void ptx_module_free(struct ptx_module *m)
{
	if (!m)
		return;
	ptx_code_address_drop(m);
	for (size_t i = 0; i < m->function_count; i++)
		if (m->functions[i]->body)
			ptx_program_free(m->functions[i]->body->program);
	free(m->functions);
	free(m->variables);
	free(m->symbols);
	free(m->files);
	free(m->locations);
	free(m->location_names);
	free(m->strings);
	free(m->sections);
	mem_pool_release(&m->pool);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static int symbol_address(struct ptx_module *m, const struct ptx_placer *p, const char *name,
			  uint64_t *ret, struct error *err)
{
	const struct symbol *s = lookup(m, name);

	if (s && s->variable && s->variable->space == PTX_SPACE_SHARED)
		*ret = s->variable->address;
	else if (s && s->variable && s->variable->address)
		*ret = s->variable->address;
	else if (s && s->function && s->function->code_address)
		*ret = s->function->code_address;
	else if (!p->resolve || !p->resolve(p->data, name, ret))
		return error_set(err, ERROR_NOT_FOUND,
				 "`%s` is used by an initialiser but nothing defines it", name);
	return 0;
}

static int write_variable(struct ptx_module *m, const struct ptx_placer *p,
			  const struct ptx_variable *v, unsigned char *bytes, struct error *err)
{
	memset(bytes, 0, v->size);
	if (v->init_size)
		memcpy(bytes, v->init, v->init_size);
	for (size_t i = 0; i < v->relocation_count; i++) {
		const struct ptx_relocation *r = &v->relocations[i];
		uint64_t address;

		if (symbol_address(m, p, r->symbol, &address, err))
			return error_wrap(err, "variable `%s`", v->name);
		address += (uint64_t)r->addend;
		memcpy(bytes + r->offset, &address, r->size);
	}
	return 0;
}

static int place_all(struct ptx_module *m, const struct ptx_placer *p, struct error *err)
{
	void **bytes = calloc(m->variable_count ? m->variable_count : 1, sizeof(*bytes));
	int rc = -1;

	if (!bytes)
		return error_set(err, ERROR_MEMORY, "out of memory while placing module variables");
	for (size_t i = 0; i < m->variable_count; i++) {
		struct ptx_variable *v = m->variables[i];

		if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
			continue;
		if (v->is_extern) {
			if (!p->resolve || !p->resolve(p->data, v->name, &v->address)) {
				error_set(err, ERROR_NOT_FOUND,
					  "variable `%s` is declared .extern but no loaded module "
					  "defines it",
					  v->name);
				goto out;
			}
		} else if (p->place(p->data, v, &v->address, &bytes[i], err)) {
			error_wrap(err, "variable `%s`", v->name);
			goto out;
		}
	}
	for (size_t i = 0; i < m->variable_count; i++)
		if (bytes[i] && write_variable(m, p, m->variables[i], bytes[i], err))
			goto out;
	m->placed = true;
	rc = 0;
out:
	free(bytes);
	return rc;
}

int ptx_module_place(struct ptx_module *m, const struct ptx_placer *p, struct error *err)
{
	int rc;

	pthread_mutex_lock(&m->lock);
	rc = place_all(m, p, err);
	pthread_mutex_unlock(&m->lock);
	return rc;
}

size_t ptx_module_function_count(const struct ptx_module *m)
{
	return m->function_count;
}

struct ptx_function *ptx_module_function_at(struct ptx_module *m, size_t i)
{
	return i < m->function_count ? m->functions[i] : NULL;
}

struct ptx_function *ptx_module_function(struct ptx_module *m, const char *name)
{
	const struct symbol *s = lookup(m, name);

	return s ? s->function : NULL;
}

size_t ptx_module_variable_count(const struct ptx_module *m)
{
	return m->variable_count;
}

const struct ptx_variable *ptx_module_variable_at(const struct ptx_module *m, size_t i)
{
	return i < m->variable_count ? m->variables[i] : NULL;
}

const struct ptx_variable *ptx_module_variable(const struct ptx_module *m, const char *name)
{
	const struct symbol *s = lookup(m, name);

	return s ? s->variable : NULL;
}

unsigned ptx_module_version(const struct ptx_module *m)
{
	return m->version;
}

unsigned ptx_module_target(const struct ptx_module *m)
{
	return m->target;
}
