/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the job's callback `symbol` what a unit declares (struct clang_symbol). For
 * compiler/clang/clang-shim.cc alone. */
#ifndef CGPU_COMPILER_CLANG_SYMBOLS_HH
#define CGPU_COMPILER_CLANG_SYMBOLS_HH

#include "compiler/clang/clang-shim.h"

#include <clang/AST/Decl.h>
#include <clang/AST/GlobalDecl.h>

#include <functional>
#include <string>

/* The symbol that a function of a C++ unit has in the object. */
typedef std::function<std::string(clang::GlobalDecl)> clang_symbol_of;

/* Of a variable of C: what the statements of its cell have to do with it
 * (compiler/clang/clang-turns.hh). */
struct clang_turn {
	bool waits = false, is_computed = false;
	std::string value; /* of one that is computed; "": not known */
	std::string text;  /* of a type: as the cell says it; "": as clang has read it */
};

/* Of a C++ unit: what C cells may see. symbol_of may be empty for one of C. */
void clang_report_symbol(const clang_job *job, clang::NamedDecl *N,
			 const clang_symbol_of &symbol_of, const clang_turn &turn);
/* Of a C++ unit: the functions that a declaration at the top defines, for the callback `function`.
 */
void clang_report_functions(const clang_job *job, const clang::Decl *D,
			    const clang_symbol_of &symbol_of);
/* Of a header that is precompiled, by its name alone. */
void clang_report_of_header(const clang_job *job, clang::NamedDecl *N);

#endif
