/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which units reach a symbol, so that a definition of another type can say who keeps the old one. A
 * unit whose functions have all been replaced since is not worth a word, and neither is one that
 * has none: its statements have run.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "common/text/demangle.h"
#include "runtime/loader/load-state.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/units.h"

#define CELLS_SHOWN 8

/* Has it run when the unit has been loaded? Then nobody calls it any more. */
static bool is_over(const struct load *l, uint32_t symbol)
{
	const char *name = object_symbol_name(&l->o, symbol);

	return !strcmp(name, l->unit->run_symbol) || unit_holds_statements(name);
}

static bool is_function(const struct load *l, uint32_t symbol)
{
	return !object_is_undefined(&l->o, symbol) &&
	       ELF64_ST_TYPE(l->o.symbols[symbol].st_info) == STT_FUNC;
}

static bool has_functions(const struct load *l)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++)
		if (is_function(l, i) && !is_over(l, i))
			return true;
	return false;
}

/* Is the place of the section in code that is over? */
static bool has_run(const struct load *l, uint32_t section, uint64_t offset)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		const Elf64_Sym *s = &l->o.symbols[i];

		if (s->st_shndx == section && offset - s->st_value < s->st_size &&
		    is_function(l, i) && is_over(l, i))
			return true;
	}
	return false;
}

/* Is it one of the session's, and the unit not among its users yet? */
static bool is_new_user(const struct load *l, const struct symbol *s)
{
	return s && s->kind != SYMBOL_LIBRARY &&
	       !(s->n_users && s->users[s->n_users - 1] == l->code_address);
}

int load_users_note(const struct load *l, struct error *err)
{
	if (!l->code || !has_functions(l))
		return 0;
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const Elf64_Rela *r;
		size_t n;

		if (l->o.sections[i].sh_type != SHT_RELA ||
		    !(l->o.sections[l->o.sections[i].sh_info].sh_flags & SHF_EXECINSTR))
			continue;
		r = object_relocations(&l->o, i, &n);
		for (size_t k = 0; k < n; k++) {
			struct symbol *s = l->symbols[ELF64_R_SYM(r[k].r_info)];

			if (is_new_user(l, s) &&
			    !has_run(l, l->o.sections[i].sh_info, r[k].r_offset) &&
			    symbols_add_user(s, l->code_address))
				return error_set(
					err, ERROR_MEMORY,
					"the session's tables are full; %%reset starts afresh");
		}
	}
	return 0;
}

/* Some function of it is what its name means still. */
static bool is_alive(const struct unit_code *u)
{
	for (uint32_t i = 0; i < u->n_functions; i++) {
		const struct symbol *s =
			u->functions[i].name ? symbols_resolve(u->functions[i].name) : NULL;

		if (s && s->address == u->start + u->functions[i].offset && s->address != u->run)
			return true;
	}
	return false;
}

bool loader_has_other_users(const struct symbol *s, const struct unit_code *own)
{
	for (uint32_t i = 0; i < s->n_users; i++) {
		const struct unit_code *u = units_find(s->users[i]);

		if (u && (!own || u->cell != own->cell) && is_alive(u))
			return true;
	}
	return false;
}

static void put_cells(const struct symbol *s, const struct load *l, struct buffer *out)
{
	uint32_t n = 0, last = 0;

	for (uint32_t i = 0; i < s->n_users; i++) {
		const struct unit_code *u = units_find(s->users[i]);

		if (!u || u->start == l->code_address || u->cell == last || !is_alive(u))
			continue;
		if (n++ < CELLS_SHOWN)
			buffer_printf(out, "%sIn[%u]", n > 1 ? ", " : "", u->cell);
		last = u->cell;
	}
	if (n > CELLS_SHOWN)
		buffer_printf(out, " and %u more", n - CELLS_SHOWN);
}

void load_users_report(const struct load *l, struct buffer *notes)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		const struct symbol *old = l->replaced[i], *now = l->symbols[i];
		cleanup_buffer struct buffer cells = BUFFER_INIT;
		char name[300];

		if (!old || !now)
			continue;
		put_cells(old, l, &cells);
		if (!cells.len)
			continue;
		demangle(now->name, name, sizeof(name));
		if (!strcmp(old->type, now->type))
			buffer_printf(notes, "note: a type in '%s' (%s) has changed", name,
				      now->type);
		else
			buffer_printf(notes, "note: '%s' is now %s and was %s", name, now->type,
				      old->type);
		buffer_printf(notes,
			      ". Functions of %s keep the old one; run their cells again to have "
			      "them use this one.\n",
			      buffer_text(&cells));
	}
}
