/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking inside device code that is compiled already: its PTX or machine code beside the source,
 * or what entries need. What is shown is made ready here, as text and as HTML, so that texts of
 * programs are parsed where a crash costs one question.
 */
#ifndef CGPU_COMPILER_LOOK_H
#define CGPU_COMPILER_LOOK_H

#include "common/base/buffer.h"
#include "common/protocol/compiler-protocol.h"
#include "compiler/inspect/listing.h"

/* The device code of one cell. */
struct look_unit {
	const char *cell; /* "In[3]" */
	const char *ptx;
	size_t ptx_len;
	const void *object; /* in which nvcc has put more of it; may be empty */
	size_t object_len;
};

struct look_request {
	enum look_kind kind;
	const char *name;              /* entry or device function; "" for all */
	uint32_t sm;                   /* of the machine code: 75 */
	uint32_t threads;              /* for LOOK_REGISTERS: a block, 0: the usual sizes */
	uint32_t dynamic_shared;       /* the same: bytes */
	const char *cuda_root;         /* where programs are looked for, may be NULL */
	const struct look_unit *units; /* the newest first: the first that has the name counts */
	size_t n_units;
	const struct listing_source *sources;
	size_t n_sources;
};

/* -1: ERROR_NOT_FOUND: there is no such code, or a program is missing, and which package has it;
 * ERROR_COMPILE of ptxas. */
int look(const struct look_request *r, struct buffer *text, struct buffer *html, struct error *err);

#endif
