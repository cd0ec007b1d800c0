/* SPDX-License-Identifier: Apache-2.0 */
/* Access to clang's parser for a cell, which has statements at file scope. For compiler/clang/
 * alone. */
#ifndef CGPU_COMPILER_CLANG_PARSER_HH
#define CGPU_COMPILER_CLANG_PARSER_HH

#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Parse/Parser.h>
#include <clang/Sema/Sema.h>

#include <functional>
#include <string>
#include <vector>

/*
 * Handles the end of the text. Where the text may end with an expression without `;`, the end is a
 * special token at which most loops of the parser do not stop. In a declaration, inside brackets,
 * after mismatched brackets, and after an error, when the parser may be at another nesting than the
 * text, it is an ordinary end of file.
 */
class clang_text_end
{
      public:
	/* The preprocessor of the main file. A text with an unclosed parenthesis may end in the
	 * arguments of a macro. */
	explicit clang_text_end(clang::Preprocessor &PP);
	/* Must be called for each token of the preprocessor, when the parser first sees it. */
	void see(const clang::Token &T);
	void enter_declaration(bool on);

	/* Tells whether brackets are open behind the tokens seen so far. */
	bool is_inside() const
	{
		return is_broken || !open.empty();
	}

	bool is_in_declaration() const
	{
		return in_declaration;
	}

      private:
	clang::Preprocessor &PP;
	std::vector<clang::tok::TokenKind> open;
	bool is_broken, in_declaration = false;

	void see_bracket(const clang::Token &T);
	void choose();
};

/* Tells whether a statement begins at the parser's token. Declarations that only file scope has are
 * not recognised within a function's body. */
bool clang_at_statement(clang::Parser &P);
/* Parses the statement, in the scope of a function. A label is a statement of its own. */
clang::StmtResult clang_parse_statement(clang::Sema &S, clang::Parser &P,
					clang::Parser::StmtVector &all);
/* Returns the end of the token before the parser's. */
clang::SourceLocation clang_end_of_previous(clang::Parser &P);
/*
 * Parses the main file, as clang::ParseAST() does, and passes all to the consumer of S. items
 * parses the top level, up to its end.
 */
void clang_parse_unit(clang::Sema &S, clang::Parser &P, const std::function<void()> &items);
/*
 * Tells whether the last of these statements is an expression without `;`, at the end of the text,
 * where the parser stops at its token. An expression inside of another statement is an error.
 */
bool clang_lacks_semicolon(clang::Sema &S, clang::Parser &P, const clang::Parser::StmtVector &all);

/*
 * Returns the text behind "#pragma", or in `_Pragma("...")`, for a call of
 * clang::PPCallbacks::PragmaDirective(). Lines that a backslash joins are unchanged.
 */
std::string clang_pragma_text(clang::Preprocessor &PP, clang::SourceLocation L,
			      clang::PragmaIntroducerKind introducer);

#endif
