/* SPDX-License-Identifier: Apache-2.0 */
/* What `%help`, `%name?` and Shift-Tab say of magics, from the fields of struct magic alone. */
#ifndef CGPU_KERNEL_REPORTS_MAGIC_PAGE_H
#define CGPU_KERNEL_REPORTS_MAGIC_PAGE_H

#include <jansson.h>

struct magic;
struct presenter_view;

/* Returns the data of a message that describes a magic: plain text, Markdown and HTML. NULL: memory
 * is out. */
json_t *magic_page(const struct magic *m);

/* Fills a view with the list of all magics; the caller releases it. Its buffers say when memory is
 * out. */
void magic_page_list(const struct magic *const *table, struct presenter_view *view);

#endif
