/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for instances of templates that are valid in every syntax tree with the same header: a text
 * of words, without line breaks. For compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_INSTANCE_KEYS_HH
#define CGPU_COMPILER_CLANG_INSTANCE_KEYS_HH

#include <clang/AST/Decl.h>
#include <clang/AST/Mangle.h>
#include <clang/Sema/Sema.h>

#include <string>

/* Returns the key of a function. "": it has none, since it is no instance, or is within a function,
 * or involves a lambda or an address. */
std::string clang_instance_key(const clang::FunctionDecl *F, clang::ASTNameGenerator &symbols);
/*
 * Finds the function of that key in another tree: its classes are instantiated there, and it is
 * declared; the caller instantiates its body. nullptr: there is none. Errors of instantiation are
 * reported as diagnostics.
 */
clang::FunctionDecl *clang_instance_find(clang::Sema &S, llvm::StringRef key,
					 clang::ASTNameGenerator &symbols);

#endif
