/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host memory of the session that the device reaches: managed, pinned and registered blocks.
 *
 * A GPU reaches the very pages that were mapped when cuMemHostRegister() ran. The session's pages
 * change below their addresses: a commit makes fresh memory private and drops what was overwritten
 * (common/memory/arena-layout.h, 7), a fork takes back what was in place. So a registration lasts
 * while the pages do:
 *
 *	add            a block that a cell makes is registered at once
 *	let_go         before pages change nothing is registered
 *	renew          before the device is used again everything is
 *
 * The driver takes private pages for what is committed when it registers, and those roll back and
 * are committed as what the cell itself overwrites. The emulated device reads and writes by
 * addresses, so there blocks stay registered.
 *
 * device.lock is held in pinning_add(), pinning_remove() and pinning_let_go(), not in
 * pinning_renew().
 */
#ifndef CGPU_RUNTIME_CUDA_SESSION_PINNING_H
#define CGPU_RUNTIME_CUDA_SESSION_PINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

CUresult pinning_add(uint64_t address, size_t size);
CUresult pinning_remove(uint64_t address);

/* Something is registered by its pages. */
bool pinning_any(void);
/* No block of the session waits for pinning_renew(). */
bool pinning_is_complete(void);
/* The context is current. What cannot be registered is named in the log; the result is that of the
 * first such block. */
CUresult pinning_renew(void);

/* The context is current. */
void pinning_let_go(void);

/* A session was attached: what it has is not registered in this process. */
void pinning_attached(void);

#endif
