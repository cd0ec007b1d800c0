/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for instances of templates that hold in every tree of the same header: a text of words,
 * without line breaks. For compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_INSTANCE_KEYS_HH
#define CGPU_COMPILER_CLANG_INSTANCE_KEYS_HH

#include <clang/AST/Decl.h>
#include <clang/AST/Mangle.h>
#include <clang/Sema/Sema.h>

#include <string>

/* "": it has no such name, since it is no instance, or is within a function, or a lambda or a place
 * in memory is part of it. */
std::string clang_instance_key(const clang::FunctionDecl *F, clang::ASTNameGenerator &symbols);
/*
 * The function of that key in another tree: its classes are instantiated there, and it is declared;
 * its body is left to who asks. nullptr: there is none. What cannot be instantiated is told to the
 * diagnostics.
 */
clang::FunctionDecl *clang_instance_find(clang::Sema &S, llvm::StringRef key,
					 clang::ASTNameGenerator &symbols);

#endif
