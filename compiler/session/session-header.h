/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers that a session has included, precompiled, so that later cells are as fast as without
 * them. The precompiled header has the text that a cell would otherwise have in front: the
 * includes, and the macros before the last of them.
 *
 * Only for headers in angle brackets: a user's own files change, and may contain definitions.
 */
#ifndef CGPU_COMPILER_SESSION_HEADER_H
#define CGPU_COMPILER_SESSION_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "compiler/session/cpp-header.h"

struct clang_options;
struct options;
struct compiler_session;
struct session_mask;

struct session_header {
	struct buffer path; /* path of the header; empty: there is none */
	/* Directives that did not compile by themselves, with these options. */
	struct buffer refused;
	const struct clang_options *refused_by;
	struct cpp_header_watch watch;
};

void session_header_release(struct session_header *h);
/*
 * Returns the path of the header for a cell that defines these names, and makes it if need be.
 * NULL: the cell does without.
 */
const char *session_header_get(struct session_header *h, const struct options *o,
			       const struct clang_options *clang,
			       const struct compiler_session *session,
			       const struct session_mask *masks, size_t n_masks);

#endif
