/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoding of variable-size data between processes: little numbers and counted strings, one
 * after another, no padding, native byte order (both ends are the same build on the same machine).
 *
 * Writing appends to a buffer; buffer_check() reports a failure once. Reading never passes the end:
 * the first short read sets `failed`, every later read gives 0 or "", and record_check() reports it
 * once. So a malformed record from a broken worker is one error, not a crash.
 */
#ifndef CGPU_COMMON_BASE_RECORD_H
#define CGPU_COMMON_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;

void record_put_u8(struct buffer *b, uint8_t v);
void record_put_u32(struct buffer *b, uint32_t v);
void record_put_u64(struct buffer *b, uint64_t v);
void record_put_bytes(struct buffer *b, const void *data, size_t len);
/* Writes a string; NULL is written as "". */
void record_put_str(struct buffer *b, const char *text);

struct record {
	const char *at; /* borrowed */
	const char *end;
	bool failed;
};

struct record record_open(const void *data, size_t len);
uint8_t record_u8(struct record *r);
uint32_t record_u32(struct record *r);
uint64_t record_u64(struct record *r);
/* Reads bytes; the result points into the record. */
const char *record_bytes(struct record *r, size_t *ret_len);
/* Reads a string. Strings are written with their NUL, so the result points into the record and
 * needs no copy. */
const char *record_str(struct record *r);
/* Reads a count of items that each take at least `least` bytes; a count that cannot fit fails the
 * record and gives 0. */
uint32_t record_count(struct record *r, size_t least);

/* Fails with ERROR_PROTOCOL if a read failed or bytes are left over. */
int record_check(const struct record *r, const char *what, struct error *err);

#endif
