/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a cell includes: which cell a declaration in one of them belongs to. Its #include
 * stands in a line of that cell, as #line says; the file's functions and variables are defined by
 * that cell alone.
 */
#ifndef CGPU_COMPILER_CLANG_INCLUDES_HH
#define CGPU_COMPILER_CLANG_INCLUDES_HH

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include <string>

#include "compiler/clang/clang-shim.h"

/* Is this file name of #line one of the job's own text? */
bool is_own_name(const clang_job *job, const char *file);
/* Is it in the job's own text, or in a file that this includes? */
bool is_of_cell(const clang::SourceManager &SM, clang::SourceLocation L, const clang_job *job);
/* Is it in a file that another text than the job's includes? */
bool is_of_earlier_cell(const clang::SourceManager &SM, clang::SourceLocation L,
			const clang_job *job);
/* That text has the definition: code is generated for none here. */
void make_declaration(clang::Decl *D);
/* A function or variable that a file defines which the job's text includes: the line of its
 * #include; else 0. */
unsigned defined_by_include(const clang::SourceManager &SM, const clang::NamedDecl *N,
			    const clang_job *job);
/* Sets include_file and include_line if the place is in an included file; that line of it. */
std::string place_include(const clang::SourceManager &SM, clang::SourceLocation L,
			  clang_diagnostic *d);

#endif
