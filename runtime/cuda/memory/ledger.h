/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds device memory: every buffer with the cell, line and variable that it belongs to, the
 * recently freed ones, and the cap. A request over the cap is refused before the device is touched,
 * with a text that says who holds what.
 */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_LEDGER_H
#define CGPU_RUNTIME_CUDA_MEMORY_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "runtime/cuda/session/session.h"

struct buffer;

#define LEDGER_REFUSAL_MAX 4096
#define LEDGER_HOST_ALIGN 4096 /* managed and pinned memory */

/* An allocation that is asked for; name "" when unknown. */
struct ledger_request {
	uint64_t size;
	int device;
	struct session_pool *pool; /* that it is taken from, NULL: none */
	enum buffer_kind kind;
	const char *name;
	const char *call; /* API function, for texts */
	uint32_t line;
};

/* The rooms above do this when memory comes or goes: device.ledger_callbacks. */
struct ledger_callbacks {
	/* A small buffer is freed, and another one may get its place: its content is saved, if that
	 * is not done yet. An error means that it cannot be freed. */
	CUresult (*save)(struct session_buffer *b);
	void (*allocated)(const struct session_buffer *b);
	void (*freed)(const struct session_buffer *b);
	void (*refused)(const struct ledger_request *r, CUresult why);
};

/* Device memory, charged and annotated. OUT_OF_MEMORY leaves a refusal. */
CUresult ledger_alloc(const struct ledger_request *r, uint64_t *ret_address);
/* Host memory, which is registered with the driver: managed, pinned. Managed memory is charged. */
CUresult ledger_add_host(const struct ledger_request *r, uint64_t address);

/* The live buffer that holds the byte, NULL when there is none. */
struct session_buffer *ledger_find(uint64_t address);
/* The same without the lock held, for a signal handler; freed ones too: *ret_freed. */
const struct session_buffer *ledger_look(uint64_t address, bool *ret_freed);
/* Host memory is not registered any more; the caller frees it. On error the buffer is not freed. */
CUresult ledger_free(struct session_buffer *b);

/* True when [address, address + size) lies in one live buffer. */
bool ledger_holds(uint64_t address, uint64_t size);

/* Tell the emulator about a buffer (again). */
void ledger_annotate(const struct session_buffer *b);

/* Before the commit: the places of freed buffers are free from here on. */
void ledger_settle(void);

/* Would `size` more bytes be over the cap or too much for the device? Leaves a refusal and returns
 * OUT_OF_MEMORY. */
CUresult ledger_admit(const struct ledger_request *r);
/* Bytes of device memory that a request takes. */
uint64_t ledger_cost(const struct ledger_request *r);
/* The bytes that a device has left, and those that it has in all. */
CUresult ledger_room(int ordinal, size_t *ret_free, size_t *ret_total);
/* Leave a refusal with this reason, and what to do but to free memory: ", or ...". */
void ledger_refuse(const struct ledger_request *r, const char *why, const char *advice);
/* The same when the device, or those who share it, had not enough. */
void ledger_refuse_full(const struct ledger_request *r);
/* Bytes that count against the cap: the session's, and what libraries hold. */
uint64_t ledger_used(void);
/* The same of one device. */
uint64_t ledger_used_on(int ordinal);
/* From what a device has to what a program may see of it. device.lock is held. */
void ledger_cap_view(size_t *free_bytes, size_t *total);
/* Text of the last refusal of this cell, "" for none. Async-signal-safe. */
const char *ledger_refusal(void);
/* Nobody has asked what the error was. */
bool ledger_refusal_unchecked(void);
void ledger_refusal_checked(void);
/* The code that has asked for the memory deals with the last refusal. */
void ledger_refusal_looked_at(void);
/* The last one was of a library, which has its result and may know another way: the text is for the
 * end of the cell. */
void ledger_refusal_of_library(void);
bool ledger_refusal_unsaid(void);
void ledger_cell_begin(void);

/* "256.0 MiB" */
const char *ledger_size_text(uint64_t bytes, char text[24]);
const char *ledger_kind_name(enum buffer_kind kind);
#endif
