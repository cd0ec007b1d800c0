/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the manual of this machine says of a function of C's library or of Linux: man(1) makes text
 * of its page, in sections 2 and 3, and the beginning of that is kept. A machine without manual
 * pages is asked for a few names of files, and nothing is started.
 */
#ifndef CGPU_COMPILER_MANUAL_H
#define CGPU_COMPILER_MANUAL_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

#define MANUAL_PAGES_MAX 256

struct manual_page {
	char *name; /* of the function; owned */
	char *text; /* as Markdown that reads well as text; "": there is no page; owned */
};

/* All zero: nothing was asked for yet. */
struct manual {
	struct manual_page pages[MANUAL_PAGES_MAX]; /* the answers, the oldest makes room */
	size_t next;
};

void manual_release(struct manual *m);
/* Appends name, synopsis, the first paragraphs of the description and the result of a function, an
 * identifier; nothing if there is no page of it, or no man that has made text of it within seconds.
 */
void manual_put(struct manual *m, const char *name, struct buffer *out);

#endif
