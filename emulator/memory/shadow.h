/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shadow says which bytes of memory were written: it has one byte for each aligned word of four.
 * Its low half has a bit for each byte that holds a known value. A bit of the high half belongs to
 * a byte that was written, but with what was worked out from memory that nobody had written. 0 so
 * means: nothing was written there.
 *
 * A buffer's words come to be when the first launch needs them. Who has found a shadow full forgets
 * it: from then on accesses cost nothing. Bytes of different words may be marked from several
 * threads at once without a lock, and so may those of one word.
 */
#ifndef CGPU_EMULATOR_SHADOW_H
#define CGPU_EMULATOR_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SHADOW_KNOWN 0x0f
#define SHADOW_WORD 4

struct gpu_fault;

/* The shadow of one buffer of the driver. */
struct shadow {
	uint64_t size;            /* bytes of the buffer */
	_Atomic uint64_t prefix;  /* words from the start that are known */
	_Atomic(uint8_t *) words; /* NULL: not yet made, nothing was written */
	_Atomic bool failed;      /* no memory for them: taken as full */
	_Atomic(struct gpu_fault *)
		cause; /* the first read that a computed byte comes from; freed with the shadow */
	struct shadow *next; /* for the owner */
};

/* NULL: out of memory, which means no check. */
struct shadow *shadow_new(uint64_t size);
void shadow_free(struct shadow *s);
/* The words, made at the first call; NULL when all is known, so that there is nothing to mark or
 * check. */
uint8_t *shadow_words(struct shadow *s);
/* All bytes are known. */
bool shadow_full(struct shadow *s);
/* The host has written [offset, offset + size). */
void shadow_written(struct shadow *s, uint64_t offset, uint64_t size);
/* Bytes that were copied from `from` (NULL: all known) are as known as they were there. */
void shadow_copied(struct shadow *to, uint64_t to_offset, const struct shadow *from,
		   uint64_t from_offset, uint64_t size);
/* No byte of the range was written. */
bool shadow_untouched(const struct shadow *s, uint64_t offset, uint64_t size);
/* A byte of the range was worked out from memory that nobody had written. */
bool shadow_computed(const struct shadow *s, uint64_t offset, uint64_t size);

/* Words from `from` on that are known, at most `count`. */
uint64_t shadow_scan(const uint8_t *words, uint64_t from, uint64_t count);

/* A small access that lies in one word or in whole ones; `offset` counts bytes from the shadow's
 * start. */
static inline uint8_t shadow_bits(uint64_t offset, uint32_t size)
{
	return size >= SHADOW_WORD ? SHADOW_KNOWN : (uint8_t)(((1u << size) - 1) << (offset & 3));
}

static inline bool shadow_is_known(const uint8_t *words, uint64_t offset, uint32_t size)
{
	uint8_t bits = shadow_bits(offset, size), all = bits;

	for (uint32_t at = 0; at < size; at += SHADOW_WORD)
		all &= words[(offset + at) / SHADOW_WORD];
	return all == bits;
}

static inline void shadow_mark(uint8_t *words, uint64_t offset, uint32_t size)
{
	if (size < SHADOW_WORD) {
		uint8_t *at = &words[offset / SHADOW_WORD], bits = shadow_bits(offset, size);

		if ((*at & (bits | bits << 4)) == bits)
			return;
		__atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
		__atomic_fetch_and(at, (uint8_t)~(bits << 4), __ATOMIC_RELAXED);
		return;
	}
	for (uint32_t at = 0; at < size; at += SHADOW_WORD)
		words[(offset + at) / SHADOW_WORD] = SHADOW_KNOWN;
}

#endif
