/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit on its way into the arena: what is decided before anything is patched. load-link.c says
 * what each name means, load-place.c where each section goes, load-relocate.c patches, load-tls.c
 * does both for thread-local variables.
 */
#ifndef CGPU_RUNTIME_LOADER_LOAD_STATE_H
#define CGPU_RUNTIME_LOADER_LOAD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "runtime/loader/loader.h"
#include "runtime/loader/object.h"
#include "runtime/loader/relocate.h"
#include "runtime/loader/symbols.h"
#include "runtime/loader/units.h"

struct error;
struct thread_local_control;
struct unit;
struct unit_symbol;

enum section_place {
	PLACE_NONE, /* not loaded */
	PLACE_CODE, /* in the code image */
	PLACE_DATA, /* patched where it will stay */
	PLACE_TLS,  /* the initial bytes of thread-local variables; patched in place */
	PLACE_KEPT, /* the storage of an earlier definition, or run of the program; patched in a
		       copy */
};

struct placed {
	enum section_place place;
	uint64_t address;
	unsigned char *image; /* bytes to patch; NULL for PLACE_NONE */
	uint64_t size;
	uint32_t n_definitions; /* global symbols defined in it */
	uint32_t definition;    /* the last of them */
	bool left;              /* what is there stays as it is */
	bool direct;            /* referred to other than through a GOT slot or a 64-bit field */
};

/* A function that is chosen at load: its stub jumps to where the slot points. */
struct chosen {
	uint64_t stub; /* 0: an ordinary symbol */
	uint64_t *slot;
};

struct load {
	const struct unit *unit;
	const struct relocate_arch *arch;
	struct object o;
	struct placed *sections; /* n_sections */
	struct symbol *
		*symbols; /* n_symbols: the session's symbol of a global one; NULL for locals */
	uint64_t *common; /* n_symbols: address of a COMMON symbol */
	uint64_t *slots;  /* n_symbols: GOT slot of a symbol without a name in the session */
	uint64_t *stubs;  /* n_symbols: address of the stub */
	struct chosen *chosen; /* n_symbols */
	/* n_symbols: the unit's own word about a symbol, NULL for none */
	const struct unit_symbol **unit_symbols;
	bool *joined; /* n_symbols: a shared variable that is there; what the unit brings for it is
			 not used */
	struct symbol **replaced; /* n_symbols: what had the name with another type; NULL mostly */
	unsigned char *code;      /* image of all that goes to CODE */
	size_t code_size;         /* a multiple of the page */
	uint64_t code_address;
	size_t first_stub; /* offset in the image */
	size_t stub_at;    /* of the next one */
	uint64_t eh_frame;
	struct thread_local_control *tls; /* of the unit's own block; NULL: it has none */
	unsigned char *tls_block;         /* its initial bytes */
	uint64_t tls_module;              /* address of the pair for the block, 0: none yet */
	uint64_t tls_stub;                /* what descriptors call, 0: none yet */
	uint64_t *descriptors; /* n_symbols: address of the descriptor of a thread-local variable */
	uint64_t content;      /* hash for units_same(), 0: the code is not to be shared */
	const struct unit_code *same;  /* whose code this unit uses; NULL: it has its own */
	const struct unit_code *again; /* the run of the program whose places are tried; NULL: the
					  unit gets its own */
	bool differs;                  /* they do not suit */
	uint32_t next_place;           /* of them, where the next one probably is */
	struct unit_place *places;     /* of a program, in META */
	uint32_t n_places, cap_places;
	char missing[LOADER_MISSING_MAX];
	struct buffer name; /* load_symbol_name() */
};

/* load-link.c: finds what the unit says about each symbol of its object. -1: ERROR_MEMORY. */
int load_find_unit_symbols(struct load *l, struct error *err);
/* load-link.c: the symbol's name in the session; until the next call. */
const char *load_symbol_name(struct load *l, uint32_t symbol);
/* Enter what the unit defines, find what it needs. */
int load_link(struct load *l, struct error *err);
/* True if this symbol's definition takes over the storage of an earlier variable. */
bool load_keeps(struct load *l, uint32_t symbol);
/* True if a variable that is kept gets its initial value when the unit's statements come to it. */
bool load_waits(const struct load *l, uint32_t symbol);

/* A name that stands for a place of this unit, where that is; 0: it is none. */
uint64_t load_place_name(const struct load *l, const char *name);

/* A function (STT_GNU_IFUNC) whose address another one of the unit returns: it is reached through a
 * stub. */
bool load_is_chosen(const struct load *l, uint32_t symbol);

/* load-place.c: give each section its address and image. */
int load_place(struct load *l, struct error *err);
/* As if the unit's code were that of this one, which is there already. */
int load_place_as(struct load *l, const struct unit_code *same, struct error *err);
/* Forget all places. */
void load_unplace(struct load *l);
/* All that the unit writes to are variables that there are already. */
bool load_only_keeps(struct load *l);
/* load-own.c: where the earlier run has it; 0: nowhere, and it differs. */
uint64_t load_own_find(struct load *l, enum unit_place_kind kind, uint32_t index);
int load_own_note(struct load *l, enum unit_place_kind kind, uint32_t index, uint64_t address,
		  struct error *err);
/* Bytes in DATA that stay as they are: an address (8), or what thread-local variables are found by.
 */
int load_own_put(struct load *l, enum unit_place_kind kind, uint32_t index, const void *bytes,
		 size_t size, uint64_t *ret, struct error *err);
/* load-relocate.c: where the unit's own definition lies; for an undefined one, what the session
 * knows. */
uint64_t load_definition_address(const struct load *l, uint32_t symbol);
/* A stub over a slot for each function that is chosen at load. */
int load_make_chosen(struct load *l, struct error *err);
/* Addresses to GOT slots, and the images patched. */
int load_relocate(struct load *l, struct error *err);
/* New initial values for kept variables that share a section, once the images are patched. */
int load_store_shared(struct load *l, struct error *err);
/* load-same.c: find the unit whose code this one can use; then places and images are as after
 * load_relocate(). */
int load_find_same(struct load *l, struct error *err);
/* Copy the images to where they belong. */
int load_store(struct load *l, struct error *err);

/* load-users.c: enter the unit with what it reaches. Once it is placed. */
int load_users_note(const struct load *l, struct error *err);
/* Lines about earlier units that keep what the unit's definitions have replaced. */
void load_users_report(const struct load *l, struct buffer *notes);

/* load-tls.c */
bool load_tls_is(const struct load *l, uint32_t symbol);
int load_tls_place(struct load *l, struct error *err);
/* The offset of an own variable in the unit's block. */
uint64_t load_tls_offset(const struct load *l, uint32_t symbol);
/* Tell the session the unit's variables. */
int load_tls_publish(struct load *l, struct error *err);
/* Address of the pair for a variable, and for the unit's block; and of the variable's descriptor.
 */
int load_tls_index(struct load *l, uint32_t symbol, uint64_t *ret, struct error *err);
int load_tls_module(struct load *l, uint64_t *ret, struct error *err);
int load_tls_descriptor(struct load *l, uint32_t symbol, uint64_t *ret, struct error *err);

#endif
