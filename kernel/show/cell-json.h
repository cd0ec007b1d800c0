/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that a cell has made, for front ends. */
#ifndef CGPU_KERNEL_SHOW_CELL_JSON_H
#define CGPU_KERNEL_SHOW_CELL_JSON_H

#include <stddef.h>

#include <jansson.h>

struct error;

/* Parses it; bytes that are not UTF-8 are replaced. NULL: it is too large, or it is no JSON, with
 * line and column; `what` names it. */
json_t *cell_json(const char *what, const char *data, size_t len, struct error *err);

#endif
