/* SPDX-License-Identifier: Apache-2.0 */
/* What a cell declares at the top is for later cells, other objects of the same program. For compiler/clang-shim.cc alone. */
#ifndef CGPU_COMPILER_CLANG_PUBLISH_HH
#define CGPU_COMPILER_CLANG_PUBLISH_HH

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include "compiler/clang-shim.h"

/* Of a declaration at the top of a C unit: hidden visibility is taken off, and in lines of the job's cell also what a
 * macro has made static. Before code is generated. */
void clang_publish(clang::Decl *D, const clang::SourceManager &SM, const clang_job *job);

/* Of a declaration at the top of C code: `inline` without `static` in a file of the user is what C++ takes it for, a function that
 * is there. In C99 no object would have its code, and a call that is not inlined would find none. */
void clang_publish_inline(clang::Decl *D, const clang::SourceManager &SM);

#endif
