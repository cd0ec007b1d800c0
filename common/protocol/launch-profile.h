/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile of what ran on the emulated device: for each entry and each line of source what it did,
 * and when streams worked. The emulator makes it, the kernel process shows it.
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

/* All launches of one entry. */
struct profile_entry {
	const char *name; /* as C++ spells it, without its arguments */
	uint32_t launches;
	uint32_t grid[3], block[3]; /* of the last launch */
	uint64_t nanoseconds;       /* that the emulated device took; of a GPU they say nothing */
	struct profile_counts total;
	uint64_t mix[INSTRUCTION_CLASSES]; /* warp instructions */
};

/* A line of source in one entry; inlined functions count where their text stands. */
struct profile_line {
	uint32_t entry; /* index */
	uint32_t line;
	const char *file;     /* "In[3]" */
	const char *function; /* that the text belongs to */
	struct profile_counts counts;
};

enum profile_span_kind { SPAN_LAUNCH, SPAN_COPY, SPAN_FILL, SPAN_HOST };

/* Work of a stream; times are those of the emulated device, since the profile began. */
struct profile_span {
	uint32_t kind;   /* enum profile_span_kind */
	uint32_t stream; /* 0: the default one, others in the order of first use */
	const char *name;
	uint64_t begin_ns, end_ns;
	uint64_t bytes; /* copies and fills */
};

struct launch_profile {
	struct profile_entry *entries;
	size_t n_entries;
	struct profile_line *lines;
	size_t n_lines;
	struct profile_span *spans;
	size_t n_spans;
	uint64_t spans_left_out;
};

void profile_counts_add(struct profile_counts *to, const struct profile_counts *more);
const char *instruction_class_name(enum instruction_class c);

void launch_profile_encode(const struct launch_profile *p, struct buffer *out);
/* Texts are borrowed from data; the arrays are its own. A line of an entry that there is not is an
 * error. */
int launch_profile_decode(const void *data, size_t len, struct launch_profile *ret,
			  struct error *err);
/* What decode() has made. Accepts a zeroed struct. */
void launch_profile_release(struct launch_profile *p);

#endif
