/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One display of a cell: a bundle of MIME types, made and sent in one call. A call of a cell is
 * between display_begin() and display_end(), where memory is the library's and numbers are written
 * as C writes them, whatever locale the cell has set.
 */
#ifndef CGPU_RUNTIME_DISPLAY_DISPLAY_H
#define CGPU_RUNTIME_DISPLAY_DISPLAY_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/output-ring.h"

struct error;

struct display_call {
	const char *name; /* of the function that the cell has called */
	locale_t locale;  /* of the thread before */
};

struct display_call display_begin(const char *name);
/* rc -1: what err says is written on stderr, with the function's name in front. */
void display_end(const struct display_call *call, int rc, const struct error *err);

/* A block of the session between the two; zero. NULL: there is no memory, or the cell has ended. */
void *display_session_alloc(size_t size);
char *display_session_text(const char *text); /* NULL of NULL */
/*
 * Fails where the pointer of a cell is none to such a block of cgpu_KIND_new(): one of `size` bytes
 * that begins with `form`. Nothing of it is read before that is known.
 */
int display_session_check(const void *block, size_t size, uint64_t form, const char *kind,
			  struct error *err);

struct display_bundle {
	struct buffer types;
	unsigned n;
	bool too_large;
};

#define DISPLAY_BUNDLE_INIT { BUFFER_INIT, 0, false }

void display_put(struct display_bundle *b, const char *mime, const void *data, size_t size);
void display_put_buffer(struct display_bundle *b, const char *mime, const struct buffer *data);
/* Behind all text that the cell has written before; id NULL: it has none. Takes the content of the
 * bundle. */
int display_send(struct display_bundle *b, const char *id, bool update, struct error *err);
void display_bundle_release(struct display_bundle *b);

#define cleanup_bundle __attribute__((cleanup(display_bundle_release)))

/* A name that no other display of any session has. */
#define DISPLAY_ID_SIZE 33
void display_id_make(char ret[DISPLAY_ID_SIZE]);

void display_clear_output(int wait);

/* A record in the ring, behind all text that the cell has written before. */
void display_write(enum output_type type, const struct buffer *b);

#endif
