/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a line that a report names. Who has the driver loaded may know texts that are no
 * files, such as cells; what has an absolute path is read from its file.
 */
#ifndef CGPU_EMULATOR_SOURCE_LINE_H
#define CGPU_EMULATOR_SOURCE_LINE_H

#include <stdint.h>

#include "common/cuda/emulator-extension.h"

struct buffer;

/* NULL: there is nobody to ask. Called from any thread that reports. */
void source_line_set_reader(emulator_source_fn read, void *data);
/* indent, "  5 | p[i] = 1;"; nothing when the text is not known, or blank. */
void source_line_put(const char *file, uint32_t line, const char *indent, struct buffer *out);

#endif
