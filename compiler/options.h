/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clang options for a cell and the precompiled header that goes with them. The header lies in
 * the user's cache folder under a name that holds the hash of all that it was made from, so it is
 * made once on a machine.
 */
#ifndef CGPU_COMPILER_OPTIONS_H
#define CGPU_COMPILER_OPTIONS_H

#include <stdbool.h>

struct clang_options;
struct session;
struct error;

struct options_set; /* options for one text of flags */

struct options {
	char *prelude;		  /* folder with cgpu.h, owned */
	char *cuda_root;	  /* owned; NULL without CUDA headers */
	struct options_set *sets; /* owned list, most recent first */
};

/* CGPU_PRELUDE and CGPU_CUDA name other folders than the installed ones. */
int options_init(struct options *o, struct error *err);
void options_release(struct options *o);

/*
 * Options for these flags of the user, header precompiled. Names of the header go to the session.
 * Owned by o. ERROR_COMPILE: clang does not take the flags.
 */
const struct clang_options *options_get(struct options *o, const char *cflags,
					struct session *session, struct error *err);

#endif
