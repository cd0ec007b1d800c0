/* SPDX-License-Identifier: Apache-2.0 */
/* Hints for diagnostics of clang, by their number. For compiler/clang/job/clang-job.hh alone. */
#ifndef CGPU_COMPILER_CLANG_HINTS_HH
#define CGPU_COMPILER_CLANG_HINTS_HH

#include <clang/Basic/Diagnostic.h>

#include <string>

/* Returns a hint in terms of the user's program; "": clang's message is sufficient. */
std::string clang_hint(const clang::Diagnostic &info);

#endif
