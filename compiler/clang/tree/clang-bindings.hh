/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structured bindings at file scope: `auto [a, b] = f();` declares names that are no variables:
 * they have no symbol in the object, and cannot be declared in another unit. This file makes each
 * name a variable of the session, which is moved out of the bound object, or is a reference to a
 * part of it. For the C++ sources of compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_BINDINGS_HH
#define CGPU_COMPILER_CLANG_BINDINGS_HH

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/Sema/Sema.h>

#include <vector>

/*
 * Makes variables for the bindings of a declaration at the top of C++ code, and of those in a
 * namespace, before code generation. From then on the names mean the variables; those at the top
 * itself are returned, to be handled behind the declaration.
 */
std::vector<clang::VarDecl *> clang_bindings_make(clang::Sema &S, clang::Decl *D);

/* Returns the meaning of such a name: a reference to the variable, in parentheses; nullptr: it is
 * no binding at file scope. */
clang::ParenExpr *clang_bindings_meaning(const clang::BindingDecl *B);
/* Returns the variable itself, or the one that a binding's name means; nullptr: it means none at
 * file scope. */
const clang::VarDecl *clang_bindings_variable(const clang::ValueDecl *D);
/* Tells whether the variable was made here. */
bool clang_bindings_made(const clang::VarDecl *V);

#endif
