/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to the idle worker that holds the session, which it answers in microseconds: the caller
 * waits. Between cells only; ERROR_STATE: no worker is idle, ERROR_TIMEOUT: it does not answer.
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

/* Type and id of the body are the answer's. */
int question_ask(struct supervisor *s, uint32_t type, const struct buffer *body,
		 uint32_t answer_type, struct buffer *ret, struct error *err);
/* A message that may be the answer which somebody waits for. */
void question_on_message(struct supervisor *s, const struct ipc_message *m, struct record *r);

/* ret has n entries. */
int question_describe(struct supervisor *s, const uint64_t *addresses, size_t n,
		      struct address_description *ret, struct error *err);
/*
 * The device's bytes of a __device__ or __constant__ variable, whose address here is that of its
 * stand-in on the host.
 */
int question_read_device(struct supervisor *s, uint64_t stand_in, void *out, size_t len,
			 struct error *err);
/* Payload of WORKER_DEVICE_REPORT after the id. */
int question_device_report(struct supervisor *s, struct buffer *ret, struct error *err);
/* Who holds the session's memory: these cells, or (n is 0) those that hold most. The
 * caller releases it. */
int question_memory_report(struct supervisor *s, const uint32_t *cells, size_t n,
			   struct memory_report *ret, struct error *err);

#endif
