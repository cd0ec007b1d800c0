/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of C that statements compute, `const int n = 2 * m;`: what C++ cells call a constant,
 * too, with the same value. Of those of earlier cells C has a declaration, which says the value in
 * an annotation.
 */
#ifndef CGPU_COMPILER_CLANG_CONSTANTS_HH
#define CGPU_COMPILER_CLANG_CONSTANTS_HH

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <map>
#include <string>
#include <vector>

/* Literals of those whose value clang finds. computed: what they begin with. */
std::map<const clang::NamedDecl *, std::string>
clang_computed_constants(const std::vector<clang::NamedDecl *> &declared,
			 const std::map<const clang::NamedDecl *, clang::Expr *> &computed);

#endif
