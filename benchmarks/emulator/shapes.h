/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device code of a known shape, and the sides that run it: cgpu's machine, interpreting or hot, and
 * pocl. The text of a shape is in shapes.cu and shapes.cl under its name; here is how it is
 * launched. A side that cannot go on says why and ends the process.
 */
#ifndef CGPU_BENCHMARKS_EMULATOR_SHAPES_H
#define CGPU_BENCHMARKS_EMULATOR_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUFFERS 3
#define BUFFER_BYTES (4u << 20)
#define ARGUMENTS_MAX 4

enum argument_kind { ARGUMENT_INT, ARGUMENT_FLOAT, ARGUMENT_BUFFER };

struct argument {
	enum argument_kind kind;
	int i; /* also the number of a buffer */
	float f;
};

struct shape {
	const char *name;
	const char *what;
	uint32_t grid[2], block[2];
	struct argument arguments[ARGUMENTS_MAX];
	size_t argument_count;
	int result; /* the buffer to compare */
};

extern const struct shape shapes[];
extern const size_t shape_count;

struct side {
	/* Once a process, for so many host threads. */
	void (*start)(unsigned threads);
	/* The shape's entry from its file; `variant` makes a text that no compiler has seen. */
	void (*compile)(const struct shape *s, const char *folder, unsigned variant);
	/* Before a launch that is measured; may be NULL. */
	void (*renew)(const struct shape *s);
	void (*write)(int buffer, const void *bytes);
	/* To the end of the grid. */
	void (*launch)(const struct shape *s);
	void (*read)(int buffer, void *bytes);
};

extern const struct side machine_side, hot_side, pocl_side;

/* Watch launches on the machine for races; CHECK_ALL: also what cannot race. */
enum check { CHECK_NOTHING, CHECK_RACES, CHECK_ALL };
void machine_side_check(enum check what);
/*
 * Operations of all warps in one launch of what was compiled, a step of each PTX instruction
 * counted as one: what the machine takes together is no loss.
 */
uint64_t machine_side_operations(const struct shape *s);
/* The copy of the core, and the device that pocl has found. */
const char *machine_side_device(void);
const char *pocl_side_device(void);

/* The file's text, malloc-ed. */
char *shapes_read(const char *folder, const char *name);
_Noreturn void shapes_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
