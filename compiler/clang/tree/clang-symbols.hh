/* SPDX-License-Identifier: Apache-2.0 */
/* Passes the declarations of a unit (struct clang_symbol) to the job's callback `symbol`. For
 * compiler/clang/clang-shim.cc alone. */
#ifndef CGPU_COMPILER_CLANG_SYMBOLS_HH
#define CGPU_COMPILER_CLANG_SYMBOLS_HH

#include "compiler/clang/job/clang-shim.h"

#include <clang/AST/Decl.h>
#include <clang/AST/GlobalDecl.h>

#include <functional>
#include <string>

/* Returns the symbol that a function of a C++ unit has in the object. */
typedef std::function<std::string(clang::GlobalDecl)> clang_symbol_of;

/* The relation of a C variable to the statements of its cell (compiler/clang/cells/clang-turns.hh).
 */
struct clang_turn {
	bool waits = false, is_computed = false;
	std::string value; /* of a computed constant; "": not known */
	std::string text;  /* for a type: the text of the cell; "": print it from the tree */
};

/* Reports a symbol; for a C++ unit only what C cells may see. symbol_of may be empty for a C
 * unit. */
void clang_report_symbol(const clang_job *job, clang::NamedDecl *N,
			 const clang_symbol_of &symbol_of, const clang_turn &turn);
/* Reports, for a C++ unit, the functions that a declaration at the top defines, to the callback
 * `function`. */
void clang_report_functions(const clang_job *job, const clang::Decl *D,
			    const clang_symbol_of &symbol_of);
/* Reports a symbol of a header that is precompiled, by its name alone. */
void clang_report_of_header(const clang_job *job, clang::NamedDecl *N);

#endif
