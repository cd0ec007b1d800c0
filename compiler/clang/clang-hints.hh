/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about a diagnostic of clang, by its number. For compiler/clang/clang-job.hh alone. */
#ifndef CGPU_COMPILER_CLANG_HINTS_HH
#define CGPU_COMPILER_CLANG_HINTS_HH

#include <clang/Basic/Diagnostic.h>

#include <string>

/* In words of the user's program; "": clang has said it all. */
std::string clang_hint(const clang::Diagnostic &info);

#endif
