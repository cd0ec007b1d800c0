/* SPDX-License-Identifier: Apache-2.0 */
/* What leads clang's parser over a cell, which has statements at file scope, asks of it. For compiler/clang/ alone. */
#ifndef CGPU_COMPILER_CLANG_PARSER_HH
#define CGPU_COMPILER_CLANG_PARSER_HH

#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Parse/Parser.h>
#include <clang/Sema/Sema.h>

#include <string>

/* Does a statement begin at the parser's token? What only file scope has, a function's body does not take for a declaration. */
bool clang_at_statement(clang::Parser &P);
/* Parse it, in the scope of a function. A label is a statement of its own. */
clang::StmtResult clang_parse_statement(clang::Sema &S, clang::Parser &P, clang::Parser::StmtVector &all);
/* Behind the token before the parser's. */
clang::SourceLocation clang_end_of_previous(clang::Parser &P);
/*
 * Is the last of these statements an expression without `;`, at the end of the text? There the parser leaves it at its token. An
 * expression inside of another statement is an error.
 */
bool clang_lacks_semicolon(clang::Sema &S, clang::Parser &P, const clang::Parser::StmtVector &all);

/*
 * What stands behind "#pragma", or in `_Pragma("...")`, as the preprocessor tells of it (clang::PPCallbacks::PragmaDirective()). Lines
 * that a backslash joins are as they stand.
 */
std::string clang_pragma_text(clang::Preprocessor &PP, clang::SourceLocation L, clang::PragmaIntroducerKind introducer);

#endif
