/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session device memory as chunks: physical memory in multiples of 2 MiB, mapped at fixed addresses
 * of the device window, exported to the kernel process before the first use. Small buffers share
 * pool chunks, apart by at least VMM_POOL_RED_ZONE; a large one has a chunk of its own with an
 * unmapped gap behind it. A request that fits the free memory always succeeds: a chunk needs a
 * range of addresses, of which there are plenty, but no neighbouring physical memory.
 *
 * A chunk that existed before the cell is kept until the commit, so that a rollback finds it.
 */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_VMM_POOL_H
#define CGPU_RUNTIME_CUDA_MEMORY_VMM_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct error;
struct buffer;

#define VMM_POOL_ALIGN 256ull
#define VMM_POOL_RED_ZONE 256ull
#define VMM_POOL_SMALL (512ull * 1024) /* up to here buffers share chunks */

/* Reserve the window; before any other call. */
CUresult vmm_pool_init(void);

struct session_pool;

/* A place for `size` bytes on a device; in chunks of `owner` when it is not NULL. Annotating and
 * charging are the ledger's. */
CUresult vmm_pool_alloc(int ordinal, struct session_pool *owner, uint64_t size,
			uint64_t *ret_address);
/* Peers, or the access to a pool, have changed. */
CUresult vmm_pool_reach_changed(void);
/* Bytes of all chunks of a pool; without a threshold an empty one counts as given back. */
uint64_t vmm_pool_reserved(const struct session_pool *owner);
/* The pool goes, its buffers stay. */
void vmm_pool_disown(const struct session_pool *owner);
/* Chunks that this cell has made and emptied again go back to the driver. */
void vmm_pool_trim(void);
/* The address lies where the session's memory is, and nobody else's. */
bool vmm_pool_owns(uint64_t address);
/* May so much be taken of the device? Others on this machine may have a say. OUT_OF_MEMORY:
 * vmm_pool_refusal() says why. */
CUresult vmm_pool_ask(int ordinal, uint64_t size);
/* Bytes of physical memory that the pool has of a device, scratch chunks and those that leave
 * included. */
uint64_t vmm_pool_taken(int ordinal);
/* Bytes of chunks that are empty or wait: the driver counts them as taken, and the next allocation
 * may have them. */
uint64_t vmm_pool_spare(int ordinal);
/* Why vmm_pool_alloc() gave OUT_OF_MEMORY, when others on this machine have what was wanted; ""
 * otherwise. */
const char *vmm_pool_refusal(void);
/* The ledger has taken the buffer out: its bytes are free for others. */
void vmm_pool_free(uint64_t address);

/*
 * A chunk that holds pre-images, on the host if it is to be there or the device is full; mapped
 * where device code cannot reach it. *ret_id for the kernel's messages.
 */
CUresult vmm_pool_scratch(int ordinal, uint64_t size, bool on_host, uint64_t *ret_id,
			  uint64_t *ret_address);
/* All scratch chunks go with the commit; the kernel is told. */
void vmm_pool_drop_scratch(void);

/* From the kernel at attach. Takes fd. address 0: a scratch chunk. */
CUresult vmm_pool_attach(uint64_t id, uint64_t size, uint64_t address, int fd);
/* This process has memory at the address of a session chunk. */
bool vmm_pool_is_mapped(uint64_t address);
/*
 * The same of a chunk whose content is elsewhere: it is made anew, fill() writes it, and then the
 * kernel is told of it. Not filled: OPERATING_SYSTEM.
 */
CUresult vmm_pool_attach_anew(uint64_t id, uint64_t size, uint64_t address,
			      int (*fill)(void *data, uint64_t address), void *data);
/* A scratch chunk that was attached to be read. */
void vmm_pool_detach(uint64_t id);
/* The address of scratch chunk `id` in this process, 0: unknown. */
uint64_t vmm_pool_scratch_address(uint64_t id);
/* Chunks of the session that no descriptor came for are made again, empty; their addresses are
 * reported. */
void vmm_pool_attach_end(void (*lost)(void *data, uint64_t address, uint64_t size), void *data);

/* Before the commit: empty chunks leave the session, and the kernel is told. */
void vmm_pool_settle(void);
/* After it: physical memory of what left goes back. */
void vmm_pool_committed(void);
/* Just before that: this chunk of pre-images is to wait for those of the next cell. The kernel is
 * told if it cannot. */
void vmm_pool_keep(uint64_t id);
/* Chunks of pre-images that wait go back, and the kernel process is told. */
void vmm_pool_forget(void);

#endif
