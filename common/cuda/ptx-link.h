/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linking of PTX: the texts of several modules become the text of one, as nvlink does with the
 * machine code of objects that were compiled with -rdc=true. Linkage is that of the PTX ISA,
 * "Linking Directives": .extern names are looked for in all modules, of .weak and .common ones the
 * first stays unless there is a .visible one, and what has no directive belongs to its module,
 * under another name where two modules have one of the same name. Places in source files are kept.
 *
 *	struct ptx_link l;
 *
 *	ptx_link_init(&l);
 *	ptx_link_add(&l, "a.ptx", text, len, &err)        once for each module
 *	ptx_link_end(&l, known, &out, &err)
 *	ptx_link_release(&l);
 */
#ifndef CGPU_COMMON_CUDA_PTX_LINK_H
#define CGPU_COMMON_CUDA_PTX_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/text/names.h"

struct buffer;
struct error;
struct ptx_link_module;

struct ptx_link {
	struct names names;               /* of all symbols */
	struct ptx_link_module **modules; /* in the order of ptx_link_add() */
	uint32_t n;
	size_t cap;
};

void ptx_link_init(struct ptx_link *l);
void ptx_link_release(struct ptx_link *l);

/*
 * Adds a module; `name` is for messages, both texts are copied. ERROR_COMPILE with the line of the
 * PTX when its items cannot be recognised; instructions are not parsed.
 */
int ptx_link_add(struct ptx_link *l, const char *name, const char *text, size_t len,
		 struct error *err);

/*
 * Returns the name of a function that a module needs, that no module defines and for which
 * is_meant() is true; NULL: there is none. The text is l's.
 */
const char *ptx_link_missing(const struct ptx_link *l, bool (*is_meant)(const char *name));

/*
 * Tells whether the name is a function of CUDA's device runtime, which device code calls to launch
 * entries, to copy and to make streams (cuda_device_runtime_api.h). The library libcudadevrt.a has
 * them, not the driver of a GPU.
 */
bool ptx_link_is_device_runtime(const char *name);

/*
 * Tells whether this one text needs a function that it does not define and for which is_meant() is
 * true. *ret_name is such a function, cut to size; "": it needs none, or is no PTX.
 */
bool ptx_link_needs(const char *text, size_t len, bool (*is_meant)(const char *name),
		    char *ret_name, size_t size);

/* The same for functions of the device runtime. */
bool ptx_link_needs_device_runtime(const char *text, size_t len, char *ret_name, size_t size);

/*
 * Appends the linked module to *ret. known tells whether the device itself has a function, such as
 * vprintf; NULL: the loader of the module resolves missing functions. ERROR_COMPILE when two
 * modules define the same symbol, or none defines one that is used.
 */
int ptx_link_end(struct ptx_link *l, bool (*known)(const char *name), struct buffer *ret,
		 struct error *err);

#endif
