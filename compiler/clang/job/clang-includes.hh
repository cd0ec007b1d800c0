/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a cell includes: finds the cell that a declaration in one of them belongs to. Its
 * #include is in a line of that cell, according to #line; only that cell defines the file's
 * functions and variables.
 */
#ifndef CGPU_COMPILER_CLANG_INCLUDES_HH
#define CGPU_COMPILER_CLANG_INCLUDES_HH

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include <string>

#include "compiler/clang/job/clang-shim.h"

/* Tells whether this file name of #line means the job's own text. */
bool is_own_name(const clang_job *job, const char *file);
/* Tells whether the place is in the job's own text, or in a file that this includes. */
bool is_of_cell(const clang::SourceManager &SM, clang::SourceLocation L, const clang_job *job);
/* Tells whether the place is in a file that another cell includes. */
bool is_of_earlier_cell(const clang::SourceManager &SM, clang::SourceLocation L,
			const clang_job *job);
/* Turns a definition of another cell into a declaration, for which no code is generated. */
void make_declaration(clang::Decl *D);
/* Returns, for a function or variable that is defined in a file that the job's text includes, the
 * line of the #include; else 0. */
unsigned defined_by_include(const clang::SourceManager &SM, const clang::NamedDecl *N,
			    const clang_job *job);
/* Tells whether the place is a flag that names a file, as -include does, or in such a file. */
bool is_of_flags(const clang::SourceManager &SM, clang::SourceLocation L);
/* Sets include_file and include_line if the place is in an included file, and returns that line of
 * it. */
std::string place_include(const clang::SourceManager &SM, clang::SourceLocation L,
			  clang_diagnostic *d);

#endif
