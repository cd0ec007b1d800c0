/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each name of a unit means. First all missing names are found, so that one message tells them
 * all; then the unit's definitions are entered in the session's table. Their addresses follow when
 * sections have been placed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "common/text/names.h"
#include "runtime/arena/arena.h"
#include "runtime/loader/load-state.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/symbol-packages.h"

static int find_unit_symbols(struct load *l, struct names *names,
			     const struct unit_symbol **by_number)
{
	for (size_t i = 0; i < l->unit->n_symbols; i++) {
		const struct unit_symbol *u = &l->unit->symbols[i];
		uint32_t number = names_add(names, u->name, strlen(u->name));

		if (number == NAME_NONE)
			return -1;
		if (!by_number[number])
			by_number[number] = u;
	}
	for (uint32_t i = 0; i < l->o.n_symbols; i++) {
		const char *name = object_symbol_name(&l->o, i);
		uint32_t number = names_find(names, name, strlen(name));

		l->unit_symbols[i] = number == NAME_NONE ? NULL : by_number[number];
	}
	return 0;
}

int load_find_unit_symbols(struct load *l, struct error *err)
{
	const struct unit_symbol **by_number = calloc(l->unit->n_symbols + 1, sizeof(*by_number));
	struct names names;
	int failed;

	names_init(&names);
	failed = !by_number || find_unit_symbols(l, &names, by_number);
	names_release(&names);
	free(by_number);
	return failed ? error_set(err, ERROR_MEMORY, "no memory to load the cell") : 0;
}

uint64_t load_place_name(const struct load *l, const char *name)
{
	if (strcmp(name, "_GLOBAL_OFFSET_TABLE_") == 0)
		return arena_start(ARENA_DATA);
	/* C++ units pass the address of this to __cxa_atexit(): it names the unit that a destructor
	 * belongs to. */
	if (strcmp(name, "__dso_handle") == 0)
		return l->code_address ? l->code_address
				       : arena_start(ARENA_CODE); /* before it is placed: not 0 */
	return 0;
}

const char *load_symbol_name(struct load *l, uint32_t symbol)
{
	const char *name = object_symbol_name(&l->o, symbol);

	if (!load_tls_is(l, symbol))
		return name;
	buffer_clear(&l->name);
	buffer_printf(&l->name, SYMBOLS_THREAD_LOCAL "%s", name);
	return buffer_text(&l->name);
}

static struct definition definition_of(struct load *l, uint32_t symbol)
{
	const Elf64_Sym *s = &l->o.symbols[symbol];
	const struct unit_symbol *u = l->unit_symbols[symbol];
	bool function =
		ELF64_ST_TYPE(s->st_info) == STT_FUNC || ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC;

	return (struct definition){
		.name = load_symbol_name(l, symbol),
		.type = u ? u->type : "",
		.kind = function ? SYMBOL_FUNCTION : SYMBOL_OBJECT,
		.size = s->st_size,
		.cell = l->unit->cell,
		.weak = ELF64_ST_BIND(s->st_info) == STB_WEAK ||
			ELF64_ST_BIND(s->st_info) == STB_GNU_UNIQUE,
		.layout = u ? u->layout : 0,
	};
}

/* True if another text, a header or an earlier cell, has defined the variable already: the session
 * has one of it. */
static bool joins(const struct load *l, uint32_t symbol, const struct definition *d)
{
	const struct symbol *s = object_is_shared(&l->o, symbol) ? symbols_resolve(d->name) : NULL;

	return s && s->weak && s->address && symbols_keeps(s, d) &&
	       !(l->o.symbols[symbol].st_other & UNIT_OWN_VARIABLE);
}

bool load_keeps(struct load *l, uint32_t symbol)
{
	struct definition d = definition_of(l, symbol);
	const struct symbol *s = symbols_find(d.name);

	return !joins(l, symbol, &d) && s && d.kind == SYMBOL_OBJECT && s->address &&
	       symbols_keeps(s, &d);
}

bool load_waits(const struct load *l, uint32_t symbol)
{
	const struct unit_symbol *u = l->unit_symbols[symbol];

	return u && u->initialised_by_cell;
}

/* " fftw3 gsl": each package once. */
static void put_package(struct buffer *packages, const char *symbol)
{
	const char *name = symbol_packages_find(symbol);
	char word[64];

	if (!name)
		return;
	snprintf(word, sizeof(word), " %s ", name);
	if (!strstr(buffer_text(packages), word))
		buffer_printf(packages, "%s%s ", packages->len ? "" : " ", name);
}

static int refuse(const char *missing, unsigned n, const char *packages, struct error *err)
{
	const char *them = n > 1 ? "them" : "it", *are = n > 1 ? "are" : "is";
	int len = (int)strlen(packages);

	if (len)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s %s declared but defined nowhere. Add `%%pkg%.*s` to a cell: "
				 "that loads the library.",
				 missing, are, len - 1, packages);
	return error_set(err, ERROR_NOT_FOUND,
			 "%s %s declared but defined nowhere: neither in a cell nor in a loaded "
			 "library. Define %s in a cell, or load the library that has %s (`%%pkg "
			 "NAME`, `%%ldflags -lNAME`).",
			 missing, are, them, them);
}

/* The run function's own bytes: [first, end) of a section. */
static uint32_t find_run(const struct load *l, uint64_t *ret_first, uint64_t *ret_end)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		const Elf64_Sym *s = &l->o.symbols[i];

		if (!*l->unit->run_symbol ||
		    strcmp(object_symbol_name(&l->o, i), l->unit->run_symbol) != 0)
			continue;
		*ret_first = s->st_value;
		*ret_end = s->st_value + s->st_size;
		return s->st_shndx;
	}
	return 0;
}

/*
 * A function may call what a later cell defines, as in any C file. What the cell's statements
 * themselves use is needed now, and so is what an initialiser holds the address of: only references
 * through a slot are bound anew by the definition.
 */
static bool can_wait(const struct load *l, uint32_t symbol)
{
	uint64_t first = 0, end = 0;
	uint32_t run = find_run(l, &first, &end);

	if (load_tls_is(l, symbol))
		return false;
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const Elf64_Rela *r;
		size_t n;

		if (l->o.sections[i].sh_type != SHT_RELA)
			continue;
		r = object_relocations(&l->o, i, &n);
		for (size_t k = 0; k < n; k++) {
			enum relocation_need need = l->arch->need(ELF64_R_TYPE(r[k].r_info));

			if (ELF64_R_SYM(r[k].r_info) != symbol)
				continue;
			if (need != RELOCATION_GOT && need != RELOCATION_CALL)
				return false;
			if (run && l->o.sections[i].sh_info == run && r[k].r_offset >= first &&
			    r[k].r_offset < end)
				return false;
		}
	}
	return true;
}

static void note_missing(struct load *l, const char *name)
{
	size_t len = strlen(l->missing);

	if (!symbol_packages_find(name) && len + strlen(name) + 2 < sizeof(l->missing))
		snprintf(l->missing + len, sizeof(l->missing) - len, "%s ", name);
}

/* The session's; or the library's, where it is meant although the session has one of the name. */
static struct symbol *meaning_of(struct load *l, uint32_t symbol)
{
	struct symbol *s = symbols_resolve(load_symbol_name(l, symbol)), *of_library = NULL;
	cleanup_buffer struct buffer name = BUFFER_INIT;

	if (s && s->kind != SYMBOL_LIBRARY && l->o.symbols[symbol].st_other & UNIT_CALLS_LIBRARY) {
		buffer_printf(&name, UNIT_OF_LIBRARY "%s", object_symbol_name(&l->o, symbol));
		of_library = symbols_import(buffer_text(&name));
	}
	if (of_library)
		return of_library;
	return s && s->kind != SYMBOL_PROMISED ? s : symbols_import(load_symbol_name(l, symbol));
}

static int find_undefined(struct load *l, struct error *err)
{
	cleanup_buffer struct buffer missing = BUFFER_INIT, packages = BUFFER_INIT;
	unsigned n = 0;

	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		const char *name = object_symbol_name(&l->o, i);

		if (!object_is_undefined(&l->o, i) || !name[0] || load_place_name(l, name))
			continue;
		l->symbols[i] = meaning_of(l, i);
		if (l->symbols[i] || ELF64_ST_BIND(l->o.symbols[i].st_info) == STB_WEAK)
			continue;
		if (!symbol_packages_find(name) && can_wait(l, i)) {
			l->symbols[i] = symbols_promise(name);
			if (!l->symbols[i])
				return error_set(
					err, ERROR_MEMORY,
					"the session's tables are full; %%reset starts afresh");
		} else {
			buffer_printf(&missing, "%s'%s'", n++ ? ", " : "", name);
			put_package(&packages, name);
			note_missing(l, name);
		}
	}
	if (!n)
		return 0;
	return refuse(buffer_text(&missing), n, buffer_text(&packages), err);
}

/* The function that runs the cell's statements is called by nobody else, and has another name each
 * time. */
static bool is_run(const struct load *l, uint32_t symbol)
{
	return *l->unit->run_symbol &&
	       !strcmp(object_symbol_name(&l->o, symbol), l->unit->run_symbol);
}

static int enter_definitions(struct load *l, struct error *err)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		struct definition d;
		struct symbol *s;

		if (!object_is_global(&l->o, i) || object_is_undefined(&l->o, i) || is_run(l, i))
			continue;
		d = definition_of(l, i);
		s = symbols_find(d.name);
		l->joined[i] = joins(l, i, &d);
		if (l->joined[i]) {
			l->symbols[i] = s;
			continue;
		}
		if (d.weak && s && !s->weak && !s->dropped && s->kind != SYMBOL_LIBRARY)
			continue; /* the strong one stays; this unit uses its own */
		if (s && s->kind != SYMBOL_LIBRARY && s->kind != SYMBOL_PROMISED &&
		    !symbols_keeps(s, &d))
			l->replaced[i] = s;
		l->symbols[i] = symbols_define(&d);
		if (!l->symbols[i])
			return error_set(err, ERROR_MEMORY,
					 "the session's tables are full; %%reset starts afresh");
	}
	return 0;
}

int load_link(struct load *l, struct error *err)
{
	if (find_undefined(l, err))
		return -1;
	return enter_definitions(l, err);
}
