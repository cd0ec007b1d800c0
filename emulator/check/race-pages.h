/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The marks of accesses to global memory that are kept for one launch; private to race*.c.
 *
 * Memory is cut into pages, those into groups of 16 words. Most accesses are of half a warp that
 * touches whole groups: such a group has one mark for all of its words. Once something else touches
 * it, the group is open: it has a mark for each word, and those in the group itself mean nothing
 * any more. Words are 4 bytes until something smaller touches their page; then all of its groups
 * are open.
 */
#ifndef CGPU_EMULATOR_RACE_PAGES_H
#define CGPU_EMULATOR_RACE_PAGES_H

#include "emulator/check/race-state.h"

#define RACE_PAGE_BITS 12
#define RACE_PAGE (1u << RACE_PAGE_BITS)
#define RACE_GROUP 64u

/* The word number i was touched by the lane of the mark + (i >> step). */
struct race_group {
	uint32_t write, read, other;
	uint8_t write_step, read_step, other_step;
	bool written;            /* some of it, also when it is open */
	_Atomic uint16_t common; /* words that several blocks read and nobody wrote; read without
				    the page's lock */
};

struct race_page {
	uint64_t number;
	struct race_page *previous; /* made before it */
	uint32_t slot;
	_Atomic bool lock;
	unsigned shift;                 /* a word is 1 << shift bytes */
	uint64_t open;                  /* bits of groups */
	_Atomic uint64_t common;        /* groups all of whose words are; read without the lock */
	uint32_t *write, *read, *other; /* of words; NULL: no group was opened so far */
	struct race_group groups[RACE_PAGE / RACE_GROUP];
};

int race_pages_init(struct race_global *g);
void race_pages_release(struct race_global *g);

/* The page of that number, made when there is none. NULL: the check was cut. */
struct race_page *race_page_find(struct race *r, uint64_t number);
/* Under the page's lock. A mark for each word of the group; false: the check was cut. */
bool race_page_open(struct race *r, struct race_page *p, uint32_t group);
/* Words as small as an access of 1 or 2 bytes. */
bool race_page_split(struct race *r, struct race_page *p, uint32_t size);

/* RACE_CHUNK accesses of the log. NULL: out of memory. */
struct race_chunk *race_log_chunk(struct race *r, uint32_t index);

#endif
