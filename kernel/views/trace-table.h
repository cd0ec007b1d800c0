/* SPDX-License-Identifier: Apache-2.0 */
/* A trace as a table, in text and HTML: one row per call, in order, with a line for calls that are
 * left out. */
#ifndef CGPU_KERNEL_VIEWS_TRACE_TABLE_H
#define CGPU_KERNEL_VIEWS_TRACE_TABLE_H

#include "common/protocol/device-trace.h"

struct buffer;

void trace_table_text(const struct device_trace *t, struct buffer *out);
void trace_table_html(const struct device_trace *t, struct buffer *out);
/* Appends the subject of a row without its figures: "add", "x to d_x". */
void trace_table_subject(const struct device_trace_row *w, struct buffer *out);

#endif
