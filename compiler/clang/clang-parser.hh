/* SPDX-License-Identifier: Apache-2.0 */
/* What leads clang's parser over a cell, which has statements at file scope, asks of it. For
 * compiler/clang/ alone. */
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
 * How the text ends. Where it may end with an expression that lacks its `;`, its end is a token of
 * its own, at which most loops of the parser do not stop: in a declaration, inside brackets, once
 * two of them do not match, and behind an error, when the parser may be in other brackets than the
 * text, it is the ordinary end of a file.
 */
class clang_text_end
{
      public:
	/* Of the main file. One with a parenthesis that is never closed may end in the arguments of
	 * a macro. */
	explicit clang_text_end(clang::Preprocessor &PP);
	/* For each token of the preprocessor, when the parser gets to see it first. */
	void see(const clang::Token &T);
	void enter_declaration(bool on);

	/* Of brackets that are open behind the tokens seen so far. */
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

/* Does a statement begin at the parser's token? What only file scope has, a function's body does
 * not take for a declaration. */
bool clang_at_statement(clang::Parser &P);
/* Parse it, in the scope of a function. A label is a statement of its own. */
clang::StmtResult clang_parse_statement(clang::Sema &S, clang::Parser &P,
					clang::Parser::StmtVector &all);
/* Behind the token before the parser's. */
clang::SourceLocation clang_end_of_previous(clang::Parser &P);
/*
 * Parses the main file, as clang::ParseAST() does, and hands all to the consumer of S. items:
 * parses what stands at its top, up to its end.
 */
void clang_parse_unit(clang::Sema &S, clang::Parser &P, const std::function<void()> &items);
/*
 * Is the last of these statements an expression without `;`, at the end of the text? There the
 * parser leaves it at its token. An expression inside of another statement is an error.
 */
bool clang_lacks_semicolon(clang::Sema &S, clang::Parser &P, const clang::Parser::StmtVector &all);

/*
 * What stands behind "#pragma", or in `_Pragma("...")`, as the preprocessor tells of it
 * (clang::PPCallbacks::PragmaDirective()). Lines that a backslash joins are as they stand.
 */
std::string clang_pragma_text(clang::Preprocessor &PP, clang::SourceLocation L,
			      clang::PragmaIntroducerKind introducer);

#endif
