/* SPDX-License-Identifier: Apache-2.0 */
/* Clang's types as texts: the codes of common/code/type-code.h, and what a user is shown. For
 * compiler/clang/clang-shim.cc alone. */
#ifndef CGPU_COMPILER_CLANG_TYPES_HH
#define CGPU_COMPILER_CLANG_TYPES_HH

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/Type.h>

#include <cstdint>
#include <string>

/* common/code/type-code.h */
std::string clang_type_code(clang::ASTContext &C, clang::QualType T);
/* Of a displayed expression with type T: in C, the type of a wide string is that of an array of
 * integers. */
std::string clang_expression_code(clang::ASTContext &C, const clang::Expr *E, clang::QualType T);
/* See struct unit_symbol in common/code/unit.h. */
uint64_t clang_type_layout(clang::ASTContext &C, clang::QualType T);
/*
 * The same for what code relies on that was compiled with this declaration: the layout of a class,
 * of the type of a variable or a function, the values of an enum. Bodies of functions do not count.
 * 0: not known.
 */
uint64_t clang_declaration_layout(const clang::Decl *D);
/* The text of a type without the names that structures without one were given. */
std::string clang_type_shown(std::string type);
/* What a declaration says besides its type, and later ones must say, too: " __asm__(\"label\")". */
std::string clang_attributes(const clang::NamedDecl *N);
/* "int printf(const char *format, ...)" */
std::string clang_signature(const clang::FunctionDecl *F, const clang::PrintingPolicy &policy);
/* How types are spelled in such texts. */
clang::PrintingPolicy clang_type_policy(const clang::ASTContext &C);
/*
 * A class of C++ as C declares the same bytes: "struct s { int a; }", without what C does not have
 * of it (member functions, static members, access). "": it has bases, virtual functions or what
 * else C cannot copy.
 */
std::string clang_type_c_record(const clang::CXXRecordDecl *R);
/* Of a lambda, or a reference to one: a class without a name. */
bool clang_is_lambda(clang::QualType T);
/* Of namespace std, or of one in it. */
bool clang_type_is_of_the_library(const clang::CXXRecordDecl *R);
/* The number that a constant is, as a literal; "": it is none. */
std::string clang_constant_value(const clang::VarDecl *V);
/* Can another unit have a variable of its own in place of this one, and nobody tells the
 * difference? */
bool clang_is_constant(const clang::VarDecl *V);

#endif
