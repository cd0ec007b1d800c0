/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PTX of an entry tells where it may write: addresses that stores, atomics and copies to global
 * memory are made from. A base is 8 bytes of a parameter, or an address in the text. A write goes
 * somewhere into the buffers that the bases of one of its sets point into; where nothing is known
 * of one write, `all` is set, and the sets are those of other writes.
 *
 *	struct ptx_writes w;
 *	if (ptx_writes_read(&w, text, len, "saxpy", &err)) ...
 *	ptx_writes_release(&w);
 *
 * It holds for code that stays in the buffers it has pointers to. What leaves them is no matter of
 * text.
 */
#ifndef CGPU_RUNTIME_CUDA_PTX_PTX_WRITES_H
#define CGPU_RUNTIME_CUDA_PTX_PTX_WRITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define PTX_WRITES_ADDRESS UINT32_MAX

struct ptx_writes_base {
	uint32_t parameter; /* index, or PTX_WRITES_ADDRESS */
	uint64_t value;     /* offset in the parameter, or the address */
};

struct ptx_writes_set {
	uint32_t first, n; /* of bases */
	bool own; /* it may be memory of the thread or the cta, too: no base need be an address */
	bool atomic; /* the writes are those of atomic operations */
};

struct ptx_writes {
	bool all;
	const char *why; /* of all; static text */
	uint32_t n_sets, n_bases;
	struct ptx_writes_set *sets;
	struct ptx_writes_base *bases;
	uint32_t n_parameters;
	uint32_t *sizes; /* bytes of each parameter */
};

/*
 * The writes of the entry of this name in the module; text as it is loaded, with addresses where
 * ptx_variables_rewrite() has put them. An entry that is not there, or text that is not understood,
 * is `all`. -1: out of memory.
 */
int ptx_writes_read(struct ptx_writes *w, const char *text, size_t len, const char *entry,
		    struct error *err);
void ptx_writes_release(struct ptx_writes *w);

/* The value of a base in a launch with these arguments. */
uint64_t ptx_writes_value(const struct ptx_writes *w, const struct ptx_writes_base *b, void **args);

#endif
