/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of a cell's output: one ordered stream of stdout and stderr text, displays,
 * messages of comms, clear_output. It is in memory shared by worker and kernel, so that the last
 * byte before a crash is delivered, and a printf costs no system call, which 100,000 lines through
 * a socket would.
 *
 * One record: u32 type, u32 length, bytes, padded to 8. Many threads of the worker may write (a
 * spin lock in the worker orders them); the kernel alone reads, and checks every length, since a
 * cell may overwrite the ring.
 */
#ifndef CGPU_COMMON_PROTOCOL_OUTPUT_RING_H
#define CGPU_COMMON_PROTOCOL_OUTPUT_RING_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct worker_control;

enum output_type {
	OUTPUT_STDOUT = 1, /* bytes of text */
	OUTPUT_STDERR = 2,
	/* str type text, str type code, bytes of the object, str text of a char pointer's target or
	   "" */
	OUTPUT_RESULT = 3,
	/* str display id or "", u8 is an update, [str mime, bytes data] */
	OUTPUT_DISPLAY = 4,
	OUTPUT_CLEAR = 5, /* u8 wait */
	OUTPUT_PART = 6,  /* bytes of the record that is not a part and comes next */
	OUTPUT_COMM = 7,  /* common/protocol/comm-message.h */
};

/* A longer OUTPUT_DISPLAY or OUTPUT_COMM is told in place of shown. */
#define OUTPUT_DISPLAY_MAX (32u * 1024 * 1024)

/*
 * The worker's side: writes a record. It blocks while the ring is full, until the kernel has read;
 * records larger than a quarter of the ring are split when they are text, come in parts when they
 * are displays or messages of comms, and are truncated otherwise.
 * Async-signal-safe apart from the wait.
 */
void output_ring_write(struct worker_control *c, enum output_type type, const void *data,
		       size_t len);

/*
 * The kernel's side: takes the next record. Returns 1 with its content in *data (cleared first), 0
 * when the ring is empty, -1 when it is corrupt (the ring is emptied then). Consecutive text
 * records of one type are joined up to max_text.
 */
int output_ring_read(struct worker_control *c, size_t max_text, enum output_type *ret_type,
		     struct buffer *data, struct error *err);

#endif
