/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether Enter should run this text, or continue it. For consoles; nothing is compiled. */
#ifndef CGPU_COMPILER_IS_COMPLETE_H
#define CGPU_COMPILER_IS_COMPLETE_H

#include <stddef.h>

enum completeness { COMPLETENESS_COMPLETE, COMPLETENESS_INCOMPLETE, COMPLETENESS_INVALID };

struct compiler_session;

/* indent is what the next line should begin with, when incomplete. */
enum completeness is_complete(struct compiler_session *session, const char *text, char *indent,
			      size_t size);

#endif
