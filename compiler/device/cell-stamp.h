/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of a cell in what nvcc makes of it. A cell is compiled under a number that no cell
 * has, and the object is given the cell's own number afterwards: so the same text is compiled once,
 * whichever cell it stands in, and reports name the right one. The number stands in line tables, in
 * strings made of __FILE__, in PTX and in the name of the symbol that runs the cell.
 */
#ifndef CGPU_COMPILER_CELL_STAMP_H
#define CGPU_COMPILER_CELL_STAMP_H

#include <stdint.h>

struct buffer;

/* Numbers of cells are smaller; a cell beyond it is not stamped, but compiled as itself. */
#define CELL_STAMP 999983u

/* In a text, such as a log: the cell in the place of CELL_STAMP. */
void cell_stamp_text(struct buffer *text, uint32_t cell);
/*
 * Of what is loaded of an object that is not stamped yet: the same for the same program, also when
 * nvcc has made it twice. Never 0, but for an object that cannot be read.
 */
uint64_t cell_stamp_program(const struct buffer *object);
/* In a relocatable object. Its size stays, and so does the place of everything in it. */
void cell_stamp_object(struct buffer *object, uint32_t cell);

#endif
