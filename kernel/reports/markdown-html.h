/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown of comments as HTML. */
#ifndef CGPU_KERNEL_REPORTS_MARKDOWN_HTML_H
#define CGPU_KERNEL_REPORTS_MARKDOWN_HTML_H

struct buffer;

/*
 * Appends as HTML what the compiler writes of a comment: of CommonMark paragraphs, items that
 * begin with "- ", code spans, and fences of backquotes. All else is shown as it is written, so
 * that no text of a comment becomes an element.
 */
void markdown_html(struct buffer *out, const char *text);

#endif
