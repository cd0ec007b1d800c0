/* SPDX-License-Identifier: Apache-2.0 */
/* Builds expressions for a cell's syntax tree as if they had been parsed there. For compiler/clang/
 * alone. */
#ifndef CGPU_COMPILER_CLANG_BUILD_HH
#define CGPU_COMPILER_CLANG_BUILD_HH

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/Sema/Sema.h>

/* Builds a call of a function at file scope, or of the namespace `where`; null: there is none, or
 * the arguments do not fit. */
clang::Expr *clang_build_call(clang::Sema &S, clang::DeclContext *where, const char *name,
			      llvm::MutableArrayRef<clang::Expr *> arguments,
			      clang::SourceLocation L);
clang::Expr *clang_build_text(clang::ASTContext &C, llvm::StringRef text, clang::SourceLocation L);
/* Returns cgpu_show of prelude/cgpu-show.h; null: the unit does not have it. */
clang::NamespaceDecl *clang_build_show(clang::Sema &S);

#endif
