/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile of work on the emulated device: counters for each kernel and source line, and the
 * activity of streams over time. The emulator makes it, the kernel process shows it.
 */
#ifndef CGPU_COMMON_PROTOCOL_LAUNCH_PROFILE_H
#define CGPU_COMMON_PROTOCOL_LAUNCH_PROFILE_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;

struct profile_counts {
#define PROFILE_COUNTER(name) uint64_t name;
#include "common/protocol/profile-counters.def"
#undef PROFILE_COUNTER
};

enum instruction_class {
#define INSTRUCTION_CLASS(symbol, name) INSTRUCTION_##symbol,
#include "common/cuda/instruction-classes.def"
#undef INSTRUCTION_CLASS
	INSTRUCTION_CLASSES
};

/* The sum of all launches of one kernel. */
struct profile_kernel {
	const char *name; /* the C++ spelling, without arguments */
	uint32_t launches;
	uint32_t grid[3], block[3]; /* of the last launch */
	uint64_t nanoseconds;       /* on the emulated device, which is no estimate for a GPU */
	struct profile_counts total;
	uint64_t mix[INSTRUCTION_CLASSES]; /* warp instructions */
};

/* A source line in one kernel; inlined functions count at their own lines. */
struct profile_line {
	uint32_t kernel; /* index */
	uint32_t line;
	const char *file;     /* "In[3]" */
	const char *function; /* the function that the line belongs to */
	struct profile_counts counts;
};

enum profile_span_kind { SPAN_LAUNCH, SPAN_COPY, SPAN_FILL, SPAN_HOST };

/* An activity of a stream; times are the emulated device's, since the profile began. */
struct profile_span {
	uint32_t kind;   /* enum profile_span_kind */
	uint32_t stream; /* 0: the default one; others in the order of first use */
	const char *name;
	uint64_t begin_ns, end_ns;
	uint64_t bytes; /* for copies and fills */
};

struct launch_profile {
	struct profile_kernel *kernels;
	size_t n_kernels;
	struct profile_line *lines;
	size_t n_lines;
	struct profile_span *spans;
	size_t n_spans;
	uint64_t spans_left_out;
};

void profile_counts_add(struct profile_counts *to, const struct profile_counts *more);
const char *instruction_class_name(enum instruction_class c);

void launch_profile_encode(const struct launch_profile *p, struct buffer *out);
/* Decodes a profile; the texts are borrowed from data, the arrays are its own. A line with an
 * invalid kernel is an error. */
int launch_profile_decode(const void *data, size_t len, struct launch_profile *ret,
			  struct error *err);
/* Releases a decoded profile. A zeroed struct is accepted. */
void launch_profile_release(struct launch_profile *p);

#endif
