/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PTX module: what a cuModuleLoad text holds. Loading parses everything and reports errors with
 * the PTX line; a function is decoded for the machine the first time it is launched. The module
 * knows no device memory: the driver gives each module variable its place through struct
 * ptx_placer, and the module writes the initial bytes there.
 *
 * Steps of a caller:
 *	1. m = ptx_module_load(text, len, &machine_ptx, &err)
 *	2. ptx_module_place(m, &placer, &err)      every .global and .const variable gets an address
 *	3. f = ptx_module_function(m, "saxpy")     a function by its PTX (mangled) name
 *	4. ptx_function_prepare(f, &err)           optional: decodes, fills `registers`,
 *	                                           `local_size` (emulator/decode/ptx-function.h)
 *	5. machine_launch() with f                 emulator/warp/machine.h
 *	6. ptx_module_free(m)                      no launch of it may be running
 *
 * A loaded module is read-only but for placing and preparing, which take the module's own lock.
 */
#ifndef CGPU_EMULATOR_PTX_MODULE_H
#define CGPU_EMULATOR_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct op_handlers;
struct ptx_module;
struct ptx_body;
struct ptx_program;

enum ptx_space {
	PTX_SPACE_NONE,
	PTX_SPACE_GENERIC,
	PTX_SPACE_GLOBAL,
	PTX_SPACE_CONST,
	PTX_SPACE_SHARED,
	PTX_SPACE_LOCAL,
	PTX_SPACE_PARAM,
};

struct ptx_param {
	const char *name;
	uint32_t offset; /* in the packed parameter bytes, as CUDA lays them out */
	uint32_t size;
	uint32_t align;
};

/* The address of `symbol` plus `addend` is stored at `offset` of a variable's bytes. */
struct ptx_relocation {
	const char *symbol;
	int64_t addend;
	uint64_t offset;
	uint32_t size; /* 4 or 8 */
};

struct ptx_variable {
	const char *name;
	enum ptx_space space;
	uint64_t size; /* 0 for `extern .shared x[]`: the launch says */
	uint32_t align;
	bool is_extern;            /* declared here, defined elsewhere */
	bool managed;              /* .attribute(.managed) */
	bool visible;              /* .visible or .weak: other modules may see it */
	const unsigned char *init; /* init_size bytes; the rest of the variable is zero */
	uint64_t init_size;
	const struct ptx_relocation *relocations;
	size_t relocation_count;
	uint64_t address; /* device address; 0 until placed. Shared: offset in the block's shared
			     memory */
	uint32_t index;   /* shared: its number in the layout */
};

/* One array of a block's shared memory. */
struct ptx_shared_array {
	const char *name;
	uint32_t offset, size;
};

struct ptx_function {
	const char *name;
	bool is_kernel;
	bool has_body; /* false: an .extern declaration (vprintf, malloc, or another module's) */
	const struct ptx_param *params;
	size_t param_count;
	uint32_t param_size;    /* bytes of all parameters */
	uint32_t static_shared; /* bytes of .shared variables that the kernel can reach, as a
				   program counts them */
	uint32_t shared_bytes; /* the same as the machine lays them out, with red zones between them
				*/
	const struct ptx_shared_array *shared_arrays; /* by offset */
	uint32_t shared_array_count;
	const char *dynamic_shared;   /* an extern .shared array that it uses, NULL: none */
	uint32_t max_threads[3];      /* .maxntid, 0 when absent */
	uint32_t required_threads[3]; /* .reqntid, 0 when absent */
	uint32_t min_blocks;          /* .minnctapersm, 0 when absent */
	/* Known after ptx_function_prepare(). */
	uint32_t
		registers; /* 32-bit registers a lane, as the machine allocates them, at most 255 */
	uint32_t local_size;   /* bytes of local memory a lane, calls not counted */
	uint64_t code_address; /* what a function pointer to it holds; kernels have one, but cannot
				  be called by it */
	struct ptx_module *module;
	uint32_t index;        /* in its module */
	struct ptx_body *body; /* syntax and decoded form; private to emulator/ptx */
};

/* The machine that runs the functions of a module, as far as decoding needs it. */
struct ptx_machine {
	/* Handlers by operation number (ptx-program.h), the same at each call. */
	const struct op_handlers *(*handlers)(void);
	/* The program goes away; no launch runs in it. */
	void (*forget)(struct ptx_program *p);
};

struct ptx_placer {
	void *data;
	/*
	 * Give v a device address. *ret_bytes is where its v->size bytes can be written by the
	 * host, or NULL to leave the bytes as they are (a variable that outlived its worker). Bytes
	 * need not be zeroed.
	 */
	int (*place)(void *data, const struct ptx_variable *v, uint64_t *ret_address,
		     void **ret_bytes, struct error *err);
	/* Address of an .extern variable or function that another module defines; false when
	 * unknown. May be NULL. */
	bool (*resolve)(void *data, const char *name, uint64_t *ret_address);
};

/* text need not be NUL-terminated and is not kept; machine outlives the module. NULL and
 * ERROR_COMPILE with "PTX line N: ..." when malformed. */
struct ptx_module *ptx_module_load(const char *text, size_t len, const struct ptx_machine *machine,
				   struct error *err);
void ptx_module_free(struct ptx_module *m);
/*
 * For tests and measurements: decode each function as it is written, without taking operations
 * together. Before the first function is prepared.
 */
void ptx_module_keep_plain(struct ptx_module *m);

/*
 * Place every .global and .const variable, then write initial bytes and the addresses in them. An
 * .extern variable that `resolve` does not know is ERROR_NOT_FOUND naming it.
 */
int ptx_module_place(struct ptx_module *m, const struct ptx_placer *p, struct error *err);

size_t ptx_module_function_count(const struct ptx_module *m);
struct ptx_function *ptx_module_function_at(struct ptx_module *m, size_t i);
/* NULL when absent. Kernels and device functions. */
struct ptx_function *ptx_module_function(struct ptx_module *m, const char *name);

size_t ptx_module_variable_count(const struct ptx_module *m);
const struct ptx_variable *ptx_module_variable_at(const struct ptx_module *m, size_t i);
const struct ptx_variable *ptx_module_variable(const struct ptx_module *m, const char *name);

/* "9.0" -> 90, "sm_75" -> 75. */
unsigned ptx_module_version(const struct ptx_module *m);
unsigned ptx_module_target(const struct ptx_module *m);

#endif
