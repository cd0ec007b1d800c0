/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line program of a .debug_line section, DWARF 2 to 4 (section 6.2 of the standard), as
 * compilers of the host and ptxas write it. ptxas adds an opcode of NVIDIA that says where code was
 * inlined: it names the row of the call, counted from 1 in the same sequence, and the function by
 * its place in .debug_str.
 *
 * Nothing of the section is believed: what is malformed is an error, and nothing is read beyond its
 * end.
 */
#ifndef CGPU_COMMON_CODE_LINE_PROGRAM_H
#define CGPU_COMMON_CODE_LINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct line_row {
	uint64_t address;
	uint32_t section; /* that `place` has named */
	uint32_t line;
	const char *folder, *file; /* as the section's table has them; "" where it does not; good as
				      long as the section */
	uint32_t inlined_at;       /* row of the call in this sequence, from 1; 0: not inlined */
	uint32_t function;         /* what was inlined, as an offset in .debug_str */
	bool end;                  /* of the sequence: code ends before this address */
};

struct line_program {
	const void *section;
	size_t len;
	/* A sequence begins at *address, which stands at `at` bytes of the section and may be still
	 * to be relocated. */
	void (*place)(void *data, size_t at, uint64_t *address, uint32_t *section);
	/* The next row; 0, or -1 to stop with err filled. */
	int (*row)(void *data, const struct line_row *row, struct error *err);
	void *data;
};

/* Every row of every unit in turn. ERROR_INPUT for what is malformed. */
int line_program_run(const struct line_program *p, struct error *err);

#endif
