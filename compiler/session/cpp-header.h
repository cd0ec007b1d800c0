/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Precompiled headers for C++ cells: one for each list of includes, in the cache folder beside the
 * C one. Parsing the standard library's headers is most of the work of a C++ cell; with this they
 * are parsed once on a machine.
 */
#ifndef CGPU_COMPILER_CPP_HEADER_H
#define CGPU_COMPILER_CPP_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct clang_job;
struct clang_options;
struct error;
struct options;

/* clang_shim_build_header() or clang_shim_build_instances(). */
typedef int cpp_header_make(const struct clang_job *job, const char *path);
/*
 * Writes a header and the list of its files, job->header among them; both appear atomically. The
 * job has no callbacks. refused gets what job->refused is told, a line each; NULL: it is dropped.
 */
int cpp_header_write(const struct clang_job *job, cpp_header_make *make, const char *header,
		     struct buffer *refused, struct error *err);
/* Tells whether the header exists and its files are unchanged. */
bool cpp_header_holds(const char *header);
/* Marks the header as used, so that older ones are removed before it. */
void cpp_header_note_use(const char *header);
/*
 * Lets a child precompile, while the compiler is idle, the headers without includes for n option
 * sets, at most HEADERS_AHEAD_MAX, if they are missing (compiler/session/header-ahead.h).
 * cpp_header_watch_get() of one of them waits for it, or makes it, whichever is shorter.
 */
void cpp_header_make_ahead(const struct options *o, const struct clang_options *const *clang,
			   size_t n);
/* Appends the path of the header, made or not. */
int cpp_header_path(const struct options *o, const struct clang_options *clang,
		    const char *includes, struct buffer *ret, struct error *err);

/* A header whose files were checked. All zero: none was. */
struct cpp_header_watch {
	struct buffer path;
	/* A line for each file of the header that is a user's own. Files of the system and of cgpu
	 * change only when packages are installed. */
	struct buffer own;
	uint64_t looked_ns; /* the time when all files were checked */
};

void cpp_header_watch_release(struct cpp_header_watch *w);
/*
 * Appends the path of a header with `includes` ("#include <...>" lines) and what every cell sees.
 * It is made if it is missing or if one of its files has changed: a user's files are checked each
 * time, the system's, hundreds of them, at most once a second. -1: ERROR_COMPILE, a header does not
 * compile or is missing, with clang's message; ERROR_SYSTEM, the cache cannot be written.
 */
int cpp_header_watch_get(struct cpp_header_watch *w, const struct options *o,
			 const struct clang_options *clang, const char *includes,
			 struct buffer *ret, struct error *err);

#endif
