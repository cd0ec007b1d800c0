/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target: one boundary where bytes come in that a cell, another process or a stranger may
 * have written. test-fuzz gives each target the inputs that its own encoder makes and a fixed
 * number of damaged ones; `./bootstrap fuzz` lets libFuzzer look for others, for as long as one
 * likes.
 */
#ifndef CGPU_TESTS_FUZZ_FUZZ_H
#define CGPU_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

struct fuzz_target {
	/* Gives the bytes to the code behind the boundary, and uses whatever that makes of them.
	 * Returns whether they were accepted. */
	bool (*one)(const uint8_t *data, size_t size);
	/* Appends a valid input, number i of all; false: there are no more. */
	bool (*seed)(unsigned i, struct buffer *to);
	/* How many damaged inputs test-fuzz makes. */
	unsigned rounds;
};

#define FUZZ_TARGET(name) extern const struct fuzz_target fuzz_##name;
#include "tests/fuzz/targets.def"
#undef FUZZ_TARGET

/* A folder in memory for the files of targets, which is removed when the process ends: a descriptor
 * that belongs to it, and its path. */
int fuzz_folder(void);
const char *fuzz_path(void);
/* Writes a file with these bytes in the folder, in place of what is there. */
void fuzz_file(const char *name, const void *data, size_t size);
/* Appends the content of a file, which must be there. */
void fuzz_read(const char *path, struct buffer *to);

#endif
