/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lambdas that capture variables of the session. Those are no local variables, so `[=]` is refused
 * at file scope, and elsewhere it captures none of them, which code of the device could not reach
 * then. The edits of the text that are reported give such a lambda copies: `[=]` becomes `[x = x, y
 * = y]`. For compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_CAPTURES_HH
#define CGPU_COMPILER_CLANG_CAPTURES_HH

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include "compiler/clang/clang-shim.h"

/* D: a variable at file scope, or a function made of statements. Calls job->edit(). */
void clang_captures_report(clang::ASTContext &C, clang::Decl *D, const clang_job *job);

#endif
