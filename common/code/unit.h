/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit: one compiled cell, as the compiler hands it to the kernel and the kernel to the worker.
 * The kernel keeps the declarations, symbols and lines once the cell is committed; the worker loads
 * the object and the device code and runs run_symbol.
 *
 * A struct unit that was decoded borrows all texts and bytes from the encoded form; only its arrays
 * are its own.
 */
#ifndef CGPU_COMMON_CODE_UNIT_H
#define CGPU_COMMON_CODE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct buffer;
struct error;
struct mem_pool;

/* What a declaration declares. (namespace, name) is the key under which a later one replaces it. */
enum declaration_kind {
#define DECLARATION(symbol, space, name) DECLARATION_##symbol,
#include "common/code/declarations.def"
#undef DECLARATION
	DECLARATION_KINDS
};

/*
 * One accepted declaration. Each cell's translation unit starts with the host texts of all accepted
 * declarations in order; device code starts with the device texts of those that it needs.
 */
struct declaration {
	enum declaration_kind kind;
	uint32_t cell;      /* execution count of the cell that made it */
	uint32_t line;      /* its first line there */
	const char *name;   /* "" for an include, which is keyed by its text */
	const char *host;   /* C text for later cells: prototype, extern, definition of a type,
			       directive; may be "" */
	const char *device; /* CUDA C++ text for later device code; "" when device code must not see
			       it */
};

/* The declaration at one index of the session's list. */
struct declaration_change {
	uint32_t index;
	struct declaration d;
};

/* A variable or function that the unit's object defines. */
struct unit_symbol {
	const char *name;
	bool is_function;
	uint64_t size;         /* bytes of a variable */
	const char *type;      /* as C text: "double [16]", "int (float)" */
	const char *type_code; /* common/code/type-code.h; "" for functions */
	uint32_t line;         /* where in the cell */
	uint64_t layout; /* the same for the same type with the same members, through pointers too;
			    0: not known */
	bool in_turn;    /* a variable that is there already keeps its value until the cell comes to
			    its definition */
};

/* Row of the line table of the unit's machine code, sorted by (section-relative) offset in
 * `text_symbol` order. */
struct unit_line {
	const char *function;
	uint32_t offset; /* from the start of the function `function` in bytes */
	uint32_t line;   /* in the cell; 0: not from the cell's text */
};

/* A CUDA entry (`__global__` function). */
struct unit_entry {
	const char *name;     /* C name; of C++ code the mangled one */
	const char *ptx_name; /* mangled name in the PTX */
	uint32_t line;
	const char *stub; /* symbol of the host's stub in the object; NULL: the name */
};

/*
 * In st_other of an ELF symbol: of the weak variables that C++ units share (inline variables,
 * static variables of inline functions and of templates) one that the cell's own text defines. The
 * unit starts it anew; others join the one there is.
 */
#define UNIT_OWN_VARIABLE 0x40

/*
 * In st_other of an ELF symbol that is not defined: the unit means the function of a library,
 * whatever the session has by the name. Clang itself calls strlen(), memcpy() and others, where a
 * cell's text has no word of them.
 */
#define UNIT_CALLS_LIBRARY 0x20

/* A symbol with this in front of its name is that of a library, whatever the session has by the
 * name. */
#define UNIT_OF_LIBRARY "cgpu_library_"

/* A symbol with this in front is a second one of a function, by which other units call it. */
#define UNIT_INSTANCE "cgpu_instance_"

/*
 * Does a function of this name hold what stands at file scope of a cell: its statements, or the
 * initialisers of its variables? The first are called UNIT_STATEMENTS with a number, clang has
 * names of its own for the others.
 */
#define UNIT_STATEMENTS "cgpu_cell_"
bool unit_holds_statements(const char *function);

struct unit {
	uint32_t cell;            /* execution count */
	const char *cell_name;    /* "In[3]", as it stands in diagnostics and line tables */
	const char *run_symbol;   /* void run(void); "" if the cell has no statement */
	const char *display_type; /* C type text of the displayed last expression; "" if there is
				     none */
	const char *display_type_code; /* its type code: its bytes come from the worker as a display
					  record */
	const void *object;            /* ELF relocatable, may be empty */
	size_t object_len;
	const char *ptx; /* device code, not NUL-terminated; may be empty */
	size_t ptx_len;
	uint64_t program; /* the same for one program whichever cell it stands in; 0: the unit is
			     none, or not known */
	const char *warnings; /* diagnostics that did not stop the compilation, in cell lines; ""
				 for none */

	struct declaration *declarations;
	size_t n_declarations;
	/* Names of C++ declarations of earlier cells that use what this unit declares anew: they
	 * come behind it from now on. */
	const char **behind;
	size_t n_behind;
	struct unit_symbol *symbols;
	size_t n_symbols;
	struct unit_line *lines;
	size_t n_lines;
	struct unit_entry *entries;
	size_t n_entries;
};

void unit_encode(const struct unit *u, struct buffer *out);
/* data must outlive the unit. Release with unit_release(). */
int unit_decode(const void *data, size_t len, struct unit *ret, struct error *err);
void unit_release(struct unit *u);
/* Room for so many more declarations, in the pool: the array moves there, its texts stay. -1:
 * ERROR_MEMORY. */
int unit_make_room(struct unit *u, size_t more, struct mem_pool *pool, struct error *err);

void declaration_encode(const struct declaration *d, struct buffer *out);
struct record;
struct declaration declaration_decode(struct record *r);

/* Two kinds of one namespace replace each other under the same name: "ordinary", "tag", "macro",
 * "include". */
const char *declaration_space(enum declaration_kind kind);
const char *declaration_kind_name(enum declaration_kind kind);
/* Is it of a kind that cells name, and not one that the session keeps for itself? */
bool declaration_has_name(enum declaration_kind kind);

#ifdef __cplusplus
}
#endif

#endif
