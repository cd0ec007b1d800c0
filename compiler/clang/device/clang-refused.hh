/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports errors in device code that are not always visible in its syntax: a call of a function
 * that only the host's C library has, deep inside of a class of the C++ library; a write to
 * constant memory, perhaps through a pointer. Each is reported at the causing line of the job's
 * text. For clang-device.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_REFUSED_HH
#define CGPU_COMPILER_CLANG_REFUSED_HH

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/IR/Module.h>

#include "compiler/clang/job/clang-shim.h"

/* Is called before LLVM removes writes that it recognises as undefined behaviour, and, for the
 * others, behind all inlining. */
void clang_refuse_writes(llvm::Module &M, clang::CompilerInstance &CI, const clang_job *job);
/* Is called when all is inlined and dead code is removed. */
void clang_refuse_calls(llvm::Module &M, clang::CompilerInstance &CI, const clang_job *job);

#endif
