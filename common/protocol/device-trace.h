/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace of a cell's device operations, call by call. The worker records it, the kernel process
 * shows it. Of many calls the first and the last are kept, and the number of each kind.
 */
#ifndef CGPU_COMMON_PROTOCOL_DEVICE_TRACE_H
#define CGPU_COMMON_PROTOCOL_DEVICE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;

/* Number of rows that are kept from the beginning, and as many from the end. */
#define DEVICE_TRACE_HEAD 100

enum trace_kind {
#define TRACE_KIND(symbol, name, names) TRACE_##symbol,
#include "common/protocol/trace-kinds.def"
#undef TRACE_KIND
	TRACE_KINDS
};

/* The side of a copy. */
enum trace_place { TRACE_HOST_SIDE, TRACE_DEVICE_SIDE, TRACE_ARRAY_SIDE, TRACE_PLACES };

struct device_trace_row {
	uint32_t kind;     /* enum trace_kind */
	uint32_t line;     /* of the cell, 0: not known */
	uint32_t stream;   /* 0: a default one; others in the order of first use */
	const char *call;  /* "cudaMemcpy" */
	const char *error; /* name of the error of a failed call */
	/* The buffer that is made, freed or written, or the readable name of the CUDA
	 * kernel; "" unknown. */
	const char *name;
	const char *from;           /* of copies: the source */
	uint32_t place, from_place; /* enum trace_place */
	uint32_t grid[3], block[3];
	uint64_t shared; /* dynamic shared memory of a block */
	uint64_t bytes;
	/* Both times, since the trace began, are known; for work of a stream they are the
	 * device's. */
	bool timed;
	uint64_t begin_ns, end_ns;
};

struct device_trace {
	bool emulated;
	struct device_trace_row *rows;
	size_t n_rows;
	uint64_t left_out; /* rows after the first DEVICE_TRACE_HEAD */
	uint64_t counts[TRACE_KINDS];
	uint64_t bytes[TRACE_KINDS];
};

/* Returns the word for n operations, as in "2 launches". */
const char *trace_kind_name(enum trace_kind kind, uint64_t n);

void device_trace_encode(const struct device_trace *t, struct buffer *out);
/* Decodes a trace; the texts are borrowed from data, the rows are its own. */
int device_trace_decode(const void *data, size_t len, struct device_trace *ret, struct error *err);
/* Releases a decoded trace. A zeroed struct is accepted. */
void device_trace_release(struct device_trace *t);

#endif
