/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and changes host code that uses the device, in the syntax tree. For
 * compiler/clang/clang-shim.cc alone. */
#ifndef CGPU_COMPILER_CLANG_CUDA_HH
#define CGPU_COMPILER_CLANG_CUDA_HH

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/Sema/Sema.h>

#include <vector>

/* Tells whether the lvalue is a __device__ or __constant__ variable, or a part of one. On the host
 * it is a stand-in without a value. */
bool clang_cuda_is_on_device(const clang::Expr *E);

/* Tells whether it is a `__managed__` variable of C++ code. */
bool clang_cuda_is_managed(const clang::Decl *D);
/* Tells whether it is __device__, __constant__ or __managed__. */
bool clang_cuda_is_of_device(const clang::VarDecl *V);

/* Tells whether the function is device code, perhaps also host code. */
bool clang_cuda_is_for_device(const clang::FunctionDecl *F);

/*
 * Adds the entries that a declaration at file scope, or one inside of it, defines to ret, with
 * instances of templates. True: there is device code or a device variable.
 */
bool clang_cuda_find_device_code(clang::Decl *D, std::vector<clang::FunctionDecl *> *ret);

/*
 * Reports reads and writes of device variables by host statements as errors. With displays, the
 * value of the last statement may be shown, since that is read from the device.
 */
void clang_cuda_check_variables(clang::Stmt *body, clang::Sema &S, bool displays);

/* Does the same for all host code in a C++ declaration: functions, methods, and initialisers of
 * variables. */
void clang_cuda_check_host_code(clang::Decl *D, clang::Sema &S);

/* Reports a reference parameter as an error: it would be an address of host memory. */
void clang_cuda_check_entry(clang::FunctionDecl *F, clang::Sema &S);

/*
 * Wraps each call of the runtime API in host statements whose result is used, `if (cudaMalloc(&p,
 * n))`, into cgpu_looked_at() (common/launch-glue.h), so that an error that the code handles is not
 * reported as unchecked. A displayed result does not count as used.
 */
void clang_cuda_mark_results(clang::Stmt *body, clang::Sema &S);

#endif
