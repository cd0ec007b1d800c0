/* SPDX-License-Identifier: Apache-2.0 */
/* Finds headers of the standard library with the table of clang's tools. For compiler/clang/
 * alone. */
#ifndef CGPU_COMPILER_CLANG_STD_HH
#define CGPU_COMPILER_CLANG_STD_HH

#include <clang/Basic/Diagnostic.h>

#include <string>

/* Returns "<iostream>" if the diagnostic says that std has no `cout`, or that there is no such
 * file; "": it is about something else. */
std::string clang_std_header(const clang::Diagnostic &info);
/* Returns "<iostream>" for "cout"; "": there is no std::name. */
std::string clang_std_header_of(llvm::StringRef name);

#endif
