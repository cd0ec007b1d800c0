/* SPDX-License-Identifier: Apache-2.0 */
/* Publishes declarations: what a cell declares at the top must be visible to later cells, which are
 * other objects of the same program. For compiler/clang/ alone. */
#ifndef CGPU_COMPILER_CLANG_PUBLISH_HH
#define CGPU_COMPILER_CLANG_PUBLISH_HH

#include <clang/AST/Decl.h>
#include <clang/Basic/CodeGenOptions.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/IR/Module.h>

#include "compiler/clang/job/clang-shim.h"

/* Publishes a declaration at the top of a C unit: removes hidden visibility, and in lines of the
 * job's cell also a `static` from a macro. It is called before code generation. */
void clang_publish(clang::Decl *D, const clang::SourceManager &SM, const clang_job *job);

/*
 * Removes `static`, for a declaration at the top of C++ code and those inside of it, from kernels,
 * device variables and variables that are no constants.
 */
void clang_publish_cpp(clang::Decl *D);

/* Publishes a variable that is a lambda with captures, although its class is local to this unit. */
void clang_publish_lambda(clang::VarDecl *V);

/* Makes such a variable local to its unit. */
void clang_hide(clang::VarDecl *V);

/*
 * Makes the functions of a declaration at the top of C++ code, and of those inside of it,
 * replaceable: a later cell may redefine them, so callers in the same cell also go through the
 * symbol, and nothing is inferred from their bodies. Inline functions and templates stay local. The
 * functions become weak symbols, which object_symbols_make_strong() makes ordinary ones.
 */
void clang_publish_replaceable(clang::Decl *D);

/*
 * Gives `inline` without `static`, in a user's file at the top of C code, the meaning of C++: the
 * function exists. In C99 no object would contain its code, and a call that is not inlined would
 * find none.
 */
void clang_publish_inline(clang::Decl *D, const clang::SourceManager &SM);

/*
 * Makes functions of a parsed declaration load the binding of references at file scope: a later
 * cell may bind them anew, while clang would use the initialiser.
 */
void clang_publish_references(clang::Decl *D);

/*
 * Handles the two symbols of a constructor or destructor, which clang keeps in a COMDAT group like
 * an inline one, so that they would be local to the unit; and keeps LLVM from treating the initial
 * value of a reference as a constant. Affects compilations with these options.
 */
void clang_publish_structors(clang::CodeGenOptions &options);
/* Does the same for a module before its code generation. */
void clang_publish_module(llvm::Module &M);

#endif
