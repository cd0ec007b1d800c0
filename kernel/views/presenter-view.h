/* SPDX-License-Identifier: Apache-2.0 */
/* What cgpu-presenter has made of a value, a trace or a profile, in the forms in which front ends
 * can show it. */
#ifndef CGPU_KERNEL_VIEWS_PRESENTER_VIEW_H
#define CGPU_KERNEL_VIEWS_PRESENTER_VIEW_H

#include "common/base/buffer.h"

struct error;

/* A form that there is none of is empty. */
struct presenter_view {
	struct buffer text, html;
	struct buffer timeline; /* text beside the chart */
	struct buffer chart;    /* a Vega-Lite specification */
};

void presenter_view_release(struct presenter_view *v);
/* Encodes the view, or why there is none; failure: "" when there is one. */
void presenter_view_put(const struct presenter_view *v, const char *failure, struct buffer *out);
/* Decodes a view. *ret_failure is borrowed from the bytes. ERROR_PROTOCOL: it is malformed. */
int presenter_view_take(const void *bytes, size_t len, struct presenter_view *ret,
			const char **ret_failure, struct error *err);

#endif
