/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The toolkit's C++ headers cost NVRTC a second or more in each cell that has them. Of those that a text includes the ones of
 * which it says no word are left out, and what is left is precompiled once: NVRTC takes such a header when the text starts
 * with the same directives. A precompiled header is of use to the process that has made it alone, so its file has no name.
 */
#ifndef CGPU_COMPILER_DEVICE_HEADER_H
#define CGPU_COMPILER_DEVICE_HEADER_H

#include <stdbool.h>

#include "common/buffer.h"

#define DEVICE_HEADERS_MAX 2 /* each is some 100 MB on disk */

struct device_headers {
	struct device_header {
		struct buffer key;
		int fd;	       /* -1: NVRTC could not make one of these */
		unsigned last; /* use */
	} at[DEVICE_HEADERS_MAX];
	unsigned n, uses, made;
};

void device_headers_release(struct device_headers *h);

/* The text without those includes of other cells than this one that it does not need, by its words; false: it needs all. */
bool device_header_lean(const char *text, const char *cell, struct buffer *ret);

/* The directives of the text that are worth to be precompiled, as a text may start with them; empty: there are none. */
void device_header_find(const char *text, struct buffer *ret);

/* The one for this key (directives and options); NULL when there is none yet. */
struct device_header *device_headers_get(struct device_headers *h, const char *key);

/* A path for a new one; -1: there is no folder. */
int device_headers_path(struct device_headers *h, struct buffer *ret);
/* What was written to that path, if anything, is the header of this key from here on. */
void device_headers_put(struct device_headers *h, const char *key, const char *path);
void device_headers_drop(struct device_headers *h, struct device_header *header);

#endif
