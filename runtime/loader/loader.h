/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings a unit's object into the arena: code and constants to CODE, variables to DATA, large ones
 * to the heap; names into the session's table (runtime/loader/symbols.h); and remembers of each
 * unit what a crash report needs.
 *
 * Loading changes session memory also when it fails: a failed cell is rolled back by the kernel.
 */
#ifndef CGPU_RUNTIME_LOADER_LOADER_H
#define CGPU_RUNTIME_LOADER_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct error;
struct unit;

typedef void loader_function(void);

#define LOADER_MISSING_MAX 256

struct loaded {
	/* After ERROR_NOT_FOUND: names that the unit lacks, a blank behind each; those that a
	 * package is known for are left out. */
	char missing[LOADER_MISSING_MAX];
	loader_function *run;          /* NULL: the unit has no statement */
	struct loaded_choice *choices; /* to make first; owned */
	size_t n_choices;
	loader_function **constructors; /* of init_array, to run next; owned */
	size_t n_constructors;
	struct loaded_section *sections; /* with variables and constants; owned */
	size_t n_sections;
	bool has_code;     /* of its own or shared */
	uint32_t replaces; /* the cell that had run this very code before, 0: none */
	struct buffer
		notes; /* lines for the user: which earlier code keeps what this unit replaces */
};

/* The place of a section of the object. */
struct loaded_section {
	uint32_t index;
	uint64_t address;
};

/* The address of a function (STT_GNU_IFUNC) is what `choose` returns; it belongs into the slot. */
struct loaded_choice {
	uint64_t (*choose)(void);
	uint64_t *slot;
};

/* The place of an address of machine code. */
struct code_place {
	const char *function; /* "" if unknown; in META */
	uint32_t cell;        /* the last one that ran this code */
	uint32_t offset;      /* from the function's start */
	uint32_t line;        /* in the cell, 0: unknown */
	bool in_statements;   /* of that cell, or of an earlier one with the same code */
};

/* After arena_attach(): take over the units of the session. Library names that are gone go to
 * `missing`. */
int loader_attach(uint64_t (*library)(const char *name), struct buffer *missing, struct error *err);

/*
 * ERROR_NOT_FOUND names all missing symbols. The unit's symbols, once loaded, are found in the
 * session's table. After an error there is nothing to release. owner: see struct unit_code.
 */
int loader_load(const struct unit *u, uint64_t owner, struct loaded *ret, struct error *err);
struct symbol;
struct unit_code;
/* The run of the same program whose place and static storage this one takes; NULL: none. Until the
 * next loader_load(). */
const struct unit_code *loader_earlier_run(const struct unit *u);
/* Variables whose storage the unit will take over when it is loaded. */
int loader_each_kept(const struct unit *u,
		     void (*found)(void *data, uint64_t address, uint64_t size), void *data,
		     struct error *err);

/* A function of the unit that was loaded last, also one that is its own and has no name in the
 * session; 0: it has none. */
uint64_t loader_own_function(const char *name);

/* Accepts a zeroed struct. */
void loaded_release(struct loaded *l);

/* Does code of another cell, which has not been replaced, reach the variable? */
bool loader_has_other_users(const struct symbol *s, const struct unit_code *own);

/* 0: the address is in the code of a unit. Only reads, for signal handlers. */
int loader_describe_code(uint64_t address, struct code_place *ret);

#endif
