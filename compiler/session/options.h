/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clang options for a cell and the precompiled header that goes with them. The header lies in
 * the user's cache folder under a name that holds the hash of all that it was made from, so it is
 * made once on a machine.
 */
#ifndef CGPU_COMPILER_OPTIONS_H
#define CGPU_COMPILER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct clang_options;
struct session;
struct error;

enum options_language { OPTIONS_C, OPTIONS_CPP, OPTIONS_DEVICE };

struct options_set; /* options for one text of flags */

struct options {
	char *prelude;            /* folder with cgpu.h, owned */
	char *cuda_root;          /* owned; NULL without CUDA headers */
	char *clang_root;         /* folder with the headers that clang brings, owned */
	const char *no_cuda;      /* why there are none and what to do; NULL when they are there */
	struct options_set *sets; /* owned list, most recent first */
};

/* CGPU_PRELUDE and CGPU_CUDA name other folders than those of common/base/own-prefix.h. */
int options_init(struct options *o, struct error *err);
void options_release(struct options *o);

/*
 * Options for these flags of the user, header precompiled. Names of the header go to the session.
 * Owned by o. ERROR_COMPILE: clang does not take the flags.
 */
const struct clang_options *options_get(struct options *o, const char *cflags,
					struct session *session, struct error *err);
/* The same for C++, without a header: compiler/session/cpp-header.h has those. */
const struct clang_options *options_get_cpp(struct options *o, const char *cflags,
					    struct error *err);

/* The same for device code of compute capability sm (75 for 7.5). */
const struct clang_options *options_get_device(struct options *o, const char *cflags, unsigned sm,
					       struct error *err);

/* A hash of all that a header made of this text depends on but the files that it includes. */
int options_header_key(const struct options *o, const struct clang_options *clang, const char *text,
		       char key[40], struct error *err);
/* Where headers are kept; appended to ret. */
int options_cache_folder(struct buffer *ret, struct error *err);

/* Split at blanks; '...' and "..." keep blanks. Works in place; the words point into text. */
size_t options_split(char *text, const char **argv, size_t max);

#endif
