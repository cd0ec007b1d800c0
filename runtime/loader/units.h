/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The units that have been loaded, in META: where their code lies, the functions in it, lines,
 * unwind tables.
 */
#ifndef CGPU_RUNTIME_LOADER_UNITS_H
#define CGPU_RUNTIME_LOADER_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct unit_function {
	const char *name;
	uint32_t offset; /* from the code's start */
	uint32_t size;
};

struct unit_code_line {
	uint32_t offset; /* UINT32_MAX: of device code, so that no function has it */
	uint32_t line;
};

/* The kinds of things that a program has without a name in the session (load-own.c). */
enum unit_place_kind {
	UNIT_PLACE_SECTION,
	UNIT_PLACE_SLOT, /* of a symbol, as the two below */
	UNIT_PLACE_TLS_INDEX,
	UNIT_PLACE_TLS_DESCRIPTOR,
};

struct unit_place {
	uint32_t kind;
	uint32_t index; /* in the object */
	uint64_t address;
};

struct unit_code {
	uint64_t start; /* address in CODE */
	uint64_t size;
	uint64_t eh_frame; /* address, 0: none */
	uint64_t run;      /* address of the function that holds the cell's statements, 0: none */
	uint64_t content;  /* hash of what it was made of, 0: it is never shared */
	bool is_program;   /* whose static storage begins anew when it is run again */
	uint64_t owner;    /* the cell of the notebook, as the kernel numbers it; 0: not known */
	uint32_t cell;
	uint32_t n_functions;
	uint32_t n_lines;
	uint32_t n_places;
	struct unit_place *places;       /* in META */
	struct unit_function *functions; /* in META */
	struct unit_code_line *lines;    /* sorted by offset */
	uint32_t same; /* 1 + index of the unit before it in its chain, by content */
};

/* Make the list, or take it over and make the unwinder know all units. */
int units_attach(struct error *err);
/* Takes over the arrays; registers the unwind table. Addresses must grow from call to call. */
int units_add(const struct unit_code *u, struct error *err);
/*
 * Units of this content, the newest first: behind `last`, from the first one for NULL; NULL: no
 * more. Until the next units_add().
 */
const struct unit_code *units_same(uint64_t content, const struct unit_code *last);
/* The unit is what another cell runs, too, or the same cell again: takes over the arrays of u and
 * what it says of the cell. */
void units_renew(const struct unit_code *same, const struct unit_code *u);
/* All units, by address, until the next units_add(). For signal handlers, as the next one. */
const struct unit_code *units_all(uint32_t *ret_n);
/* NULL if the address is in no unit. */
const struct unit_code *units_find(uint64_t address);

#endif
