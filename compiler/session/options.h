/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clang options for a cell and the precompiled header that goes with them. The header is in the
 * user's cache folder, under a name with a hash of all that it was made from, so it is made once on
 * a machine.
 */
#ifndef CGPU_COMPILER_OPTIONS_H
#define CGPU_COMPILER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct clang_diagnostic;
struct clang_options;
struct compiler_session;
struct error;

/* What a user can do about a flag that keeps every cell from compiling. */
#define OPTIONS_FLAGS_OFF "`%cflags off` and `%nvflags off` take the flags of cells off"

enum options_language { OPTIONS_C, OPTIONS_CPP, OPTIONS_DEVICE };

struct options_set; /* options for one text of flags */

struct options {
	char *prelude;            /* folder with cgpu.h, owned */
	char *cuda_root;          /* owned; NULL without CUDA headers */
	char *clang_root;         /* folder with clang's own headers, owned */
	const char *no_cuda;      /* why there is no CUDA and what to do; NULL when there is */
	struct options_set *sets; /* owned list, most recent first */
};

/* Finds the folders. CGPU_PRELUDE and CGPU_CUDA replace those of common/base/own-prefix.h. */
int options_init(struct options *o, struct error *err);
void options_release(struct options *o);

/*
 * Returns options for these flags of the user, with the header precompiled, and adds the header's
 * names to the session. Owned by o. ERROR_COMPILE: clang does not accept the flags.
 */
const struct clang_options *options_get(struct options *o, const char *cflags,
					struct compiler_session *session, struct error *err);
/* Returns the same for C++, without a header, which compiler/session/cpp-header.h makes. */
const struct clang_options *options_get_cpp(struct options *o, const char *cflags,
					    struct error *err);

/* Returns the same for device code of compute capability sm (75 for 7.5). */
const struct clang_options *options_get_device(struct options *o, const char *cflags, unsigned sm,
					       struct error *err);

/*
 * Appends the first error of a header that is precompiled. One in a file that a flag names, as
 * -include does, comes from no text of the user, so it is told with the flag.
 */
void options_complain(const struct clang_diagnostic *d, struct buffer *complaint);

/* Makes a hash of all that a header with this text depends on, except the files that it
 * includes. */
int options_header_key(const struct options *o, const struct clang_options *clang, const char *text,
		       char key[40], struct error *err);

#endif
