/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What device code must not do, and its syntax does not always show: a call of a function that only
 * the host's C library has, which is deep inside of a class of the C++ library; a write to constant
 * memory, by a pointer too. An error for each of these is told at the line of the job's text that
 * it comes of. For clang-device.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_REFUSED_HH
#define CGPU_COMPILER_CLANG_REFUSED_HH

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/IR/Module.h>

#include "compiler/clang/clang-shim.h"

/* Before LLVM takes those away that it sees, as what never happens; and behind all that inlines,
 * for the others. */
void clang_refuse_writes(llvm::Module &M, clang::CompilerInstance &CI, const clang_job *job);
/* When all is inlined and what is never done is gone. */
void clang_refuse_calls(llvm::Module &M, clang::CompilerInstance &CI, const clang_job *job);

#endif
