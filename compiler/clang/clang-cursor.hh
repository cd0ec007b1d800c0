/* SPDX-License-Identifier: Apache-2.0 */
/* A cell is parsed up to a place. */
#ifndef CGPU_COMPILER_CLANG_CURSOR_HH
#define CGPU_COMPILER_CLANG_CURSOR_HH

#include "compiler/clang/job/clang-shim.h"

#include <clang/Sema/CodeCompleteConsumer.h>

/* Whether functions in front of the place have their bodies: most questions are not about them. */
enum clang_bodies { CLANG_WITHOUT_BODIES, CLANG_WITH_BODIES };

/* Parses the job's text up to a line and column, where the consumer, which is taken over, sees what
 * can stand there. */
void clang_parse_to(const clang_job *job, unsigned line, unsigned column, clang_bodies bodies,
		    clang::CodeCompleteConsumer *consumer);

#endif
