/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of this room share about widgets. */
#ifndef CGPU_RUNTIME_WIDGETS_WIDGETS_H
#define CGPU_RUNTIME_WIDGETS_WIDGETS_H

#include "runtime/widgets/comm.h"

struct buffer;

struct widget_kind_row {
	const char *word, *module, *version, *model, *view, *value;
};

/* By enum widget_kind. */
const struct widget_kind_row *widget_kind_row(enum widget_kind kind);

/* Appends the widget as a line of text, a box as one for each of its children. */
void widget_text_put(const cgpu_comm *w, struct buffer *out);
/* Appends option `index` of a dropdown; false: there is none. */
bool widget_text_option(const char *state, int index, struct buffer *out);

#endif
