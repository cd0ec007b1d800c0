/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the C++ library get no debugging information: what is inlined of them counts as the
 * cell's line that calls them, and a cell that uses containers compiles a sixth faster. For
 * compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_NODEBUG_HH
#define CGPU_COMPILER_CLANG_NODEBUG_HH

#include <clang/AST/ASTContext.h>

/* Marks the functions and templates of functions of a precompiled header before it is written;
 * instances take the mark over. */
void clang_mark_nodebug(clang::ASTContext &C);

#endif
