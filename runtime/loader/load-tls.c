/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native thread-local storage of a unit: its sections form one block, whose initial bytes lie in
 * DATA. A control stands for the block, and one for each variable that others may use, under the
 * name that emulated thread-local storage has for it (runtime/loader/thread-local-control.h). The
 * unit's own code finds a variable by a pair in the GOT, {control, offset}; or by a descriptor,
 * {stub, pair}, whose stub the code calls and which jumps to where this worker has
 * thread_local_resolve().
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "runtime/loader/load-state.h"
#include "runtime/loader/thread-local-control.h"

static bool is_tls_section(const struct load *l, uint32_t i)
{
	const Elf64_Shdr *s = &l->o.sections[i];

	return s->sh_flags & SHF_ALLOC && s->sh_flags & SHF_TLS && s->sh_size;
}

bool load_tls_is(const struct load *l, uint32_t symbol)
{
	return ELF64_ST_TYPE(l->o.symbols[symbol].st_info) == STT_TLS;
}

/* Size and alignment of the block; offsets go to the sections' addresses. */
static size_t lay_out(struct load *l, size_t *ret_align)
{
	size_t at = 0, align = 16;

	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		uint64_t a = l->o.sections[i].sh_addralign;

		if (!is_tls_section(l, i))
			continue;
		a = a ? a : 1;
		align = a > align ? a : align;
		at = (at + a - 1) & ~(a - 1);
		l->sections[i].address = at;
		at += l->o.sections[i].sh_size;
	}
	*ret_align = align;
	return at;
}

int load_tls_place(struct load *l, struct error *err)
{
	size_t align, size = lay_out(l, &align);

	if (!size)
		return 0;
	l->tls = symbols_data(sizeof(*l->tls), 16);
	l->tls_block = symbols_data(size, align);
	if (!l->tls || !l->tls_block)
		return error_set(
			err, ERROR_LIMIT,
			"no room for %zu bytes of thread-local variables; %%reset starts afresh",
			size);
	*l->tls = (struct thread_local_control){ .size = size,
						 .align = align,
						 .initial = l->tls_block };
	for (uint32_t i = 1; i < l->o.n_sections; i++) {
		if (!is_tls_section(l, i))
			continue;
		l->sections[i].place = PLACE_TLS;
		l->sections[i].image = l->tls_block + l->sections[i].address;
		l->sections[i].address = (uint64_t)(uintptr_t)l->sections[i].image;
	}
	return 0;
}

uint64_t load_tls_offset(const struct load *l, uint32_t symbol)
{
	const Elf64_Sym *s = &l->o.symbols[symbol];

	return l->sections[s->st_shndx].address + s->st_value - (uint64_t)(uintptr_t)l->tls_block;
}

int load_tls_publish(struct load *l, struct error *err)
{
	for (uint32_t i = 1; i < l->o.n_symbols; i++) {
		struct symbol *s = l->symbols[i];
		struct thread_local_control *c;

		if (!s || l->joined[i] || object_is_undefined(&l->o, i) || !load_tls_is(l, i))
			continue;
		/* Earlier units may have the address of the control that there was. */
		c = s->address ? (void *)s->address : symbols_data(sizeof(*c), 16);
		if (!c)
			return error_set(err, ERROR_LIMIT,
					 "the session's tables are full; %%reset starts afresh");
		*c = (struct thread_local_control){ .align = THREAD_LOCAL_PART,
						    .object.address = l->tls,
						    .initial = (void *)load_tls_offset(l, i) };
		symbols_place(s, (uint64_t)(uintptr_t)c);
	}
	return 0;
}

static int new_index(struct load *l, uint32_t symbol, struct thread_local_control *control,
		     uint64_t offset, uint64_t *ret, struct error *err)
{
	struct thread_local_index pair = { control, offset };

	return load_own_put(l, UNIT_PLACE_TLS_INDEX, symbol, &pair, sizeof(pair), ret, err);
}

int load_tls_module(struct load *l, uint64_t *ret, struct error *err)
{
	if (!l->tls_module && new_index(l, 0, l->tls, 0, &l->tls_module, err))
		return -1;
	*ret = l->tls_module;
	return 0;
}

int load_tls_index(struct load *l, uint32_t symbol, uint64_t *ret, struct error *err)
{
	/* A variable that has a name is found by it, so that a later definition reaches this unit
	 * too. */
	const struct symbol *s = l->symbols[symbol];
	bool own = !s && !object_is_undefined(&l->o, symbol);
	struct thread_local_control *control = own ? l->tls : (void *)(s ? s->address : 0);

	if (!control)
		return error_set(
			err, ERROR_NOT_FOUND,
			"the thread-local variable '%s' is declared weak and defined nowhere",
			object_symbol_name(&l->o, symbol));
	if (!l->slots[symbol] && new_index(l, symbol, control, own ? load_tls_offset(l, symbol) : 0,
					   &l->slots[symbol], err))
		return -1;
	*ret = l->slots[symbol];
	return 0;
}

static int make_stub(struct load *l, struct error *err)
{
	struct symbol *s = symbols_resolve(THREAD_LOCAL_RESOLVE);

	if (!s)
		s = symbols_import(THREAD_LOCAL_RESOLVE);
	if (!s)
		return error_set(err, ERROR_LIMIT,
				 "the session's tables are full; %%reset starts afresh");
	l->tls_stub = l->code_address + l->stub_at;
	l->arch->descriptor_stub(l->code + l->stub_at, l->tls_stub, (uint64_t)(uintptr_t)s->got);
	l->stub_at += l->arch->stub_size;
	return 0;
}

int load_tls_descriptor(struct load *l, uint32_t symbol, uint64_t *ret, struct error *err)
{
	struct thread_local_descriptor d = { 0 };
	uint64_t index;

	if (!l->code)
		return error_set(err, ERROR_INPUT,
				 "the compiled cell is no valid object: it wants a descriptor of "
				 "'%s' and has no code",
				 object_symbol_name(&l->o, symbol));
	if (!l->descriptors[symbol]) {
		if (load_tls_index(l, symbol, &index, err) || (!l->tls_stub && make_stub(l, err)))
			return -1;
		d = (struct thread_local_descriptor){ l->tls_stub, (void *)index };
		if (load_own_put(l, UNIT_PLACE_TLS_DESCRIPTOR, symbol, &d, sizeof(d),
				 &l->descriptors[symbol], err))
			return -1;
	}
	*ret = l->descriptors[symbol];
	return 0;
}
