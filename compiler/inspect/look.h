/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows compiled device code: its PTX or machine code beside the source, or the resources of
 * entries. The result is formatted here, as text and as HTML, so that programs' texts are parsed
 * where a crash costs one question.
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
	const void *object; /* may contain further device code of nvcc; may be empty */
	size_t object_len;
};

struct look_request {
	enum look_kind kind;
	const char *name;              /* entry or device function; "" for all */
	uint32_t sm;                   /* target of the machine code: 75 */
	uint32_t threads;              /* for LOOK_REGISTERS: per block, 0: the usual sizes */
	uint32_t dynamic_shared;       /* likewise: bytes */
	const char *cuda_root;         /* the folder in which programs are searched, may be NULL */
	const struct look_unit *units; /* the newest first: the first that has the name is shown */
	size_t n_units;
	const struct listing_source *sources;
	size_t n_sources;
};

/* Appends the result to text and html. -1: ERROR_NOT_FOUND: there is no such code, or a program is
 * missing, with its package; ERROR_COMPILE from ptxas. */
int look(const struct look_request *r, struct buffer *text, struct buffer *html, struct error *err);

#endif
