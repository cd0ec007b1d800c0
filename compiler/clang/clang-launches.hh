/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches in device code, which clang 19 does not have: no kernel may be named there. What it does
 * have is a lambda for host and device that device code calls, in which a launch is wrong only when
 * code is made of it. So a launch is put into one (CGPU_LAUNCH in prelude/cgpu-device.h), what is
 * said against it is forgotten, and the call that clang makes of it becomes calls of the device
 * runtime. For compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_LAUNCHES_HH
#define CGPU_COMPILER_CLANG_LAUNCHES_HH

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>
#include <llvm/IR/Module.h>

#include "compiler/clang/clang-shim.h"

/* D: a declaration of the unit, in the host's half. Calls job->edit(), and job->launched() for
 * kernels without a body. */
void clang_launches_report(clang::ASTContext &C, clang::Decl *D, const clang_job *job);

/* Before the unit ends, in the device's half. */
void clang_launches_allow(clang::Sema &S);

/* Of the module that clang has made, before LLVM's passes. */
void clang_launches_lower(llvm::Module &M);

#endif
