/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of cells that device code was compiled from, so that reports can quote their lines.
 * They are state of the session, since a launch may be of any earlier cell; beyond a total size the
 * oldest go, and a text that is run again is kept once, as that of its last run.
 */
#ifndef CGPU_RUNTIME_CUDA_SESSION_SOURCE_TEXT_H
#define CGPU_RUNTIME_CUDA_SESSION_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct unit;

/* The cell that runs has this text, borrowed until the next call; NULL: unknown. */
void source_text_begin(uint32_t cell, const char *text);
/* Device code of the running cell lives on, so its text is kept; under device.lock. */
void source_text_keep(void);
/* The same when the unit declares something for device code. */
void source_text_keep_of(const struct unit *u);
/* An emulator_source_fn. "In[3]" is a cell, other names are files of the program in a %%cuda cell.
 */
int source_text_line(void *data, const char *file, uint32_t line, char *ret, size_t size);
/* Quotes the line of a cell as reports do; nothing when it is blank or not known. */
void source_text_put(uint32_t cell, uint32_t line, struct buffer *out);

#endif
