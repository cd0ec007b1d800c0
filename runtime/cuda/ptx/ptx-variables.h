/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module variables of a unit's PTX become buffers of session memory. The text is rewritten so that
 * it reaches them by absolute address: later units see the same variable, it survives the worker
 * and rolls back like any buffer, and neither the emulator nor a real driver has to link modules.
 *
 *	struct ptx_variables v;
 *	ptx_variables_init(&v);
 *	ptx_variables_scan(&v, ptx, len, err);           finds definitions and .extern references
 *	for each v.items[i]: set .address                (of a definition its new or kept buffer, of
 *	                                                 an
 *	                                                  extern the one that exists)
 *	ptx_variables_image(&v, i, bytes, err);          initial bytes of a definition
 *	ptx_variables_rewrite(&v, &out, err);            the text to load
 *
 * Left in the module, because their content is known to the driver alone: variables whose initial
 * value holds the address of a function, and those that hold the address of such a variable: the
 * session knows their names (device_code_read()). `.const` variables become `.global`, since
 * constant banks cannot be reached by address; reads through `ld.const` become `ld.global`.
 *
 * PTX ISA: 5.4 (variables, initialisers), 6.4 (operands), 9.7.9 (data movement).
 */
#ifndef CGPU_RUNTIME_CUDA_PTX_PTX_VARIABLES_H
#define CGPU_RUNTIME_CUDA_PTX_PTX_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem-pool.h"

struct buffer;
struct error;

struct ptx_variable {
	const char *name;
	bool is_extern;   /* defined by an earlier unit */
	bool is_constant; /* .const: device code may not write it */
	bool is_managed;
	bool is_visible; /* by name in later units; else private to this unit */
	bool in_module;  /* stays where it is; address is not used */
	bool is_initialised;
	uint64_t size; /* bytes; 0 for an extern array of unknown size */
	uint32_t align;
	uint64_t address; /* set by the caller before image and rewrite */
	/* private: where the text stands */
	uint32_t element;
	size_t begin, end, init_begin, init_end;
};

struct ptx_variables {
	struct ptx_variable *items;
	size_t n;
	/* private */
	const char *text; /* borrowed from scan to rewrite */
	size_t len;
	size_t body; /* where the first function body begins in the text */
	size_t cap;
	struct mem_pool pool;
};

void ptx_variables_init(struct ptx_variables *v);
void ptx_variables_release(struct ptx_variables *v);

/* ptx is borrowed until release. ERROR_INPUT with the line of a variable that cannot be understood.
 */
int ptx_variables_scan(struct ptx_variables *v, const char *ptx, size_t len, struct error *err);
/* Write the v->items[i].size initial bytes; all addresses must be set. */
int ptx_variables_image(const struct ptx_variables *v, size_t i, void *bytes, struct error *err);
/* All addresses must be set. Appends the rewritten text. */
int ptx_variables_rewrite(const struct ptx_variables *v, struct buffer *out, struct error *err);

#endif
