/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a C cell: its declarations are those of a file, and its statements are one function, as if
 * the declarations between them were absent. What a declaration does at run time is a statement,
 * too: an initialiser that is not constant, or one that follows code, for a variable that the
 * session may have, and that keeps its value until then. For compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_TURNS_HH
#define CGPU_COMPILER_CLANG_TURNS_HH

#include "compiler/clang/job/clang-shim.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

/* The result. Texts and trees belong to the unit. */
struct clang_turns {
	/* An expansion of a macro in the main file. */
	struct expansion {
		unsigned offset;
		const clang::IdentifierInfo *name;
		const clang::MacroInfo *macro;
	};
	std::vector<expansion> expansions; /* in the order of the text */
	std::set<const clang::TagDecl *>
		named; /* types that were given a name, because the cell gives them none */
	clang::FunctionDecl *run = nullptr; /* the statements; null: there are none */
	/* Variables that keep the session's value, if it has one, when the unit is loaded. */
	std::set<const clang::NamedDecl *> waiting;
	/* Constants that statements compute, `const int n = f();`, with their initialisers; another
	 * variable is their storage. */
	std::map<const clang::NamedDecl *, clang::Expr *> computed;
};

/*
 * Parses the main file, as clang::ParseAST() does, and passes all to the consumer of S at the end.
 * job->run is the name of the function. each: called with it before the consumer gets it, and
 * whether its last statement is an expression without `;`.
 */
void clang_turns_parse(clang::Sema &S, const clang_job *job, clang_turns *ret,
		       const std::function<void(clang::FunctionDecl *F, bool has_value)> &each);

/*
 * Returns the cell's text of a type, with a `;`: its definition, or the typedef that names it. "":
 * the text would mean something else when read again, since a macro has produced it, or a macro in
 * it takes arguments or has changed since.
 */
std::string clang_turns_text(const clang_turns &turns, const clang::TagDecl *tag,
			     const clang::Preprocessor &PP);

#endif
