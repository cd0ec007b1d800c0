/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structured binding at file scope, `auto [a, b] = f();`, declares names that are no variables:
 * no symbol of the object has them, and no declaration could say them to another unit. Here each
 * name becomes a variable of the session, which is moved out of what is bound, or is a reference to
 * a part of it. For the C++ sources of compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_BINDINGS_HH
#define CGPU_COMPILER_CLANG_BINDINGS_HH

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/Sema/Sema.h>

#include <vector>

/*
 * Of a declaration at the top of C++ code and those inside of a namespace, before code is made of
 * it. From then on its names mean the variables; those at the top itself are given back, to be
 * handled behind the declaration.
 */
std::vector<clang::VarDecl *> clang_bindings_make(clang::Sema &S, clang::Decl *D);

/* What such a name means: a name of the variable, in brackets; nullptr: it is none of file scope.
 */
clang::ParenExpr *clang_bindings_meaning(const clang::BindingDecl *B);
/* The variable itself, or that which the name of a binding means; nullptr: it means none of file
 * scope. */
const clang::VarDecl *clang_bindings_variable(const clang::ValueDecl *D);
/* Was it made here? */
bool clang_bindings_made(const clang::VarDecl *V);

#endif
