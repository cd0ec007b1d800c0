/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A relocation gets the address of what its symbol means to this unit: a definition of its own, the
 * session's, or a stub or GOT slot that leads there. Images are patched before they are in place.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "runtime/arena/arena.h"
#include "runtime/loader/initials.h"
#include "runtime/loader/load-state.h"

uint64_t load_definition_address(const struct load *l, uint32_t i)
{
	const Elf64_Sym *s = &l->o.symbols[i];

	if (s->st_shndx == SHN_UNDEF)
		return l->symbols[i] ? l->symbols[i]->address : 0;
	if (s->st_shndx == SHN_ABS)
		return s->st_value;
	if (s->st_shndx == SHN_COMMON)
		return l->common[i];
	if (l->chosen[i].stub)
		return l->chosen[i].stub;
	return l->sections[s->st_shndx].address + s->st_value;
}

static uint64_t address_of(const struct load *l, uint32_t i)
{
	uint64_t place = object_is_undefined(&l->o, i)
				 ? load_place_name(l, object_symbol_name(&l->o, i))
				 : 0;

	if (place)
		return place;
	return l->symbols[i] ? l->symbols[i]->address : load_definition_address(l, i);
}

/* A kept variable whose section was placed elsewhere (it shares it with others) keeps its address
 * and takes the bytes of the new initial value once these are patched. */
static bool shares_section(const struct load *l, uint32_t i)
{
	const struct symbol *s = l->symbols[i];

	return s && s->kind == SYMBOL_OBJECT && !l->joined[i] && !load_tls_is(l, i) && s->address &&
	       s->address != load_definition_address(l, i);
}

static void publish(struct load *l)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		struct symbol *s = l->symbols[i];

		if (!s || object_is_undefined(&l->o, i) || load_tls_is(l, i))
			continue;
		if (s->kind == SYMBOL_FUNCTION || !s->address)
			symbols_place(s, load_definition_address(l, i));
	}
}

/* A unit's image is not there yet, so the functions that choose are called later (struct loaded).
 */
int load_make_chosen(struct load *l, struct error *err)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		struct chosen *c = &l->chosen[i];

		if (!load_is_chosen(l, i))
			continue;
		c->slot = symbols_anonymous_slot();
		if (!c->slot)
			return error_set(
				err, ERROR_LIMIT,
				"the session's table of addresses is full; %%reset starts afresh");
		c->stub = l->code_address + l->stub_at;
		l->arch->stub(l->code + l->stub_at, c->stub, (uint64_t)(uintptr_t)c->slot);
		l->stub_at += l->arch->stub_size;
	}
	return 0;
}

static int slot_of(struct load *l, uint32_t i, uint64_t *ret, struct error *err)
{
	uint64_t address;

	if (l->symbols[i]) {
		*ret = (uint64_t)(uintptr_t)l->symbols[i]->got;
		return 0;
	}
	address = address_of(l, i);
	if (!l->slots[i] &&
	    load_own_put(l, UNIT_PLACE_SLOT, i, &address, sizeof(address), &l->slots[i], err))
		return -1;
	*ret = l->slots[i];
	return 0;
}

static uint64_t stub_of(struct load *l, uint32_t i)
{
	if (!l->stubs[i]) {
		l->stubs[i] = l->code_address + l->stub_at;
		l->arch->stub(l->code + l->stub_at, l->stubs[i],
			      (uint64_t)(uintptr_t)l->symbols[i]->got);
		l->stub_at += l->arch->stub_size;
	}
	return l->stubs[i];
}

/* A plain reference of non-PIC code to a library's function: reachable only through a stub. */
static bool far_function(const struct load *l, uint32_t i, uint32_t type)
{
	return type == R_X86_64_PC32 && l->arch->machine == EM_X86_64 && l->symbols[i] &&
	       l->symbols[i]->kind == SYMBOL_LIBRARY &&
	       ELF64_ST_TYPE(l->o.symbols[i].st_info) == STT_FUNC;
}

static int relocate_one(struct load *l, const struct placed *target, const Elf64_Rela *rela,
			struct error *err)
{
	uint32_t i = ELF64_R_SYM(rela->r_info), type = ELF64_R_TYPE(rela->r_info);
	struct relocation r = {
		.type = type,
		.at = target->image + rela->r_offset,
		.place = target->address + rela->r_offset,
		.addend = rela->r_addend,
		.got_base = arena_start(ARENA_DATA),
		.name = object_symbol_name(&l->o, i),
		.size = l->o.symbols[i].st_size,
	};

	if (rela->r_offset + l->arch->width(type) > target->size)
		return error_set(err, ERROR_INPUT,
				 "the compiled cell is no valid object: a relocation of '%s' lies "
				 "outside of its section",
				 r.name);
	r.symbol = address_of(l, i);
	switch (l->arch->need(type)) {
	case RELOCATION_GOT:
		if (slot_of(l, i, &r.got, err))
			return -1;
		break;
	case RELOCATION_CALL:
		if (l->symbols[i])
			r.symbol = stub_of(l, i);
		break;
	case RELOCATION_PLAIN:
		if (far_function(l, i, type))
			r.symbol = stub_of(l, i);
		break;
	case RELOCATION_TLS_INDEX:
		if (load_tls_index(l, i, &r.got, err))
			return -1;
		break;
	case RELOCATION_TLS_DESCRIPTOR:
		if (load_tls_descriptor(l, i, &r.got, err))
			return -1;
		break;
	case RELOCATION_TLS_MODULE:
		if (load_tls_module(l, &r.got, err))
			return -1;
		break;
	case RELOCATION_TLS_OFFSET:
		r.symbol = load_tls_offset(l, i);
		break;
	case RELOCATION_TLS:
		return error_set(err, ERROR_UNSUPPORTED,
				 "'%s' is thread-local, and the object wants it at a fixed "
				 "distance from the thread pointer; compile the object with -fPIC "
				 "-ftls-model=global-dynamic and without attributes tls_model, or "
				 "with -femulated-tls",
				 r.name);
	case RELOCATION_UNKNOWN:
		return error_set(err, ERROR_UNSUPPORTED, "relocation type %u of '%s' is not known",
				 type, r.name);
	}
	return l->arch->apply(&r, err);
}

static int relocate_all(struct load *l, struct error *err)
{
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		const struct placed *target;
		const Elf64_Rela *r;
		size_t n;

		if (l->o.sections[i].sh_type != SHT_RELA)
			continue;
		target = &l->sections[l->o.sections[i].sh_info];
		if (!target->image)
			continue;
		r = object_relocations(&l->o, i, &n);
		for (size_t k = 0; k < n; k++) {
			if (relocate_one(l, target, &r[k], err))
				return -1;
		}
	}
	return 0;
}

/* The section's image stays in DATA, but its bytes are patched once only. */
static int put_off_shared(const struct load *l, uint32_t i, const unsigned char *image,
			  struct error *err)
{
	uint64_t size = l->o.symbols[i].st_size;
	unsigned char *copy = malloc(size + 1);

	if (!copy)
		return error_set(err, ERROR_MEMORY, "no memory to load a variable");
	memcpy(copy, image, size);
	return initials_add(object_symbol_name(&l->o, i), l->symbols[i]->address, copy, size, err);
}

/* New initial values for kept variables that share a section. */
int load_store_shared(struct load *l, struct error *err)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		const Elf64_Sym *s = &l->o.symbols[i];
		const struct placed *p =
			s->st_shndx < l->o.n_sections ? &l->sections[s->st_shndx] : NULL;

		if (object_is_undefined(&l->o, i) || !p || !p->image || !shares_section(l, i))
			continue;
		if (!(l->o.sections[s->st_shndx].sh_flags & SHF_WRITE)) {
			if (arena_write_code(l->symbols[i]->address, p->image + s->st_value,
					     s->st_size, err))
				return -1;
		} else if (!load_waits(l, i)) {
			memcpy((void *)l->symbols[i]->address, p->image + s->st_value, s->st_size);
		} else if (put_off_shared(l, i, p->image + s->st_value, err)) {
			return -1;
		}
	}
	return 0;
}

int load_relocate(struct load *l, struct error *err)
{
	publish(l);
	return relocate_all(l, err);
}
