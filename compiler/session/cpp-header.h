/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Precompiled headers of C++ cells: one for each list of includes, in the cache folder beside the C
 * one. The standard library's headers are most of the work of a C++ cell; with this they are read
 * once on a machine.
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

/* clang_shim_build_header(), or clang_shim_build_instances(). */
typedef int cpp_header_make(const struct clang_job *job, const char *path);
/*
 * Writes a header and the list of its files, job->header among them; both are seen whole or not at
 * all. The job has no callbacks; refused: what job->refused is told, a line each; NULL: nothing is.
 */
int cpp_header_write(const struct clang_job *job, cpp_header_make *make, const char *header,
		     struct buffer *refused, struct error *err);
/* Is it there, made of files that are as they were? */
bool cpp_header_holds(const char *header);
/* Others make room for new ones before this one does. */
void cpp_header_note_use(const char *header);
/*
 * Those of no includes for n options, at most HEADERS_AHEAD_MAX, are made by a child while nothing
 * is to be done, where they are not there (compiler/session/header-ahead.h). cpp_header_watch_get()
 * of one of them waits, or makes it, whichever is shorter.
 */
void cpp_header_make_ahead(const struct options *o, const struct clang_options *const *clang,
			   size_t n);
/* Where it lies, made or not. */
int cpp_header_path(const struct options *o, const struct clang_options *clang,
		    const char *includes, struct buffer *ret, struct error *err);

/* A header that was looked at. Zeros: none was. */
struct cpp_header_watch {
	struct buffer path;
	/* A line for each of its files that is a user's own. The system's, and cgpu's, change when
	 * packages are installed. */
	struct buffer own;
	uint64_t looked_ns; /* when all of them were looked at */
};

void cpp_header_watch_release(struct cpp_header_watch *w);
/*
 * A header of what every cell sees and of `includes` ("#include <...>" lines); its path is appended
 * to ret. When it was made and a file that it consists of has changed, it is made again: a user's
 * files are looked at each time, the system's, hundreds of them, when that was not done within the
 * last second. -1: ERROR_COMPILE, a header does not compile or is not there, with clang's words;
 * ERROR_SYSTEM, the cache cannot be written.
 */
int cpp_header_watch_get(struct cpp_header_watch *w, const struct options *o,
			 const struct clang_options *clang, const char *includes,
			 struct buffer *ret, struct error *err);

#endif
