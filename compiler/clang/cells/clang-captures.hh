/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes lambdas capture variables of the session. These are no local variables, so clang refuses
 * `[=]` at file scope, and elsewhere it captures none of them, so that device code could not reach
 * them. The reported edits of the text give such a lambda copies: `[=]` becomes `[x = x, y = y]`.
 * For compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_CAPTURES_HH
#define CGPU_COMPILER_CLANG_CAPTURES_HH

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include "compiler/clang/job/clang-shim.h"

/* Reports edits by job->edit(). D is a variable at file scope, or a function made of statements. */
void clang_captures_report(clang::ASTContext &C, clang::Decl *D, const clang_job *job);

#endif
