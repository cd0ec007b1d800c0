/* SPDX-License-Identifier: Apache-2.0 */
/* What a cell declares at the top is for later cells, other objects of the same program. For
 * compiler/clang/ alone. */
#ifndef CGPU_COMPILER_CLANG_PUBLISH_HH
#define CGPU_COMPILER_CLANG_PUBLISH_HH

#include <clang/AST/Decl.h>
#include <clang/Basic/CodeGenOptions.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/IR/Module.h>

#include "compiler/clang/clang-shim.h"

/* Of a declaration at the top of a C unit: hidden visibility is taken off, and in lines of the
 * job's cell also what a macro has made static. Before code is generated. */
void clang_publish(clang::Decl *D, const clang::SourceManager &SM, const clang_job *job);

/*
 * Of a declaration at the top of C++ code and those inside of it: kernels, variables of the device
 * and those that are no constants are not `static`.
 */
void clang_publish_cpp(clang::Decl *D);

/* A variable of a lambda that captures has its class from this unit alone, and is there for others
 * all the same. */
void clang_publish_lambda(clang::VarDecl *V);

/* Such a variable is its unit's own. */
void clang_hide(clang::VarDecl *V);

/* Of a declaration at the top of C++ code and those inside of it: a later cell may define its
 * functions anew, so callers in the same cell, too, ask for them, and draw no conclusions from
 * their bodies. Inline functions and templates are their cell's own. The functions come out as weak
 * symbols, object_symbols_make_strong() makes them ordinary ones. */
void clang_publish_replaceable(clang::Decl *D);

/* Of a declaration at the top of C code: `inline` without `static` in a file of the user is what
 * C++ takes it for, a function that is there. In C99 no object would have its code, and a call that
 * is not inlined would find none. */
void clang_publish_inline(clang::Decl *D, const clang::SourceManager &SM);

/*
 * Of a declaration of the cell, when it is parsed: its functions ask what a reference at file scope
 * is bound to. A later cell may bind it anew, and clang takes it for what its initialiser says
 * otherwise.
 */
void clang_publish_references(clang::Decl *D);

/*
 * Clang keeps the two symbols of such a constructor or destructor in a group, as it does with an
 * inline one, and a group is its unit's own. What a reference begins with is no constant to LLVM,
 * too. Takes effect on what is compiled with these options.
 */
void clang_publish_structors(clang::CodeGenOptions &options);
/* The same for a module that code is going to be made of. */
void clang_publish_module(llvm::Module &M);

#endif
