/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device half of the transaction: before a cell first writes to a buffer that existed before
 * it, the content is copied to a chunk that the kernel holds. After a failed cell the next worker
 * copies it back.
 */
#ifndef CGPU_RUNTIME_CUDA_ROLLBACK_PREIMAGE_H
#define CGPU_RUNTIME_CUDA_ROLLBACK_PREIMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct ptx_writes;
struct session_buffer;

/* This buffer is about to be written. An error means that it must not be. */
CUresult preimage_save(struct session_buffer *b);
/* Device code is about to run on the thread's device of which nothing is known: it may write to all
 * that it reaches. */
CUresult preimage_save_all(void);
/* The same of a kernel that writes as `w` says, with these arguments. */
CUresult preimage_save_launch(const struct ptx_writes *w, void **args);
/*
 * The same of code that is not known, in two steps: what each of its arguments points to, if that
 * is a buffer of the session, and then what else the thread's device reaches, as the mode of the
 * rollback is.
 */
CUresult preimage_save_pointer(uint64_t value);
CUresult preimage_save_rest(void);
/* Nothing that any device reaches is left to be saved. */
bool preimage_all_saved(void);
/* Devices reach more than before. */
void preimage_reach_changed(void);

/* In a new worker: saves what preimage_restore() will overwrite, before any of it is restored. */
CUresult preimage_keep(uint64_t address, uint64_t size);
/* In a new worker: put back what was saved, from scratch chunk `chunk`. */
CUresult preimage_restore(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset);

/* The cost counts from here: bytes that were saved, and how long that took. */
void preimage_cell_begin(void);
void preimage_cost(uint64_t *ret_bytes, uint64_t *ret_ns);
/* At the start of a cell and after its end: nothing is saved. */
void preimage_reset(void);
/* Then, before the device goes on: what is not saved is watched, where it can be. */
void preimage_watch(void);

#endif
