/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTX operations with operands and what they must give (make-opcode-vectors.py), and the entry that
 * does one of them: for the emulated device in test-machine-opcodes, for a GPU in check-gpu.
 */
#ifndef CGPU_TESTS_PTX_OPCODE_ENTRY_H
#define CGPU_TESTS_PTX_OPCODE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

/* signature: a letter for each operand, destination first: b 8, h 16, r 32, d 64 bits, p predicate,
 * i immediate. */
struct opcode_vector {
	const char *form, *signature;
	uint64_t in[4], result;
};

/* An approximate operation: the exact value widened by the error that the ISA allows. */
struct opcode_bound {
	const char *form, *signature;
	uint64_t in[2];
	enum opcode_format { f16, bf16, f32 } format;
	double low, high;
};

/* What an entry reads and writes; the address of an array of them is its parameter. */
struct opcode_cell {
	uint64_t in[4], out;
};

enum opcode_mode {
	OPCODE_ALL,    /* each lane does the operation */
	OPCODE_BRANCH, /* odd lanes branch around it */
	OPCODE_GUARD,  /* odd lanes are off by a guard */
};

/* Rows of a form stand one behind the other. */
extern const struct opcode_vector opcode_vectors[];
extern const size_t opcode_vectors_n;
extern const struct opcode_bound opcode_bounds[];
extern const size_t opcode_bounds_n;

/* How many vectors from this one on, at most `most`, one entry can do: of one form, with the same
 * immediate. */
size_t opcode_run(const struct opcode_vector *v, size_t most);

/* The same for bounds, which have no immediates. */
size_t opcode_run_of_bounds(const struct opcode_bound *b, size_t most);

/* Append the entry `k`, without the head of the module: lane i loads the operands of cell i, does
 * the operation and stores the result. */
void opcode_entry_write(struct buffer *to, const struct opcode_vector *v, enum opcode_mode mode);

/* The bits of a cell's `out` that an operand of this letter has. */
uint64_t opcode_mask(char letter);

/* Is this result, the bits of `out`, between the bounds? */
bool opcode_within(const struct opcode_bound *b, uint64_t bits);

#endif
