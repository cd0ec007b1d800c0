/* SPDX-License-Identifier: Apache-2.0 */
/* How host code uses the device, as the syntax tree has it. For compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_CUDA_HH
#define CGPU_COMPILER_CLANG_CUDA_HH

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/Sema/Sema.h>

#include <vector>

/* Is the lvalue a __device__ or __constant__ variable, or a part of one? What the host has of it is
 * a stand-in without a value. */
bool clang_cuda_is_on_device(const clang::Expr *E);

/* A `__managed__` variable of C++ code. */
bool clang_cuda_is_managed(const clang::Decl *D);
/* Is it __device__, __constant__ or __managed__? */
bool clang_cuda_is_of_device(const clang::VarDecl *V);

/* Is the function device code, alone or among others? */
bool clang_cuda_is_for_device(const clang::FunctionDecl *F);

/*
 * Of a declaration at file scope and those inside of it: the entries that it defines (instances of
 * templates, too) are added to ret. True: there is code for the device, or a variable of it.
 */
bool clang_cuda_find_device_code(clang::Decl *D, std::vector<clang::FunctionDecl *> *ret);

/*
 * Reads and writes of such a variable by statements of the host are errors. The value of the last
 * one may be shown (displays): that comes from the device.
 */
void clang_cuda_check_variables(clang::Stmt *body, clang::Sema &S, bool displays);

/* The same, and what follows, of all host code in a declaration of C++: functions, methods, and
 * what variables begin with. */
void clang_cuda_check_host_code(clang::Decl *D, clang::Sema &S);

/* A parameter that is a reference is an error: it would be an address of host memory. */
void clang_cuda_check_entry(clang::FunctionDecl *F, clang::Sema &S);

/*
 * In statements of the host each call of the runtime API whose result is used, `if (cudaMalloc(&p,
 * n))`, becomes the argument of cgpu_looked_at() (common/launch-glue.h), so that an error that the
 * code deals with is not told as one that nobody looked at. A result that is displayed is none of
 * these.
 */
void clang_cuda_mark_results(clang::Stmt *body, clang::Sema &S);

#endif
