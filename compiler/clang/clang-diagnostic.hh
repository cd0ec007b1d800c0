/* SPDX-License-Identifier: Apache-2.0 */
/* What a diagnostic means, by its number, and what it is about, by the values that its text is made
 * of. For compiler/clang/ alone. */
#ifndef CGPU_COMPILER_CLANG_DIAGNOSTIC_HH
#define CGPU_COMPILER_CLANG_DIAGNOSTIC_HH

#include "compiler/clang/clang-shim.h"

#include <clang/AST/Type.h>
#include <clang/Basic/Diagnostic.h>

#include <string>

clang_diagnostic_kind clang_kind_of(unsigned id);
/* Is it about how the text is written, and not about what it means? */
bool clang_is_of_parser(unsigned id);

/* The name that argument i is, as it is spelled; "": it is none. */
std::string clang_argument_name(const clang::Diagnostic &info, unsigned i);
/* The type that argument i is; null: it is none. */
clang::QualType clang_argument_type(const clang::Diagnostic &info, unsigned i);

/* The first argument that is a name, or the file that an #include asks for; "": there is none. */
std::string clang_name_of(const clang::Diagnostic &info);
/* The name that clang would write instead of that one; "": it has no guess. */
std::string clang_guess_of(const clang::Diagnostic &info);
/* What it says without that guess. */
std::string clang_text_without_guess(const clang::Diagnostic &info);
/* Is that the function which runs the cell, of which the user knows nothing? */
bool clang_is_run(const clang::Diagnostic &info);
/* The first class or enum without a definition among the types of the arguments, which may be
 * pointers to it; "": there is none. */
std::string clang_incomplete_of(const clang::Diagnostic &info);

/* How many arguments a call wants at least that has too few; 0 for another diagnostic. */
unsigned clang_wanted_of(const clang::Diagnostic &info);

#endif
