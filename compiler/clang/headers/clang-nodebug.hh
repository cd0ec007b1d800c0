/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suppresses debugging information for functions of the C++ library: code that is inlined from them
 * counts as the calling line of the cell, and a cell that uses containers compiles a sixth faster.
 * For compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_NODEBUG_HH
#define CGPU_COMPILER_CLANG_NODEBUG_HH

#include <clang/AST/ASTContext.h>

/* Marks the functions and function templates of a precompiled header before it is written;
 * instances inherit the mark. */
void clang_mark_nodebug(clang::ASTContext &C);

#endif
