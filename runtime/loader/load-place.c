/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of an object's sections in the arena. Code and everything read-only form one image for
 * CODE, padded to whole pages:
 *
 *	executable sections | read-only sections | .eh_frame and its end mark | stubs
 *
 * A writable section goes to DATA, with two exceptions. If all it holds is one variable that an
 * earlier cell defined with the same type, it is given that variable's storage. If it is large and
 * reached only through GOT slots and pointers, it goes to the heap, which is a thousand times as
 * big.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/code/unit.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/loader/initials.h"
#include "runtime/loader/load-state.h"
#include "runtime/loader/units.h"

#define LARGE_VARIABLE (64 * 1024)

static bool is_eh_frame(const struct load *l, uint32_t i)
{
	return strcmp(object_section_name(&l->o, i), ".eh_frame") == 0;
}

/* 0: executable, 1: read-only, 2: unwind table; -1: not for CODE. */
static int code_order(const struct load *l, uint32_t i)
{
	const Elf64_Shdr *s = &l->o.sections[i];

	if (!(s->sh_flags & SHF_ALLOC) || s->sh_flags & SHF_WRITE || !s->sh_size)
		return -1;
	if (is_eh_frame(l, i))
		return 2;
	return s->sh_flags & SHF_EXECINSTR ? 0 : 1;
}

static void note_references(struct load *l)
{
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		size_t n;
		const Elf64_Rela *r = object_relocations(&l->o, i, &n);

		if (l->o.sections[i].sh_type != SHT_RELA)
			continue;
		for (size_t k = 0; k < n; k++) {
			uint32_t target = l->o.symbols[ELF64_R_SYM(r[k].r_info)].st_shndx;
			uint32_t type = ELF64_R_TYPE(r[k].r_info);

			if (target && target < l->o.n_sections &&
			    l->arch->need(type) != RELOCATION_GOT && type != R_X86_64_64 &&
			    type != R_AARCH64_ABS64)
				l->sections[target].direct = true;
		}
	}
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		uint32_t section = l->o.symbols[i].st_shndx;

		if (!section || section >= l->o.n_sections || !object_is_global(&l->o, i))
			continue;
		l->sections[section].n_definitions++;
		l->sections[section].definition = i;
	}
}

/* The whole section is one variable that exists already. */
static bool section_kept(struct load *l, uint32_t i)
{
	const struct placed *p = &l->sections[i];
	const Elf64_Sym *s = &l->o.symbols[p->definition];

	return p->n_definitions == 1 && s->st_value == 0 &&
	       s->st_size == l->o.sections[i].sh_size && load_keeps(l, p->definition);
}

static size_t align_up(size_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) & ~(size_t)(align - 1) : at;
}

bool load_is_chosen(const struct load *l, uint32_t symbol)
{
	return ELF64_ST_TYPE(l->o.symbols[symbol].st_info) == STT_GNU_IFUNC &&
	       !object_is_undefined(&l->o, symbol);
}

/* Stubs that the unit may need: one a global function that it calls, one a function that is chosen
 * at load, one for all descriptors of thread-local variables. */
static size_t stub_bytes(const struct load *l)
{
	size_t n = l->arch->descriptor_stub != NULL;

	for (uint32_t i = 1; i < l->o.n_symbols; i++)
		n += object_is_global(&l->o, i) + load_is_chosen(l, i);
	return n * l->arch->stub_size;
}

static uint64_t code_top(void)
{
	return arena_start(ARENA_CODE) + arena_header()->top[ARENA_CODE];
}

static int place_code(struct load *l, uint64_t base, struct error *err)
{
	size_t at = 0;

	for (int order = 0; order < 3; order++) {
		for (uint32_t i = 1; i < l->o.n_sections; i++) {
			if (code_order(l, i) != order || l->sections[i].place != PLACE_NONE)
				continue;
			at = align_up(base + at, l->o.sections[i].sh_addralign) - base;
			l->sections[i].place = PLACE_CODE;
			l->sections[i].address = base + at;
			at += l->o.sections[i].sh_size;
			if (order == 2 && !l->eh_frame)
				l->eh_frame = l->sections[i].address;
		}
	}
	l->first_stub = l->stub_at = align_up(at + 8, 16); /* 8: the end mark */
	l->code_size = align_up(l->stub_at + stub_bytes(l), ARENA_PAGE);
	l->code_address = base;
	if (at == 0)
		return 0; /* nobody to call through a stub */
	if (base == code_top() && !arena_grow(ARENA_CODE, l->code_size))
		return error_set(
			err, ERROR_LIMIT,
			"the session's %llu MiB for machine code are full; %%reset starts afresh",
			ARENA_CODE_SIZE / MIB);
	l->code = calloc(1, l->code_size);
	if (!l->code)
		return error_set(err, ERROR_MEMORY, "no memory for %zu bytes of machine code",
				 l->code_size);
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		if (l->sections[i].place == PLACE_CODE)
			l->sections[i].image = l->code + (l->sections[i].address - base);
	}
	return 0;
}

static int place_kept(struct load *l, uint32_t i, struct error *err)
{
	struct placed *p = &l->sections[i];

	p->place = PLACE_KEPT;
	p->address = symbols_find(object_symbol_name(&l->o, p->definition))->address;
	p->image = calloc(1, l->o.sections[i].sh_size);
	return p->image ? 0 : error_set(err, ERROR_MEMORY, "no memory to load a variable");
}

/* A variable of a program gets the place that it had in the earlier run. The image is zero, since a
 * large one has no pages until it is written. */
static int place_again(struct load *l, uint32_t i, struct error *err)
{
	struct placed *p = &l->sections[i];

	p->place = PLACE_KEPT;
	p->address = load_own_find(l, UNIT_PLACE_SECTION, i);
	p->image = calloc(1, l->o.sections[i].sh_size);
	return p->image ? 0 : error_set(err, ERROR_MEMORY, "no memory to load a variable");
}

static int place_data(struct load *l, uint32_t i, struct error *err)
{
	const Elf64_Shdr *s = &l->o.sections[i];
	uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
	struct placed *p = &l->sections[i];

	if (l->again)
		return place_again(l, i, err);
	p->place = PLACE_DATA;
	if (s->sh_size >= LARGE_VARIABLE && !p->direct)
		p->image = allocator_zalloc(s->sh_size);
	else
		p->image = symbols_guarded_data(s->sh_size, align);
	if (!p->image)
		return error_set(err, ERROR_LIMIT,
				 "no room for %lu bytes of variables; use malloc() for large "
				 "arrays, or %%reset",
				 s->sh_size);
	p->address = (uint64_t)(uintptr_t)p->image;
	return load_own_note(l, UNIT_PLACE_SECTION, i, p->address, err);
}

static int place_common(struct load *l, struct error *err)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		const Elf64_Sym *s = &l->o.symbols[i];

		if (s->st_shndx != SHN_COMMON)
			continue;
		if (load_keeps(l, i)) {
			l->common[i] = symbols_find(object_symbol_name(&l->o, i))->address;
			if (!load_waits(l, i))
				memset((void *)l->common[i], 0, s->st_size);
			else if (initials_add(object_symbol_name(&l->o, i), l->common[i], NULL,
					      s->st_size, err))
				return -1;
			continue;
		}
		l->common[i] = (uint64_t)(uintptr_t)symbols_guarded_data(
			s->st_size, s->st_value ? s->st_value : 1);
		if (!l->common[i])
			return error_set(err, ERROR_LIMIT,
					 "no room for the variable '%s'; %%reset starts afresh",
					 object_symbol_name(&l->o, i));
	}
	return 0;
}

static int place_all(struct load *l, uint64_t base, struct error *err)
{
	note_references(l);
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const Elf64_Shdr *s = &l->o.sections[i];

		if (!(s->sh_flags & SHF_ALLOC) || !s->sh_size)
			continue;
		if (s->sh_flags & SHF_TLS)
			continue;
		if (section_kept(l, i) && place_kept(l, i, err))
			return -1;
		if (s->sh_flags & SHF_WRITE && l->sections[i].place == PLACE_NONE &&
		    place_data(l, i, err))
			return -1;
	}
	if (load_tls_place(l, err) || place_common(l, err) || place_code(l, base, err))
		return -1;
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const Elf64_Shdr *s = &l->o.sections[i];

		if (l->sections[i].image && s->sh_type != SHT_NOBITS)
			memcpy(l->sections[i].image, l->o.data + s->sh_offset, s->sh_size);
	}
	return 0;
}

int load_place(struct load *l, struct error *err)
{
	return place_all(l, code_top(), err);
}

int load_place_as(struct load *l, const struct unit_code *same, struct error *err)
{
	return place_all(l, same->start, err);
}

void load_unplace(struct load *l)
{
	for (uint32_t i = 0; i < l->o.n_sections; i++) {
		if (l->sections[i].place == PLACE_KEPT)
			free(l->sections[i].image);
		l->sections[i] = (struct placed){ .size = l->o.sections[i].sh_size };
	}
	memset(l->stubs, 0, l->o.n_symbols * sizeof(*l->stubs));
	memset(l->slots, 0, l->o.n_symbols * sizeof(*l->slots));
	memset(l->descriptors, 0, l->o.n_symbols * sizeof(*l->descriptors));
	free(l->code);
	l->code = NULL;
	l->code_size = l->first_stub = l->stub_at = 0;
	l->code_address = l->eh_frame = l->tls_stub = 0;
	l->differs = false;
}

bool load_only_keeps(struct load *l)
{
	bool all = true;

	note_references(l);
	for (uint32_t i = 1; i < l->o.n_sections && all && !l->unit->program; i++) {
		const Elf64_Shdr *s = &l->o.sections[i];

		if (s->sh_flags & SHF_ALLOC && s->sh_flags & SHF_WRITE && s->sh_size)
			all = !(s->sh_flags & SHF_TLS) && section_kept(l, i);
	}
	/* A variable that is new to the session is new to the unit. */
	for (uint32_t i = 1; i < l->o.n_symbols && all; i++)
		all = !l->symbols[i] || l->symbols[i]->kind != SYMBOL_OBJECT ||
		      l->symbols[i]->address;
	load_unplace(l);
	return all;
}

/* The image of a kept variable is its list's from here on. */
static int put_off(struct load *l, struct placed *p, uint64_t size, struct error *err)
{
	unsigned char *image = p->image;

	p->image = NULL;
	return initials_add(object_symbol_name(&l->o, p->definition), p->address, image, size, err);
}

/* Only pages that change: what a commit copies is what a cell has written to. */
static int store_changes(uint64_t address, const unsigned char *image, uint64_t size, bool in_code,
			 struct error *err)
{
	for (uint64_t at = 0, n; at < size; at += n) {
		n = ARENA_PAGE - (address + at) % ARENA_PAGE;
		n = n < size - at ? n : size - at;
		if (!memcmp((void *)(address + at), image + at, n))
			continue;
		if (!in_code)
			memcpy((void *)(address + at), image + at, n);
		else if (arena_write_code(address + at, image + at, n, err))
			return -1;
	}
	return 0;
}

static int store_kept(struct load *l, uint32_t i, struct error *err)
{
	struct placed *p = &l->sections[i];
	uint64_t size = l->o.sections[i].sh_size;

	if (!(l->o.sections[i].sh_flags & SHF_WRITE))
		return arena_write_code(p->address, p->image, size, err);
	if (load_waits(l, p->definition))
		return put_off(l, p, size, err);
	return store_changes(p->address, p->image, size, false, err);
}

int load_store(struct load *l, struct error *err)
{
	if (l->code && !l->same && arena_write_code(l->code_address, l->code, l->code_size, err))
		return -1;
	if (l->code && l->again && store_changes(l->code_address, l->code, l->code_size, true, err))
		return -1;
	/* Some processors would go on with the instructions that they have seen there. */
	__builtin___clear_cache((char *)l->code_address, (char *)l->code_address + l->code_size);
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		if (l->sections[i].place == PLACE_KEPT && !l->sections[i].left &&
		    store_kept(l, i, err))
			return -1;
	}
	return 0;
}
