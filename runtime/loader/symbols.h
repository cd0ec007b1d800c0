/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the session: what units define and what they take from libraries. The table lies in META
 * and rolls back.
 *
 * Each name has one GOT slot that all units reach it through, so a new definition of the same type
 * reaches earlier callers. A definition of another type gets a slot of its own: earlier units keep
 * what they were compiled for. When the name has the earlier type again, it has the earlier slot
 * and storage again.
 */
#ifndef CGPU_RUNTIME_LOADER_SYMBOLS_H
#define CGPU_RUNTIME_LOADER_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;

enum symbol_kind {
	SYMBOL_FUNCTION,
	SYMBOL_OBJECT,
	SYMBOL_LIBRARY,
	SYMBOL_PROMISED, /* units refer to it, a later cell is to define it */
};

struct symbol {
	const char *name; /* in META, as `type` */
	const char *type; /* C text; "" when the compiler told none */
	uint64_t address;
	uint64_t size;
	uint64_t *got;
	uint32_t cell;
	uint8_t kind; /* enum symbol_kind */
	uint8_t weak;
	uint8_t replaced; /* its name means something else; earlier units still use it */
	uint8_t dropped;  /* as if it were not there for units to come; defined again it has its old
			     place */
	uint64_t layout;  /* of the type, see struct unit_symbol; 0: not known */
	struct symbol *next;  /* in its hash chain */
	struct symbol *older; /* what its name meant before, of another type each */
	uint64_t *users;      /* where the code of units starts that reach it, in META */
	uint32_t n_users;
	uint32_t cap_users;
};

/* A name that a unit is about to define. */
struct definition {
	const char *name;
	const char *type;
	enum symbol_kind kind;
	uint64_t size;
	uint32_t cell;
	bool weak;
	uint64_t layout;
};

/* Address of a library's name, 0 if no library has it. */
typedef uint64_t symbols_library(const char *name);

/* After arena_attach(): make or take over the table; look up library names again, those that are
 * gone are appended to `missing`, a line each. */
int symbols_attach(symbols_library *library, struct buffer *missing, struct error *err);

struct symbol *symbols_find(const char *name);
/*
 * Units to come do not find it. Its storage stays, since pointers and earlier units may reach it,
 * and a definition of the same type takes it over.
 */
void symbols_drop(const char *name);
/* NULL for a dropped one. */
struct symbol *symbols_resolve(const char *name);
/* The name as a library knows it, entered in the table; NULL if there is none. */
struct symbol *symbols_import(const char *name);
/* A name that nobody defines yet: its address faults, and tells which name it stands for. NULL:
 * META or DATA is full. */
struct symbol *symbols_promise(const char *name);
/* The promised name of a faulting address; NULL if it is none. Only reads. */
const struct symbol *symbols_promised_at(uint64_t address);
/* A thread-local variable is known by its control, under this and its name
 * (runtime/loader/thread-local-control.h). */
#define SYMBOLS_THREAD_LOCAL "__emutls_v."

/* True if this definition takes the place of an earlier one: same slot, and for an object the same
 * storage. */
bool symbols_keeps(const struct symbol *s, const struct definition *d);
/* Enter it; its address is set by symbols_place(). NULL: META or DATA is full. */
struct symbol *symbols_define(const struct definition *d);
void symbols_place(struct symbol *s, uint64_t address);

/* The unit whose code starts there reaches the symbol through its slot. 0, -1: META is full. */
int symbols_add_user(struct symbol *s, uint64_t code);

/* A slot that belongs to no name; NULL: DATA is full. */
uint64_t *symbols_anonymous_slot(void);
/* Bytes in DATA, zero; NULL: DATA is full. */
void *symbols_data(size_t size, size_t align);
/* The same for variables: nobody uses the SYMBOLS_GUARD bytes behind it, so that a checked cell
 * finds who runs into them. */
#define SYMBOLS_GUARD 32
void *symbols_guarded_data(size_t size, size_t align);
void symbols_each_guard(void (*fn)(uint64_t at, uint64_t size));

/* The object or function of a unit that holds the address; NULL if none. Takes no lock, only reads.
 */
const struct symbol *symbols_at(uint64_t address);
/* The variable that ends at or, by less than NEAR_VARIABLE bytes, before the address; NULL if none
 * is nearest. Only reads. */
#define NEAR_VARIABLE (16 * 1024 * 1024)
const struct symbol *symbols_before(uint64_t address);
/* The function of a library that units have a name for and that lies at or before the address; NULL
 * if none is near. Only reads. */
const struct symbol *symbols_library_at(uint64_t address);
/* Each variable of a unit that its name still means, in the order of definition. */
void symbols_each_variable(void (*fn)(void *data, const struct symbol *s), void *data);
/* A pointer variable whose value is this address; NULL if none. Only reads. */
const struct symbol *symbols_pointing_to(uint64_t address);

#endif
