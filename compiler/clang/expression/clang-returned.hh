/* SPDX-License-Identifier: Apache-2.0 */
/* What calls and constructors come to, where that is an expression. For clang-program.cc alone. */
#ifndef CGPU_COMPILER_CLANG_RETURNED_HH
#define CGPU_COMPILER_CLANG_RETURNED_HH

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

/* Returns what a function returns if it does nothing else; NULL: it does more, or has no body. */
const clang::Expr *clang_only_return(const clang::FunctionDecl *F);
/* Tells whether the result is the argument, or the address of that: functions that clang knows. */
bool clang_is_its_argument(const clang::FunctionDecl *F);
/*
 * Returns what the one member of an object is made of, if it has no other and its constructor does
 * nothing else, as that of an iterator; NULL: it is another object. Constructors that are instances
 * of templates have been defined.
 */
const clang::Expr *clang_one_member(const clang::CXXConstructExpr *E);

#endif
