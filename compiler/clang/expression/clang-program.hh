/* SPDX-License-Identifier: Apache-2.0 */
/* Translates an expression of the syntax tree to a program of common/code/expression.h. */
#ifndef CGPU_COMPILER_CLANG_PROGRAM_HH
#define CGPU_COMPILER_CLANG_PROGRAM_HH

#include "common/code/expression.h"

#include <clang/AST/Expr.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

struct clang_program {
	expression_kind kind; /* of the result */
	clang::QualType type;
	std::vector<std::pair<std::string, uint32_t>> locals; /* name, line */
	std::vector<std::string> variables;                   /* symbols */
	std::string code;
	std::string refusal; /* why there is no program, with the words of the user; "": there is */
};

/*
 * Translates an expression in a function, here. Functions of which nothing but a `return` is left
 * are part of the program; define() has clang make the body of an instance of a template. What a
 * program cannot do is refused.
 */
clang_program clang_program_of(const clang::Expr *E, clang::ASTContext &C,
			       const clang::DeclContext *here,
			       const std::function<void(clang::FunctionDecl *)> &define);

#endif
