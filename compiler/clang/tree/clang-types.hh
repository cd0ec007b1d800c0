/* SPDX-License-Identifier: Apache-2.0 */
/* Converts clang's types to texts: the codes of common/code/type-code.h, and readable names. For
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

/* Returns the code of common/code/type-code.h. */
std::string clang_type_code(clang::ASTContext &C, clang::QualType T);
/* Returns the code of a displayed expression with type T: in C, the type of a wide string is that
 * of an array of integers. */
std::string clang_expression_code(clang::ASTContext &C, const clang::Expr *E, clang::QualType T);
/* Returns a hash of the layout, see struct unit_symbol in common/code/unit.h. */
uint64_t clang_type_layout(clang::ASTContext &C, clang::QualType T);
/*
 * Returns a hash of what code depends on that was compiled with this declaration: the layout of a
 * class, of the type of a variable or a function, the values of an enum. Bodies of functions do not
 * count. 0: not known.
 */
uint64_t clang_declaration_layout(const clang::Decl *D);
/* Removes the names that were given to unnamed structures from the text of a type. */
std::string clang_type_shown(std::string type);
/* Returns attributes of a declaration that later ones must repeat: " __asm__(\"label\")". */
std::string clang_attributes(const clang::NamedDecl *N);
/* Returns a signature such as "int printf(const char *format, ...)". */
std::string clang_signature(const clang::FunctionDecl *F, const clang::PrintingPolicy &policy);
/* Returns the policy by which types are printed in such texts. */
clang::PrintingPolicy clang_type_policy(const clang::ASTContext &C);
/*
 * Returns a C declaration with the same bytes as a C++ class: "struct s { int a; }", without member
 * functions, static members and access. "": it has bases, virtual functions or something else that
 * C cannot express.
 */
std::string clang_type_c_record(const clang::CXXRecordDecl *R);
/* Tells whether the type is a lambda, or a reference to one: a class without a name. */
bool clang_is_lambda(clang::QualType T);
/* Tells whether the class is in namespace std, or nested in it. */
bool clang_type_is_of_the_library(const clang::CXXRecordDecl *R);
/* Returns the value of a numeric constant as a literal; "": it is none. */
std::string clang_constant_value(const clang::VarDecl *V);
/* Tells whether another unit can have a copy of this variable without any observable difference. */
bool clang_is_constant(const clang::VarDecl *V);

#endif
