/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the idle worker that holds the session. It answers in microseconds, so the caller blocks.
 * Questions are allowed between cells only. ERROR_STATE: no worker is idle. ERROR_TIMEOUT: the
 * worker does not answer.
 */
#ifndef CGPU_KERNEL_WORKERS_QUESTION_H
#define CGPU_KERNEL_WORKERS_QUESTION_H

#include <stddef.h>
#include <stdint.h>

struct address_description;
struct buffer;
struct error;
struct ipc_message;
struct memory_report;
struct record;
struct supervisor;

/* Sends the request and appends the body of the answer, behind type and id, to ret. */
int question_ask(struct supervisor *s, uint32_t type, const struct buffer *body,
		 uint32_t answer_type, struct buffer *ret, struct error *err);
/* Checks whether a message is the answer that a caller waits for, and takes it. */
void question_on_message(struct supervisor *s, const struct ipc_message *m, struct record *r);

/* Describes n addresses; ret has n entries. */
int question_describe(struct supervisor *s, const uint64_t *addresses, size_t n,
		      struct address_description *ret, struct error *err);
/*
 * Reads the device's bytes of a __device__ or __constant__ variable, which is known here by the
 * address of its host stand-in, or, by an address of device memory, what lies there: what is in no
 * buffer is read as zero. At most 1 MiB.
 */
int question_read_device(struct supervisor *s, uint64_t address, void *out, size_t len,
			 struct error *err);
/* Appends the payload of WORKER_DEVICE_REPORT after the id to ret. */
int question_device_report(struct supervisor *s, struct buffer *ret, struct error *err);
/* Reports who holds the session's memory: the given cells, or, when n is 0, the cells that hold
 * most. The caller releases ret. */
int question_memory_report(struct supervisor *s, const uint32_t *cells, size_t n,
			   struct memory_report *ret, struct error *err);

#endif
