/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the line program of a .debug_line section, DWARF 2 to 4 (section 6.2 of the standard), as
 * host compilers and ptxas write it. ptxas adds an opcode of NVIDIA for inlined code: it names the
 * row of the call, counted from 1 in the same sequence, and the function by its offset in
 * .debug_str.
 *
 * The section is validated: malformed content is an error, and nothing is read beyond its end.
 */
#ifndef CGPU_COMMON_CODE_LINE_PROGRAM_H
#define CGPU_COMMON_CODE_LINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct line_row {
	uint64_t address;
	uint32_t section; /* set by place() */
	uint32_t line;
	/* From the section's tables, "" when missing; valid as long as the section. */
	const char *folder, *file;
	uint32_t inlined_at; /* row of the call in this sequence, from 1; 0: not inlined */
	uint32_t function;   /* the inlined function, as an offset in .debug_str */
	bool end;            /* end of the sequence: code ends before this address */
};

struct line_program {
	const void *section;
	size_t len;
	/* Is called when a sequence begins at *address, which is `at` bytes into the section and
	 * may need a relocation. */
	void (*place)(void *data, size_t at, uint64_t *address, uint32_t *section);
	/* Receives the next row; returns 0, or -1 to stop with err filled. */
	int (*row)(void *data, const struct line_row *row, struct error *err);
	void *data;
};

/* Delivers every row of every unit in turn. ERROR_INPUT for malformed content. */
int line_program_run(const struct line_program *p, struct error *err);

#endif
