/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that are the session's in C++, although headers which it has not asked for declare them too
 * (compiler/text/own-names.h): behind `#pragma CLANG_OWN name` what the precompiled header declares
 * at file scope by this name is not found any more. What the header itself says by it means what it
 * did. For clang-*.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_OWN_HH
#define CGPU_COMPILER_CLANG_OWN_HH

#include <clang/Frontend/CompilerInstance.h>

#include <memory>
#include <set>
#include <string>

/* Heed these directives in the compilation. The set has the names so far. */
std::shared_ptr<const std::set<std::string>> clang_own_names(clang::CompilerInstance &CI);

#endif
