/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that belong to the session in C++, although headers that it did not include declare them
 * too (compiler/text/own-names.h): behind `#pragma CLANG_OWN name`, declarations of this name at
 * file scope in the precompiled header are not found any more. Uses in the header itself keep their
 * meaning. For clang-*.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_OWN_HH
#define CGPU_COMPILER_CLANG_OWN_HH

#include <clang/Frontend/CompilerInstance.h>

#include <memory>
#include <set>
#include <string>

/* Makes the compilation obey these directives. The set has the names so far. */
std::shared_ptr<const std::set<std::string>> clang_own_names(clang::CompilerInstance &CI);

#endif
