/* SPDX-License-Identifier: Apache-2.0 */
/* A variable to look at: its parts as a table in HTML, and numbers as a line in SVG. */
#ifndef CGPU_KERNEL_VIEWS_VALUE_PICTURE_H
#define CGPU_KERNEL_VIEWS_VALUE_PICTURE_H

struct buffer;
struct parts_reader;
struct presenter_part;

/* Appends a table of the first parts; nothing when there are none. */
void value_picture_table(const struct presenter_part *p, const struct parts_reader *reader,
			 struct buffer *out);
/* Appends a picture of an array of numbers, or of one that is pointed to; nothing for other
 * values. */
void value_picture_line(const struct presenter_part *p, const struct parts_reader *reader,
			struct buffer *out);
/* Appends the picture as an element of HTML, which front ends leave in it where they take elements
 * of SVG out. */
void value_picture_image(const char *svg, struct buffer *out);

#endif
