/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches in device code, which clang 19 does not support: no kernel may be named there. It does
 * support a lambda for host and device that device code calls, in which a launch is an error only
 * when code is generated. So a launch is put into one (CGPU_LAUNCH in prelude/cgpu-device.h), the
 * errors are dropped, and the generated call is replaced by calls of the device runtime. For
 * compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_LAUNCHES_HH
#define CGPU_COMPILER_CLANG_LAUNCHES_HH

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>
#include <llvm/IR/Module.h>

#include "compiler/clang/job/clang-shim.h"

/* Reports launches in a declaration of the unit, in the host compilation. Calls job->edit(), and
 * job->launched() for kernels without a body. */
void clang_launches_report(clang::ASTContext &C, clang::Decl *D, const clang_job *job);

/* Drops the errors, before the unit ends, in the device compilation. */
void clang_launches_allow(clang::Sema &S);

/* Lowers launches in the module that clang has made, before LLVM's passes. */
void clang_launches_lower(llvm::Module &M);

#endif
