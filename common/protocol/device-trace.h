/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cell did with the device, call by call. The worker notes it, the kernel process shows it.
 * Of many calls the first and the last are kept, and how many there were of each kind.
 */
#ifndef CGPU_COMMON_PROTOCOL_DEVICE_TRACE_H
#define CGPU_COMMON_PROTOCOL_DEVICE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;

#define DEVICE_TRACE_HEAD                                                                          \
	100 /* rows that are kept from the beginning, and as many from the end                     \
	     */

enum trace_kind {
#define TRACE_KIND(symbol, name, names) TRACE_##symbol,
#include "common/protocol/trace-kinds.def"
#undef TRACE_KIND
	TRACE_KINDS
};

/* Where the bytes of a copy lie. */
enum trace_place { TRACE_HOST_SIDE, TRACE_DEVICE_SIDE, TRACE_ARRAY_SIDE, TRACE_PLACES };

struct device_trace_row {
	uint32_t kind;     /* enum trace_kind */
	uint32_t line;     /* of the cell, 0: not known */
	uint32_t stream;   /* 0: a default one, others in the order of first use */
	const char *call;  /* "cudaMemcpy" */
	const char *error; /* of a call that has failed: its name */
	const char *name;  /* of the buffer that is made, freed or written, or the entry as the
			      compiler spells it; "" unknown */
	const char *from;  /* of copies: what is read */
	uint32_t place, from_place; /* enum trace_place */
	uint32_t grid[3], block[3];
	uint64_t shared; /* dynamic shared memory of a cta */
	uint64_t bytes;
	bool timed; /* both times are known, since the trace began: of work of a stream those of the
		       device */
	uint64_t begin_ns, end_ns;
};

struct device_trace {
	bool emulated;
	struct device_trace_row *rows;
	size_t n_rows;
	uint64_t left_out; /* behind the first DEVICE_TRACE_HEAD rows */
	uint64_t counts[TRACE_KINDS];
	uint64_t bytes[TRACE_KINDS];
};

/* "2 launches", with the right word. */
const char *trace_kind_name(enum trace_kind kind, uint64_t n);

void device_trace_encode(const struct device_trace *t, struct buffer *out);
/* Texts are borrowed from data; the rows are its own. */
int device_trace_decode(const void *data, size_t len, struct device_trace *ret, struct error *err);
/* What decode() has made. Accepts a zeroed struct. */
void device_trace_release(struct device_trace *t);

#endif
