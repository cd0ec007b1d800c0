/* SPDX-License-Identifier: Apache-2.0 */
/* Interprets a diagnostic by its number, and its subject by the arguments of its text. For
 * compiler/clang/ alone. */
#ifndef CGPU_COMPILER_CLANG_DIAGNOSTIC_HH
#define CGPU_COMPILER_CLANG_DIAGNOSTIC_HH

#include "compiler/clang/job/clang-shim.h"

#include <clang/AST/Type.h>
#include <clang/Basic/Diagnostic.h>

#include <string>

clang_diagnostic_kind clang_kind_of(unsigned id);
/* Tells whether the diagnostic is about syntax, not about meaning. */
bool clang_is_of_parser(unsigned id);

/* Returns the name that is argument i, as it is spelled; "": it is none. */
std::string clang_argument_name(const clang::Diagnostic &info, unsigned i);
/* Returns the type that is argument i; null: it is none. */
clang::QualType clang_argument_type(const clang::Diagnostic &info, unsigned i);

/* Returns the first argument that is a name, or the file of an #include; "": there is none. */
std::string clang_name_of(const clang::Diagnostic &info);
/* Returns the name that clang suggests in place of that one; "": it has no guess. */
std::string clang_guess_of(const clang::Diagnostic &info);
/* Returns the text of the diagnostic without that guess. */
std::string clang_text_without_guess(const clang::Diagnostic &info);
/* Tells whether it is about the function that runs the cell, which the user does not know. */
bool clang_is_run(const clang::Diagnostic &info);
/* Returns the first class or enum without a definition among the types of the arguments, which may
 * be pointers to it; "": there is none. */
std::string clang_incomplete_of(const clang::Diagnostic &info);

/* Returns the minimum number of arguments for a call with too few; 0 for another diagnostic. */
unsigned clang_wanted_of(const clang::Diagnostic &info);

#endif
