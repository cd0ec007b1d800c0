/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the output of the cell at work, in order, to iopub. Text is buffered for a while, so that a
 * loop of printf is a few messages (front ends drop output above 1000 messages a second), and is
 * always sent before any other message of the cell. Of a flood, the text that is not shown is in a
 * file.
 */
#ifndef CGPU_KERNEL_SESSION_OUTPUT_H
#define CGPU_KERNEL_SESSION_OUTPUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/output-ring.h"
#include "kernel/show/flood-files.h"
#include "kernel/show/stream.h"

struct loop_source;
struct message;
struct session;

enum { STREAM_STDOUT, STREAM_STDERR, STREAMS };

struct output {
	struct session *session;
	size_t limit; /* bytes per cell */
	struct stream streams[STREAMS];
	struct flood_files floods;
	int last;                     /* the stream that was written last */
	unsigned switches;            /* changes of the stream since the last tick of the timer */
	const struct message *parent; /* NULL: no cell is at work, and output is dropped */
	struct loop_source *timer;
	struct buffer parts; /* of a display that is larger than one record */
};

void output_init(struct output *o, struct session *s, size_t limit);
void output_release(struct output *o);

/* Has all text of floods kept in files below `folder`, which must live on, `most` bytes of them.
 * Until then there are none. */
void output_keep_floods(struct output *o, const char *folder, uint64_t most);

/* number: that of the cell; 0: it has none. */
void output_begin(struct output *o, const struct message *parent, uint32_t number);
/* Sends everything, the tails of long streams too. */
void output_end(struct output *o);

void output_text(struct output *o, int stream, const char *bytes, size_t len);
void output_printf(struct output *o, int stream, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Handles a record that is no text and no result. */
void output_record(struct output *o, enum output_type type, const char *bytes, size_t len);
/* Sends text that waits, before another message. */
void output_flush(struct output *o);

#endif
