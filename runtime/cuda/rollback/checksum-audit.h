/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checksum audit of device memory. A buffer that a cell's launches reach and are not known to
 * write is not copied for a rollback: its digest is kept. A worker that takes the session over
 * compares, and names the buffers that are not as they were.
 *
 * A digest stands at its buffer in the session, so it is committed, rolled back and undone with it,
 * and is taken once after each change. One that the running cell has taken would go with a cell
 * that fails: the kernel process has it, too.
 *
 * A machine that is suspended may lose what its GPUs hold. So a session that rests has digests of
 * all of it, and they are compared before the next cell.
 */
#ifndef CGPU_RUNTIME_CUDA_ROLLBACK_CHECKSUM_AUDIT_H
#define CGPU_RUNTIME_CUDA_ROLLBACK_CHECKSUM_AUDIT_H

#include <stdint.h>

#include <cuda.h>

struct buffer;
struct buffer_checksum;
struct session_buffer;

/* Before device code runs on the thread's device, and after what it writes was saved. An error
 * means that it must not run. */
CUresult checksum_audit_reach(void);
/* The digests hold no more, if the cell fails either: its content is given up. */
CUresult checksum_audit_forget(struct session_buffer *b);
/* The cost counts from here: bytes that checksum_audit_reach() has read, and how long that took. */
void checksum_audit_cell_begin(void);
void checksum_audit_cost(uint64_t *ret_bytes, uint64_t *ret_ns);
/* The device may reach more than before. */
void checksum_audit_reset(void);
/* No cell runs, nor a thread of one: digests of what has none are taken. An error: some are
 * missing. */
CUresult checksum_audit_rest(void);
/* If the machine was suspended since this was asked last: lines about what has changed, or may
 * have. */
void checksum_audit_after_suspend(struct buffer *report);

/* While a worker takes a session over: what the kernel process has, and that a buffer has no
 * content to be compared. */
void checksum_audit_expect(const struct buffer_checksum *c);
void checksum_audit_lost(struct session_buffer *b);
/* At the end of that. Lines about what has changed are appended. */
void checksum_audit_check(struct buffer *report);

#endif
