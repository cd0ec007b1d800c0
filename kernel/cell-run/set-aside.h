/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interrupted cell is rolled back as any other that has not reached its end: it may have stopped
 * between two writes that belong together. What it has done until then is set aside as the redo
 * image, kernel/state/redo.h.
 */
#ifndef CGPU_KERNEL_CELL_RUN_SET_ASIDE_H
#define CGPU_KERNEL_CELL_RUN_SET_ASIDE_H

struct buffer;
struct error;
struct supervisor;
struct worker;

/* Makes the redo image of the cell at work, whose worker stands still and must be ended; the cell
 * is to be rolled back, also with -1: there is no image. */
int set_aside(struct supervisor *s, struct worker *w, struct error *err);
/* Appends the sentence for the user about the image. */
void set_aside_put(const struct supervisor *s, struct buffer *out);

#endif
