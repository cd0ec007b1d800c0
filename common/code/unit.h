/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit: one compiled cell, which the compiler passes to the kernel and the kernel to the worker.
 * The kernel keeps the declarations, symbols and lines once the cell is committed; the worker loads
 * the object and the device code and runs run_symbol.
 *
 * A decoded struct unit borrows all texts and bytes from the encoded form; only its arrays are its
 * own.
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

/* The kind of a declaration. (namespace, name) is the key under which a later one replaces it. */
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
	uint32_t cell;    /* execution count of the cell that made it */
	uint32_t line;    /* its first line there */
	const char *name; /* "" for an include, which is keyed by its text */
	/* C text for later cells: prototype, extern, definition of a type, directive; may be "". */
	const char *host;
	/* CUDA C++ text for later device code; "" when device code must not see it. */
	const char *device;
	/* For a reader: the text of the cell, with the comment right above; NULL or "": not
	 * known. */
	const char *written;
};

/* A new declaration at one index of the session's list. */
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
	uint32_t line;         /* line in the cell */
	/* A hash of the layout: the same for the same type with the same members, also through
	 * pointers; 0: not known. */
	uint64_t layout;
	/* An existing variable keeps its value until the cell reaches the definition. */
	bool initialised_by_cell;
};

/* The function of a row that tells a line of device code, of which the host has no instruction:
 * common/cuda/device-stop.h says who stops there. */
#define UNIT_LINE_OF_DEVICE "(device)"

/* A row of the line table of the unit's machine code, sorted by (section-relative) offset in
 * `text_symbol` order. */
struct unit_line {
	const char *function;
	uint32_t offset; /* from the start of the function `function` in bytes */
	uint32_t line;   /* in the cell; 0: not from the cell's text */
};

/* A CUDA kernel, a `__global__` function. */
struct unit_kernel {
	const char *name;     /* C name; for C++ the mangled name */
	const char *ptx_name; /* mangled name in the PTX */
	uint32_t line;
	const char *stub; /* symbol of the host stub in the object; NULL: the name */
};

/*
 * A bit in st_other of an ELF symbol. It marks, among the weak variables that C++ units share
 * (inline variables, static variables of inline functions and of templates), one that the cell's
 * own text defines. The unit initialises it anew; others are merged with the existing one.
 */
#define UNIT_OWN_VARIABLE 0x40

/*
 * A bit in st_other of an undefined ELF symbol: the unit means the function of a library, even if
 * the session has one of the name. Clang itself generates calls of strlen(), memcpy() and others
 * that are not in the cell's text.
 */
#define UNIT_CALLS_LIBRARY 0x20

/* The prefix of a symbol that means the function of a library, even if the session has one of the
 * name. */
#define UNIT_OF_LIBRARY "cgpu_library_"

/* The prefix of a second symbol of a function, by which other units call it. */
#define UNIT_INSTANCE "cgpu_instance_"

/*
 * Tells whether a function of this name contains code at file scope of a cell: its statements, or
 * the initialisers of its variables. The former are named UNIT_STATEMENTS with a number, clang
 * names the latter.
 */
#define UNIT_STATEMENTS "cgpu_cell_"
bool unit_holds_statements(const char *function);

/* Returns the text for a reader, never NULL. */
static inline const char *declaration_written(const struct declaration *d)
{
	return d->written ? d->written : "";
}

struct unit {
	uint32_t cell;          /* execution count */
	const char *cell_name;  /* "In[3]", as in diagnostics and line tables */
	const char *run_symbol; /* void run(void); "" if the cell has no statement */
	/* The C type of the displayed last expression; "" if there is none. */
	const char *display_type;
	/* The type code of that; its bytes come from the worker as a display record. */
	const char *display_type_code;
	const void *object; /* ELF relocatable, may be empty */
	size_t object_len;
	const char *ptx; /* device code, not NUL-terminated; may be empty */
	size_t ptx_len;
	/* A hash of a program, the same in whichever cell it is; 0: the unit is no program, or it
	 * is not known. */
	uint64_t program;
	/* Diagnostics that did not stop the compilation, with lines of the cell; "" for none. */
	const char *warnings;

	struct declaration *declarations;
	size_t n_declarations;
	/* Names of C++ declarations of earlier cells that use what this unit declares anew, so that
	 * they move behind it. */
	const char **behind;
	size_t n_behind;
	struct unit_symbol *symbols;
	size_t n_symbols;
	struct unit_line *lines;
	size_t n_lines;
	struct unit_kernel *kernels;
	size_t n_kernels;
};

void unit_encode(const struct unit *u, struct buffer *out);
/* Decodes a unit; data must outlive it. Release with unit_release(). */
int unit_decode(const void *data, size_t len, struct unit *ret, struct error *err);
void unit_release(struct unit *u);
/* Makes room for so many more declarations, in the pool: the array moves there, its texts stay. -1:
 * ERROR_MEMORY. */
int unit_make_room(struct unit *u, size_t more, struct mem_pool *pool, struct error *err);

void declaration_encode(const struct declaration *d, struct buffer *out);
struct record;
struct declaration declaration_decode(struct record *r);

/* Returns the namespace of a kind: "ordinary", "tag", "macro", "include". Two kinds of one
 * namespace replace each other under the same name. */
const char *declaration_space(enum declaration_kind kind);
const char *declaration_kind_name(enum declaration_kind kind);
/* Tells whether cells can name this kind; otherwise the session uses it internally. */
bool declaration_has_name(enum declaration_kind kind);

#ifdef __cplusplus
}
#endif

#endif
