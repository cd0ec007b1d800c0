/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of a C++ cell for later C++ cells: a text for each declaration at file scope, in the
 * order of the cell, which can be composed like the declarations of C cells. Bodies of functions
 * and initialisers of variables with one definition in the session are left out. For
 * compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_PIECES_HH
#define CGPU_COMPILER_CLANG_PIECES_HH

#include "compiler/clang/cells/clang-statements.hh"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/clang/tree/clang-written.hh"

#include <clang/AST/Decl.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Sema/Sema.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

struct piece {
	size_t offset; /* in the main text */
	unsigned line;
	std::string key, name, text;
	uint64_t layout = 0;
	clang_written written{};
	long end = -1; /* end with all that belongs to it, in the main text; -1: not known */
};

class Pieces
{
      public:
	/*
	 * Considers declarations of the main file whose #line file is the job's name, which is
	 * known at the first call. A pragma inside of brackets ends with them.
	 */
	Pieces(clang::CompilerInstance &CI, const clang_job *job,
	       const clang_statements_place *place);
	/* Adds a declaration at file scope. */
	void add(clang::Decl *D);
	/* Returns the symbol of a variable at file scope. */
	std::string symbol_of(const clang::VarDecl *V) const;
	/* Reports all added declarations, and the directives between them; weak variables;
	 * dependents of earlier cells. */
	void report(clang::Sema &S);
	/* Reports the valid declarations of a cell with errors. */
	void report_definitions();

      private:
	clang::SourceManager &SM;
	const clang::LangOptions &language;
	const clang_job *job;
	const clang_statements_place *place;
	std::vector<clang::Decl *> declarations;
	std::vector<long> ends; /* of each of them */
	std::vector<const clang::Decl *>
		dependents; /* declarations of earlier cells that are behind one of this cell */
	long end = -1;      /* of the current declaration */
	std::shared_ptr<const std::set<std::string>> own; /* names that headers have, too */
	std::shared_ptr<std::vector<piece>> found;        /* also filled by the preprocessor */
	bool is_one_of_many = false; /* the current declaration's macro makes others, too */

	void report_dependent(clang::Sema &S, const clang::Decl *D) const;
	void find_all();
	bool is_of_cell(clang::SourceLocation L) const;
	std::string slice(clang::SourceLocation begin, clang::SourceLocation end) const;
	std::string head(const clang::FunctionDecl *F) const;
	std::string with_body_if(const clang::FunctionDecl *F, const std::string &condition,
				 const std::string &before = "") const;
	std::string slice_to_end(clang::SourceLocation begin, const clang::Decl *D) const;
	std::string whole(const clang::Decl *D) const;
	bool shares_macro(const std::vector<clang::Decl *> &list, size_t i) const;
	void add_all(const std::vector<clang::Decl *> &list, const std::string &before,
		     const std::string &after);
	std::string own_names_of(const clang::Decl *D, unsigned line) const;
	void add_one(clang::Decl *D, const std::string &before, const std::string &after);
	std::string text_of(const clang::Decl *D) const;
	std::string text_of_function(const clang::FunctionDecl *F) const;
	std::string text_of_lambda(const clang::VarDecl *V, const clang::LambdaExpr *L) const;
	std::string text_of_variable(const clang::VarDecl *V) const;
	std::string text_of_table(const clang::VarDecl *V, const std::string &known) const;
};

#endif
