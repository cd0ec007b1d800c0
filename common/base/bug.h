/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BUG() is for states that only an error in cgpu itself can cause: it names the place and aborts.
 * Anything that a user, a file, the network or the operating system can cause is an error
 * (common/base/error.h), never a BUG().
 */
#ifndef CGPU_COMMON_BASE_BUG_H
#define CGPU_COMMON_BASE_BUG_H

#include <stdio.h>
#include <stdlib.h>

#define BUG(...)                                                                                   \
	do {                                                                                       \
		fprintf(stderr, "cgpu bug at %s:%d: ", __FILE__, __LINE__);                        \
		fprintf(stderr, __VA_ARGS__);                                                      \
		fputc('\n', stderr);                                                               \
		abort();                                                                           \
	} while (0)

#endif
