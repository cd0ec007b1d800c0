/* SPDX-License-Identifier: Apache-2.0 */
/* Where the text of a declaration is, with the comment that describes it. */
#ifndef CGPU_COMPILER_CLANG_WRITTEN_HH
#define CGPU_COMPILER_CLANG_WRITTEN_HH

#include <clang/AST/DeclBase.h>

/* Bytes [begin, end) of the job's text; begin < 0: it is not there. */
struct clang_written {
	long begin = -1, end = -1;
	long code = -1; /* where the declaration itself begins, behind the comment */
};

/* Returns the place of a declaration as it is written, from the comment that ends right above it.
 */
clang_written clang_written_at(const clang::Decl *D);

#endif
