/* SPDX-License-Identifier: Apache-2.0 */
/* Shadows of buffers. The words are mapped without being touched, so what nobody writes costs no
 * memory. */
#define _GNU_SOURCE
#include "emulator/memory/shadow.h"

#include <stdlib.h>
#include <sys/mman.h>

static uint64_t word_count(const struct shadow *s)
{
	return (s->size + SHADOW_WORD - 1) / SHADOW_WORD;
}

struct shadow *shadow_new(uint64_t size)
{
	struct shadow *s = calloc(1, sizeof(*s));

	if (s)
		s->size = size;
	return s;
}

void shadow_free(struct shadow *s)
{
	uint8_t *words = s ? atomic_load(&s->words) : NULL;

	if (words)
		munmap(words, word_count(s));
	if (s)
		free(atomic_load(&s->cause));
	free(s);
}

/* Bytes behind the end count as known. */
static void close_end(const struct shadow *s, uint8_t *words)
{
	if (s->size % SHADOW_WORD)
		words[s->size / SHADOW_WORD] |=
			(uint8_t)(SHADOW_KNOWN << s->size % SHADOW_WORD & SHADOW_KNOWN);
}

static uint8_t *make_words(struct shadow *s)
{
	uint8_t *words = atomic_load(&s->words), *none = NULL;

	if (words || atomic_load(&s->failed))
		return words;
	words = mmap(NULL, word_count(s), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (words == MAP_FAILED) {
		atomic_store(&s->failed, true);
		return NULL;
	}
	close_end(s, words);
	if (!atomic_compare_exchange_strong(&s->words, &none, words)) {
		munmap(words, word_count(s));
		return none;
	}
	return words;
}

uint64_t shadow_scan(const uint8_t *words, uint64_t from, uint64_t count)
{
	static const uint64_t known = SHADOW_KNOWN * 0x0101010101010101ull;
	uint64_t eight;

	for (; from + 8 <= count; from += 8) {
		memcpy(&eight, words + from, 8);
		if (eight != known)
			break;
	}
	while (from < count && words[from] == SHADOW_KNOWN)
		from++;
	return from;
}

bool shadow_full(struct shadow *s)
{
	const uint8_t *words = atomic_load(&s->words);
	uint64_t prefix = atomic_load(&s->prefix);

	if (atomic_load(&s->failed) || prefix == word_count(s))
		return true;
	if (!words)
		return false;
	prefix = shadow_scan(words, prefix, word_count(s));
	atomic_store(&s->prefix, prefix);
	return prefix == word_count(s);
}

uint8_t *shadow_words(struct shadow *s)
{
	return shadow_full(s) ? NULL : make_words(s);
}

void shadow_written(struct shadow *s, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size;
	uint8_t *words;

	if (!offset && size >= s->size) {
		atomic_store(&s->prefix, word_count(s));
		return;
	}
	words = shadow_words(s);
	if (!words)
		return;
	for (; offset < end && offset % SHADOW_WORD; offset++)
		shadow_mark(words, offset, 1);
	memset(words + offset / SHADOW_WORD, SHADOW_KNOWN,
	       end > offset ? (end - offset) / SHADOW_WORD : 0);
	for (offset += end > offset ? (end - offset) / SHADOW_WORD * SHADOW_WORD : 0; offset < end;
	     offset++)
		shadow_mark(words, offset, 1);
}

static void copy_byte(uint8_t *to, uint64_t at, uint8_t from, unsigned from_byte)
{
	uint8_t both = from >> from_byte & 0x11, shift = at % SHADOW_WORD;

	to[at / SHADOW_WORD] = (uint8_t)((to[at / SHADOW_WORD] & ~(0x11 << shift)) | both << shift);
}

void shadow_copied(struct shadow *to, uint64_t to_offset, const struct shadow *from,
		   uint64_t from_offset, uint64_t size)
{
	const uint8_t *source = from ? atomic_load(&from->words) : NULL;
	bool all_known = !from || atomic_load(&from->prefix) == word_count(from) ||
			 atomic_load(&from->failed);
	uint8_t *words;

	if (all_known) {
		shadow_written(to, to_offset, size);
		return;
	}
	words = shadow_words(to);
	if (!words)
		return;
	/* Bytes that were known there are so no more. */
	if (atomic_load(&to->prefix) > to_offset / SHADOW_WORD)
		atomic_store(&to->prefix, to_offset / SHADOW_WORD);
	for (uint64_t i = 0; i < size;) {
		uint64_t at = to_offset + i, there = from_offset + i;

		if (at % SHADOW_WORD == 0 && there % SHADOW_WORD == 0 && size - i >= SHADOW_WORD) {
			words[at / SHADOW_WORD] = source ? source[there / SHADOW_WORD] : 0;
			i += SHADOW_WORD;
		} else {
			copy_byte(words, at, source ? source[there / SHADOW_WORD] : 0,
				  there % SHADOW_WORD);
			i++;
		}
	}
}

bool shadow_untouched(const struct shadow *s, uint64_t offset, uint64_t size)
{
	const uint8_t *words = atomic_load(&s->words);

	if (atomic_load(&s->prefix) || atomic_load(&s->failed))
		return false;
	for (uint64_t at = offset; words && at < offset + size; at++)
		if (words[at / SHADOW_WORD] >> at % SHADOW_WORD & 0x11)
			return false;
	return true;
}

bool shadow_computed(const struct shadow *s, uint64_t offset, uint64_t size)
{
	const uint8_t *words = atomic_load(&s->words);

	if (!words || atomic_load(&s->failed) || atomic_load(&s->prefix) == word_count(s))
		return false;
	for (uint64_t at = offset; at < offset + size; at++) {
		uint8_t word = words[at / SHADOW_WORD];

		if (word >> 4 >> at % SHADOW_WORD & 1)
			return true;
		/* Whole words that are known or untouched. */
		if (!(word >> 4))
			at |= SHADOW_WORD - 1;
	}
	return false;
}
