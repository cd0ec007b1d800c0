/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a C++ cell with statements at file scope. Consecutive statements become a function,
 * `static void PREFIX_N()`, which is called at their place: between the initialisers of the
 * variables around them. For compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_STATEMENTS_HH
#define CGPU_COMPILER_CLANG_STATEMENTS_HH

#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>

#include <functional>
#include <string>

struct clang_statements_place {
	bool is_inside = false;    /* the parser is inside of brackets */
	clang::SourceLocation end; /* end of the declaration that the consumer is given */
};

/*
 * Parses the main file, as clang::ParseAST() does, and passes all to the consumer of S. each:
 * called with such a function before the consumer gets it, and whether its last statement is an
 * expression without `;`. place: always has the parser's position. behind: declarations that follow
 * the main file, which may end with an expression; NULL: none.
 */
void clang_statements_parse(clang::Sema &S, const std::string &prefix,
			    const std::function<void(clang::FunctionDecl *F, bool has_value)> &each,
			    clang_statements_place *place, const char *behind);

#endif
