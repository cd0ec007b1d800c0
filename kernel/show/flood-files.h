/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files with all text of cells that have printed more than is shown, for as long as the session
 * lives: byte for byte as it came, stdout and stderr in their order. They lie in a folder of the
 * user's alone below the temporary one, which is made for the first of them. Together they have a
 * limit, for which the oldest make room. Nothing that goes wrong with a file fails a cell: what the
 * user is told about the text left out says it.
 */
#ifndef CGPU_KERNEL_SHOW_FLOOD_FILES_H
#define CGPU_KERNEL_SHOW_FLOOD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/error.h"

/* So much of a cell's text is kept in memory before a file is made for it. */
#define FLOOD_FILES_WAIT (4u << 20)

struct flood_file {
	char name[40];
	uint64_t size; /* bytes */
};

struct flood_files {
	const char *folder; /* borrowed */
	uint64_t most;      /* bytes of all files; 0: there are none */
	uint64_t size;
	struct flood_file *files; /* the oldest first; that of the cell at work is the last one */
	size_t n, cap;
	/* Of the cell at work: */
	uint32_t cell;       /* its number, 0 for one that has none */
	int fd;              /* its file; -1: there is none yet */
	struct buffer waits; /* text that is not in the file yet */
	bool is_cut;         /* the file has no room for more */
	struct error err;    /* why there is no file */
};

/* Starts without files; `folder` must live on, and is removed by somebody else in the end. */
void flood_files_init(struct flood_files *f, const char *folder, uint64_t most);
void flood_files_release(struct flood_files *f);

/* Starts a cell, of which `shown` bytes may be shown. */
void flood_files_begin(struct flood_files *f, uint32_t cell, uint64_t shown);
/* Adds text of it. A write to the file takes as long as the disk lets it. */
void flood_files_add(struct flood_files *f, const char *bytes, size_t len);
/* Ends it. With is_flood its file stays, and where it is, or why there is none, is appended as
 * a part of a sentence; otherwise there will be no file. */
void flood_files_end(struct flood_files *f, bool is_flood, struct buffer *ret);

#endif
