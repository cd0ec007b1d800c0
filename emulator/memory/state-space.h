/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State spaces (PTX ISA chapter 5): the bytes that an address stands for, and what a fault says
 * about it.
 */
#ifndef CGPU_EMULATOR_STATE_SPACE_H
#define CGPU_EMULATOR_STATE_SPACE_H

#include "emulator/warp/warp.h"

struct memory_access {
	enum ptx_space space;
	enum gpu_access kind;
	uint32_t size;  /* bytes a lane, vectors as a whole */
	uint32_t align; /* of the whole vector */
};

/*
 * Find the bytes of each active lane. Fills the operation's cache when one buffer holds all.
 * False: the warp has faulted, and the first lane with a bad address is named.
 */
bool state_space_resolve(struct warp *w, const struct op *o, const uint64_t *address,
			 struct memory_access access, uint8_t **ret);
/* A NUL-terminated or sized piece of memory as device code sees it, for printf and assert; NULL
 * when invalid. */
const char *state_space_text(struct warp *w, int lane, uint64_t address, size_t *ret_len);
uint8_t *state_space_bytes(struct warp *w, int lane, uint64_t address, uint64_t size);
/*
 * The place of the bytes of one lane, for those who look on: NULL when the access would fault.
 * `wanted` is the space that the instruction names. For shared and local memory *address becomes
 * the offset in its window.
 */
uint8_t *state_space_peek(struct warp *w, uint32_t lane, uint64_t *address, uint32_t size,
			  enum gpu_access kind, enum ptx_space wanted, enum ptx_space *ret_space);
/* The shadow of the word that holds the address; NULL: it has none. A space that is not a window
 * means a device address. */
uint8_t *state_space_shadow(struct warp *w, uint32_t lane, uint64_t address, enum ptx_space space);
/* The shadow of the device buffer around the address; NULL: it has none. */
struct shadow *state_space_buffer_shadow(struct warp *w, uint64_t address);
/* Fill in what lies at f->address. */
void state_space_describe(struct warp *w, struct gpu_fault *f);

#endif
