/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code shared by equal units. A notebook that is run again brings the same units again. One
 * whose code would be, byte for byte, what an earlier unit has in CODE uses that: nothing is left
 * over to free, and pointers into the earlier run's code stay what they are.
 *
 * Only a unit whose variables all have their names and places in the session already: what is
 * static in a function, and the compound literals of statements, are other objects each time the
 * cell is run. Candidates are found by a hash of what the object holds; whether the code is the
 * same is decided by its bytes, patched for the place where the earlier unit lies.
 *
 * A program (`%%cuda`) is found by what the compiler knows it by. Its static storage is the
 * program's own: it begins anew in the places that it had (load-own.c), and its constructors run
 * again. Its constants are written anew, since they hold the number of the cell. What other cells
 * reach of the variables that C++ units share stays.
 */
#include <string.h>

#include "common/base/error.h"
#include "common/code/unit.h"
#include "runtime/loader/load-state.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/units.h"

#define CANDIDATES_MAX 8

static uint64_t add_word(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t add_bytes(uint64_t h, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t word;

	for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		h = add_word(h, word);
	}
	word = len;
	memcpy(&word, at, len);
	return add_word(h, word);
}

static bool is_loaded(const Elf64_Shdr *s)
{
	return s->sh_flags & SHF_ALLOC && s->sh_size;
}

static uint64_t hash_section(const struct load *l, uint32_t i, uint64_t h)
{
	const Elf64_Shdr *s = &l->o.sections[i];

	h = add_word(add_word(add_word(h, s->sh_flags), s->sh_size), s->sh_type);
	return s->sh_type == SHT_NOBITS ? h : add_bytes(h, l->o.data + s->sh_offset, s->sh_size);
}

static uint64_t hash_relocations(const struct load *l, uint32_t i, uint64_t h)
{
	size_t n;
	const Elf64_Rela *r = object_relocations(&l->o, i, &n);

	for (size_t k = 0; k < n; k++) {
		uint32_t symbol = ELF64_R_SYM(r[k].r_info);

		h = add_word(add_word(h, r[k].r_offset), (uint64_t)r[k].r_addend);
		h = add_word(h, ELF64_R_TYPE(r[k].r_info));
		if (object_is_global(&l->o, symbol))
			h = add_bytes(h, object_symbol_name(&l->o, symbol),
				      strlen(object_symbol_name(&l->o, symbol)));
	}
	return h;
}

/* True if the unit has what each load makes anew: slots without a name, or a name that stands for
 * the unit itself. */
static bool has_own_slots(const struct load *l)
{
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const Elf64_Rela *r;
		size_t n;

		if (l->o.sections[i].sh_type != SHT_RELA ||
		    !is_loaded(&l->o.sections[l->o.sections[i].sh_info]))
			continue;
		r = object_relocations(&l->o, i, &n);
		for (size_t k = 0; k < n; k++) {
			uint32_t symbol = ELF64_R_SYM(r[k].r_info);
			enum relocation_need need = l->arch->need(ELF64_R_TYPE(r[k].r_info));

			bool named = need == RELOCATION_GOT && l->symbols[symbol];

			if (need != RELOCATION_PLAIN && need != RELOCATION_CALL && !named)
				return true;
			if (!strcmp(object_symbol_name(&l->o, symbol), "__dso_handle"))
				return true;
		}
	}
	return false;
}

static bool has_own_symbols(struct load *l)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++)
		if (l->o.symbols[i].st_shndx == SHN_COMMON || load_is_chosen(l, i) ||
		    (load_tls_is(l, i) && !(l->unit->program && object_is_undefined(&l->o, i))))
			return true;
	return false;
}

static bool suits(struct load *l)
{
	if (l->unit->program)
		return !has_own_symbols(l);
	for (uint32_t i = 1; i < l->o.n_sections; i++)
		if (l->o.sections[i].sh_type == SHT_INIT_ARRAY)
			return false;
	return !has_own_symbols(l) && !has_own_slots(l);
}

static uint64_t hash_content(const struct load *l)
{
	uint64_t h = 1;

	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const Elf64_Shdr *s = &l->o.sections[i];

		if (is_loaded(s))
			h = hash_section(l, i, h);
		else if (s->sh_type == SHT_RELA && is_loaded(&l->o.sections[s->sh_info]))
			h = hash_relocations(l, i, h);
	}
	return h ? h : 1;
}

/* The code itself, its unwind table and its stubs; and the constants, where they do not begin anew.
 */
static bool is_same_code(const struct load *l, const struct unit_code *same)
{
	const unsigned char *there = (const unsigned char *)same->start;

	if (!l->again)
		return !memcmp(l->code, there, same->size);
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const struct placed *p = &l->sections[i];

		if (p->place == PLACE_CODE &&
		    (l->o.sections[i].sh_flags & SHF_EXECINSTR || p->address == l->eh_frame) &&
		    memcmp(p->image, (const void *)p->address, p->size))
			return false;
	}
	return !memcmp(l->code + l->first_stub, there + l->first_stub, same->size - l->first_stub);
}

/* 1: it is. */
static int try(struct load *l, const struct unit_code *same, struct error *err)
{
	l->again = l->unit->program ? same : NULL;
	if (load_place_as(l, same, err))
		return -1;
	if (l->code_size != same->size || !l->code || l->differs)
		return 0;
	if (load_relocate(l, err))
		return -1;
	return !l->differs && is_same_code(l, same);
}

/* The initial value that the unit brings for a variable is not used if the variable is there,
 * unless it is the unit's own and no other cell reaches it. */
static void leave_shared(struct load *l)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		uint32_t section = l->o.symbols[i].st_shndx;

		if (!l->joined[i] || section >= l->o.n_sections ||
		    l->sections[section].place != PLACE_KEPT)
			continue;
		if (l->symbols[i]->address !=
			    l->sections[section].address + l->o.symbols[i].st_value ||
		    loader_has_other_users(l->symbols[i], l->same))
			l->sections[section].left = true;
	}
}

static const struct unit_code *candidate(uint64_t content, bool is_program,
					 const struct unit_code *last)
{
	do {
		last = units_same(content, last);
	} while (last && last->is_program != is_program);
	return last;
}

const struct unit_code *loader_earlier_run(const struct unit *u)
{
	return u->program ? candidate(u->program, true, NULL) : NULL;
}

int load_find_same(struct load *l, struct error *err)
{
	const struct unit_code *same = NULL;
	bool is_program = l->unit->program != 0;

	if (!suits(l))
		return 0;
	l->content = is_program ? l->unit->program : hash_content(l);
	if (!candidate(l->content, is_program, NULL) || !load_only_keeps(l))
		return 0;
	/* A program can take the place of its newest run only, whose objects have been destroyed
	 * for this one. */
	for (int i = 0; i < (is_program ? 1 : CANDIDATES_MAX); i++) {
		int found;

		same = candidate(l->content, is_program, same);
		if (!same)
			return 0;
		found = try(l, same, err);
		if (found < 0)
			return -1;
		if (found) {
			l->same = same;
			leave_shared(l);
			return 0;
		}
		load_unplace(l);
		l->again = NULL;
	}
	return 0;
}
