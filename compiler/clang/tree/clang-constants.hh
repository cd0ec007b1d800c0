/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C constants that statements compute, such as `const int n = 2 * m;`, for C++ cells, which treat
 * them as constants with the same value. For constants of earlier cells there is a C declaration
 * with the value in an annotation.
 */
#ifndef CGPU_COMPILER_CLANG_CONSTANTS_HH
#define CGPU_COMPILER_CLANG_CONSTANTS_HH

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <map>
#include <string>
#include <vector>

/* Returns, as literals, the constants whose value clang can compute. computed has their
 * initialisers. */
std::map<const clang::NamedDecl *, std::string>
clang_computed_constants(const std::vector<clang::NamedDecl *> &declared,
			 const std::map<const clang::NamedDecl *, clang::Expr *> &computed);

#endif
