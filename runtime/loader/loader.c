/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of loading: link (names), look whether the code is there already (load-same.c), else
 * place (addresses), publish (addresses into GOT slots), relocate (patch the images); then store
 * (images to their places), remember (for crash reports and the unwinder).
 *
 * A unit reaches a global symbol through the session's GOT slot where the compiler asked for a
 * slot, and calls it through a stub over that slot; so a later definition of the same name and type
 * is what it gets.
 */
#include "runtime/loader/loader.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "runtime/arena/meta.h"
#include "runtime/loader/initials.h"
#include "runtime/loader/load-state.h"
#include "runtime/loader/units.h"

int loader_attach(uint64_t (*library)(const char *name), struct buffer *missing, struct error *err)
{
	if (symbols_attach(library, missing, err))
		return -1;
	return units_attach(err);
}

static void load_release(struct load *l)
{
	for (uint32_t i = 0; l->sections && i < l->o.n_sections; i++) {
		if (l->sections[i].place == PLACE_KEPT)
			free(l->sections[i].image);
	}
	free(l->sections);
	free(l->symbols);
	free(l->common);
	free(l->slots);
	free(l->descriptors);
	free(l->stubs);
	free(l->chosen);
	free(l->replaced);
	free(l->joined);
	free(l->unit_symbols);
	buffer_release(&l->name);
	free(l->code);
}

static int load_init(struct load *l, const struct unit *u, struct error *err)
{
	memset(l, 0, sizeof(*l));
	l->unit = u;
	l->arch = relocate_native();
	if (object_open(u->object, u->object_len, l->arch->machine, &l->o, err))
		return -1;
	l->sections = calloc(l->o.n_sections + 1, sizeof(*l->sections));
	l->symbols = calloc(l->o.n_symbols + 1, sizeof(*l->symbols));
	l->common = calloc(l->o.n_symbols + 1, sizeof(*l->common));
	l->slots = calloc(l->o.n_symbols + 1, sizeof(*l->slots));
	l->descriptors = calloc(l->o.n_symbols + 1, sizeof(*l->descriptors));
	l->stubs = calloc(l->o.n_symbols + 1, sizeof(*l->stubs));
	l->chosen = calloc(l->o.n_symbols + 1, sizeof(*l->chosen));
	for (uint32_t i = 0; l->sections && i < l->o.n_sections; i++)
		l->sections[i].size = l->o.sections[i].sh_size;
	l->replaced = calloc(l->o.n_symbols + 1, sizeof(*l->replaced));
	l->joined = calloc(l->o.n_symbols + 1, sizeof(*l->joined));
	l->unit_symbols = calloc(l->o.n_symbols + 1, sizeof(*l->unit_symbols));
	if (!l->sections || !l->replaced || !l->joined || !l->symbols || !l->common || !l->slots ||
	    !l->descriptors || !l->stubs || !l->chosen || !l->unit_symbols)
		return error_set(err, ERROR_MEMORY, "no memory to load the cell");
	return load_find_unit_symbols(l, err);
}

/* A function of the unit's code, by the symbol that names it. */
static bool in_code(const struct load *l, uint32_t i)
{
	uint32_t section = l->o.symbols[i].st_shndx;

	return section && section < l->o.n_sections && l->sections[section].place == PLACE_CODE &&
	       ELF64_ST_TYPE(l->o.symbols[i].st_info) == STT_FUNC &&
	       strncmp(object_symbol_name(&l->o, i), UNIT_INSTANCE, strlen(UNIT_INSTANCE)) != 0;
}

static int remember_functions(const struct load *l, struct unit_code *code)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < l->o.n_symbols; i++)
		n += in_code(l, i);
	code->functions = meta_alloc(n * sizeof(*code->functions));
	for (uint32_t i = 1; code->functions && i < l->o.n_symbols; i++) {
		if (!in_code(l, i))
			continue;
		code->functions[code->n_functions++] = (struct unit_function){
			.name = meta_strdup(object_symbol_name(&l->o, i)),
			.offset = (uint32_t)(load_definition_address(l, i) - l->code_address),
			.size = (uint32_t)l->o.symbols[i].st_size,
		};
	}
	return code->functions ? 0 : -1;
}

static int by_offset(const void *a, const void *b)
{
	const struct unit_code_line *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset > y->offset ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

static const struct unit_function *function_named(const struct unit_code *code, const char *name)
{
	for (uint32_t i = 0; i < code->n_functions; i++) {
		if (code->functions[i].name && strcmp(code->functions[i].name, name) == 0)
			return &code->functions[i];
	}
	return NULL;
}

/* Each function begins with no line: one that has none, as those of libraries, is not on the last
 * line of the one before it. A line of device code lies behind all machine code. */
static int remember_lines(const struct load *l, struct unit_code *code)
{
	const struct unit_function *f = NULL;
	static const struct unit_function device = { .offset = UINT32_MAX };

	code->lines = meta_alloc((l->unit->n_lines + code->n_functions) * sizeof(*code->lines));
	for (uint32_t i = 0; code->lines && i < code->n_functions; i++)
		code->lines[code->n_lines++] =
			(struct unit_code_line){ code->functions[i].offset, 0 };
	for (size_t i = 0; code->lines && i < l->unit->n_lines; i++) {
		const struct unit_line *line = &l->unit->lines[i];

		if (strcmp(line->function, UNIT_LINE_OF_DEVICE) == 0)
			f = &device;
		else if (!i || strcmp(line->function, l->unit->lines[i - 1].function) != 0)
			f = function_named(code, line->function);
		if (f)
			code->lines[code->n_lines++] =
				(struct unit_code_line){ f->offset + line->offset, line->line };
	}
	if (code->lines)
		qsort(code->lines, code->n_lines, sizeof(*code->lines), by_offset);
	return code->lines ? 0 : -1;
}

/* The address of the function that runs the unit's statements; 0: it has none. */
static uint64_t run_address(const struct load *l)
{
	for (uint32_t i = 1; l->unit->run_symbol[0] && i < l->o.n_symbols; i++) {
		if (!object_is_undefined(&l->o, i) &&
		    strcmp(object_symbol_name(&l->o, i), l->unit->run_symbol) == 0)
			return load_definition_address(l, i);
	}
	return 0;
}

static uint64_t newest; /* where the code of the unit that was loaded last starts; 0: it has none */

static int remember(const struct load *l, uint64_t owner, struct error *err)
{
	struct unit_code code = {
		.owner = owner,
		.start = l->code_address,
		.size = l->code_size,
		.eh_frame = l->eh_frame,
		.run = run_address(l),
		.cell = l->unit->cell,
		.content = l->content,
		.is_program = l->unit->program != 0,
		.places = l->places,
		.n_places = l->n_places,
	};

	newest = 0;
	if (!l->code)
		return 0;
	if (remember_functions(l, &code) || remember_lines(l, &code))
		return error_set(err, ERROR_MEMORY,
				 "the session's tables are full; %%reset starts afresh");
	newest = code.start;
	if (!l->same)
		return units_add(&code, err);
	units_renew(l->same, &code);
	return 0;
}

uint64_t loader_own_function(const char *name)
{
	const struct unit_code *u = newest ? units_find(newest) : NULL;

	for (uint32_t i = 0; u && i < u->n_functions; i++)
		if (u->functions[i].name && !strcmp(u->functions[i].name, name))
			return u->start + u->functions[i].offset;
	return 0;
}

/* ".init_array.00101" before those with a higher number, and all before ".init_array"; 0: another
 * section. */
static uint32_t init_order(const struct load *l, uint32_t section)
{
	const char *name = object_section_name(&l->o, section), *number;

	if (l->o.sections[section].sh_type != SHT_INIT_ARRAY || !l->sections[section].image)
		return 0;
	number = strrchr(name, '.');
	return number && number > name ? (uint32_t)strtoul(number + 1, NULL, 10) + 1 : UINT32_MAX;
}

static void add_constructors(const struct load *l, uint32_t section, struct loaded *ret)
{
	size_t n = l->o.sections[section].sh_size / sizeof(*ret->constructors);

	memcpy(ret->constructors + ret->n_constructors, l->sections[section].image,
	       n * sizeof(*ret->constructors));
	ret->n_constructors += n;
}

static size_t all_constructors(const struct load *l)
{
	size_t n = 0;

	for (uint32_t i = 1; i < l->o.n_sections; i++)
		n += init_order(l, i) ? l->o.sections[i].sh_size / sizeof(loader_function *) : 0;
	return n;
}

/* By order, and within one order as the object has them. */
static int find_constructors(const struct load *l, struct loaded *ret, struct error *err)
{
	uint32_t done = 0, next;

	ret->constructors = calloc(all_constructors(l) + 1, sizeof(*ret->constructors));
	if (!ret->constructors)
		return error_set(err, ERROR_MEMORY, "no memory to load the cell");
	for (;; done = next) {
		next = 0;
		for (uint32_t i = 1; i < l->o.n_sections; i++) {
			uint32_t order = init_order(l, i);

			if (order > done && (!next || order < next))
				next = order;
		}
		if (!next)
			return 0;
		for (uint32_t i = 1; i < l->o.n_sections; i++)
			if (init_order(l, i) == next)
				add_constructors(l, i, ret);
	}
}

static int find_choices(const struct load *l, struct loaded *ret, struct error *err)
{
	ret->choices = calloc(l->o.n_symbols + 1, sizeof(*ret->choices));
	if (!ret->choices)
		return error_set(err, ERROR_MEMORY, "no memory to load the cell");
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		const Elf64_Sym *s = &l->o.symbols[i];

		if (l->chosen[i].stub)
			ret->choices[ret->n_choices++] = (struct loaded_choice){
				.choose = (uint64_t (*)(void))(l->sections[s->st_shndx].address +
							       s->st_value),
				.slot = l->chosen[i].slot,
			};
	}
	return 0;
}

static int find_sections(const struct load *l, struct loaded *ret, struct error *err)
{
	ret->sections = calloc(l->o.n_sections + 1, sizeof(*ret->sections));
	if (!ret->sections)
		return error_set(err, ERROR_MEMORY, "no memory to load the cell");
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const struct placed *p = &l->sections[i];

		if (p->place != PLACE_NONE && p->place != PLACE_TLS &&
		    !(l->o.sections[i].sh_flags & SHF_EXECINSTR))
			ret->sections[ret->n_sections++] = (struct loaded_section){ i, p->address };
	}
	return 0;
}

static int find_starts(const struct load *l, struct loaded *ret, struct error *err)
{
	if (find_constructors(l, ret, err) || find_choices(l, ret, err) ||
	    find_sections(l, ret, err))
		return -1;
	ret->run = (loader_function *)run_address(l);
	return 0;
}

void loaded_release(struct loaded *l)
{
	free(l->constructors);
	free(l->choices);
	free(l->sections);
	buffer_release(&l->notes);
	initials_clear();
	*l = (struct loaded){ 0 };
}

static int load_all(struct load *l, uint64_t owner, struct loaded *ret, struct error *err)
{
	if (load_link(l, err) || load_find_same(l, err))
		return -1;
	if (!l->same && (load_place(l, err) || load_make_chosen(l, err) ||
			 load_tls_publish(l, err) || load_relocate(l, err)))
		return -1;
	ret->has_code = l->code != NULL;
	ret->replaces = l->same ? l->same->cell : 0;
	if (load_store(l, err) || load_store_shared(l, err) || remember(l, owner, err))
		return -1;
	return l->same ? 0 : load_users_note(l, err);
}

int loader_load(const struct unit *u, uint64_t owner, struct loaded *ret, struct error *err)
{
	struct loaded out = { 0 };
	struct load l;
	int r;

	if (!u->object_len) {
		*ret = out;
		return 0;
	}
	meta_enter();
	r = load_init(&l, u, err);
	if (!r)
		r = load_all(&l, owner, &out, err);
	if (!r)
		r = find_starts(&l, &out, err);
	if (!r)
		load_users_report(&l, &out.notes);
	meta_leave();
	load_release(&l);
	if (!r && u->run_symbol[0] && !out.run)
		r = error_set(err, ERROR_INPUT, "the compiled cell lacks its function '%s'",
			      u->run_symbol);
	if (r) {
		loaded_release(&out);
		memcpy(out.missing, l.missing, sizeof(out.missing));
	}
	*ret = out;
	return r;
}

int loader_each_kept(const struct unit *u,
		     void (*found)(void *data, uint64_t address, uint64_t size), void *data,
		     struct error *err)
{
	struct load l;
	int r;

	if (!u->object_len)
		return 0;
	r = load_init(&l, u, err);
	for (uint32_t i = 1; !r && i < l.o.n_symbols; i++)
		if (object_is_global(&l.o, i) && !object_is_undefined(&l.o, i) && load_keeps(&l, i))
			found(data, symbols_find(load_symbol_name(&l, i))->address,
			      l.o.symbols[i].st_size);
	load_release(&l);
	return r;
}

static uint32_t line_at(const struct unit_code *u, uint32_t offset)
{
	uint32_t low = 0, high = u->n_lines;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (u->lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? u->lines[low - 1].line : 0;
}

int loader_describe_code(uint64_t address, struct code_place *ret)
{
	const struct unit_code *u = units_find(address);
	uint32_t offset;

	if (!u)
		return -1;
	offset = (uint32_t)(address - u->start);
	*ret = (struct code_place){ .function = "", .cell = u->cell, .line = line_at(u, offset) };
	for (uint32_t i = 0; i < u->n_functions; i++) {
		const struct unit_function *f = &u->functions[i];

		if (offset - f->offset >= (f->size ? f->size : 1) || !f->name)
			continue;
		ret->function = f->name;
		ret->offset = offset - f->offset;
		ret->in_statements = unit_holds_statements(f->name);
	}
	return 0;
}
