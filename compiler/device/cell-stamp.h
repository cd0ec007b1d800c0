/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of a cell in the output of nvcc. A cell is compiled under a number that no cell has,
 * and the cell's own number is put into the object afterwards: so the same text is compiled once,
 * whichever cell it is in, and reports name the right cell. The number is in line tables, in
 * strings made of __FILE__, in PTX and in the name of the symbol that runs the cell.
 */
#ifndef CGPU_COMPILER_CELL_STAMP_H
#define CGPU_COMPILER_CELL_STAMP_H

#include <stdint.h>

struct buffer;

/* Numbers of cells are smaller; a cell beyond it is compiled under its own number. */
#define CELL_STAMP 999983u

/* Replaces CELL_STAMP by the cell in a text, such as a log. */
void cell_stamp_text(struct buffer *text, uint32_t cell);
/*
 * Returns a hash of the loaded parts of an object that is not stamped yet: the same for the same
 * program, also when nvcc has compiled it twice. It is 0 only for an object that cannot be read.
 */
uint64_t cell_stamp_program(const struct buffer *object);
/* Stamps a relocatable object. Its size, and the offset of everything in it, stay the same. */
void cell_stamp_object(struct buffer *object, uint32_t cell);

#endif
