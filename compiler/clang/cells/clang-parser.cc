/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser's functions that tell a declaration from a statement, and parse a statement, are
 * private members, which an explicit instantiation may name.
 */
#include "compiler/clang/cells/clang-parser.hh"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExternalASTSource.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Parse/ParseDiagnostic.h>

using namespace clang;

namespace
{

template <typename Context>
StmtResult parse_statement(StmtResult (Parser::*parse)(Parser::StmtVector &, Context,
						       SourceLocation *),
			   Parser &P, Parser::StmtVector &all)
{
	return (P.*parse)(all, Context::Compound, nullptr);
}

/*
 * Recognises `pair(1, 2.5)`, behind the scope of its name: a class template with deduced arguments.
 * A deduction guide begins in the same way, and continues with an arrow and the name.
 */
bool makes_deduced(Parser &P, CXXScopeSpec &scope)
{
	const Token name = P.getCurToken();
	unsigned depth = 0;

	if (name.isNot(tok::identifier) || P.getPreprocessor().LookAhead(0).isNot(tok::l_paren) ||
	    !P.getActions().isDeductionGuideName(P.getCurScope(), *name.getIdentifierInfo(),
						 name.getLocation(), scope))
		return false;
	P.ConsumeAnyToken();
	do {
		depth += P.getCurToken().is(tok::l_paren);
		depth -= P.getCurToken().is(tok::r_paren);
		P.ConsumeAnyToken();
	} while (depth && !P.getCurToken().isOneOf(tok::eof, tok::annot_repl_input_end));
	return P.getCurToken().isNot(tok::arrow) ||
	       P.getPreprocessor().LookAhead(0).getIdentifierInfo() != name.getIdentifierInfo();
}

template <typename Tentative, typename Parse> bool makes_deduced(Parse parse_scope, Parser &P)
{
	Tentative back_at_the_end(P);
	CXXScopeSpec scope;

	(P.*parse_scope)(scope, ParsedType(), false, true, nullptr, false, nullptr, false, false);
	return makes_deduced(P, scope);
}

template <auto Statement, auto IsDeclaration, auto ParseScope, typename Tentative,
	  auto EndOfPrevious>
struct Reach {
	friend StmtResult parse_statement(Parser &P, Parser::StmtVector &all)
	{
		return ::parse_statement(Statement, P, all);
	}

	friend bool seems_declaration(Parser &P)
	{
		return (P.*IsDeclaration)(true);
	}

	friend bool makes_deduced(Parser &P)
	{
		return ::makes_deduced<Tentative>(ParseScope, P);
	}

	friend SourceLocation end_of_previous(Parser &P)
	{
		return (P.*EndOfPrevious)();
	}
};
template struct Reach<&Parser::ParseStatementOrDeclaration, &Parser::isDeclarationStatement,
		      &Parser::ParseOptionalCXXScopeSpecifier,
		      Parser::RevertingTentativeParsingAction, &Parser::getEndOfPreviousToken>;
StmtResult parse_statement(Parser &P, Parser::StmtVector &all);
bool seems_declaration(Parser &P);
bool makes_deduced(Parser &P);
SourceLocation end_of_previous(Parser &P);

/*
 * Tells whether a declaration begins. At file scope clang takes the name of a class template with a
 * parenthesis for a deduction guide. A variable is never declared so: clang does not allow a
 * declarator in parentheses for such a type.
 */
bool is_declaration(Parser &P)
{
	return seems_declaration(P) && !makes_deduced(P);
}

/* Tells whether a pragma such as `#pragma omp threadprivate(x)` belongs to file scope; the others
 * precede a statement. */
bool is_declarative(const Token &directive)
{
	const IdentifierInfo *name = directive.getIdentifierInfo();

	for (const char *known :
	     { "threadprivate", "declare", "requires", "allocate", "begin", "end", "assumes" })
		if (name && name->isStr(known))
			return true;
	return false;
}

/* Tells whether a token is a name that has been looked up already; other annotation tokens are
 * directives. */
bool is_name(const Token &T)
{
	return T.isOneOf(tok::annot_cxxscope, tok::annot_typename, tok::annot_template_id,
			 tok::annot_primary_expr, tok::annot_non_type,
			 tok::annot_non_type_undeclared, tok::annot_overload_set,
			 tok::annot_decltype);
}

bool at_label(Parser &P)
{
	return P.getCurToken().is(tok::identifier) &&
	       P.getPreprocessor().LookAhead(0).is(tok::colon);
}

/* Tells whether assembly is a statement: with operands, or `volatile`; otherwise it belongs to the
 * file. */
bool is_asm_statement(Parser &P)
{
	Preprocessor &PP = P.getPreprocessor();
	unsigned next = 1;

	if (PP.LookAhead(0).isNot(tok::l_paren))
		return true;
	while (PP.LookAhead(next).isOneOf(tok::string_literal, tok::utf8_string_literal))
		next++;
	return PP.LookAhead(next).isNot(tok::r_paren);
}

/*
 * Tells whether a C declaration lacks its type: `main() {` and `f(a, b) int a, b; {` define a
 * function without one, and of two names in a row the first should be a type.
 */
bool lacks_type(Parser &P)
{
	Preprocessor &PP = P.getPreprocessor();
	unsigned depth = 0, next = 0;

	if (PP.LookAhead(0).is(tok::identifier))
		return true;
	if (PP.LookAhead(0).isNot(tok::l_paren))
		return false;
	do {
		const Token &T = PP.LookAhead(next++);

		depth += T.is(tok::l_paren);
		depth -= T.is(tok::r_paren);
		if (T.isOneOf(tok::eof, tok::annot_repl_input_end, tok::semi))
			return false;
	} while (depth);
	const Token &behind = PP.LookAhead(next);

	if (behind.is(tok::identifier))
		return (bool)P.getActions().getTypeName(*behind.getIdentifierInfo(),
							behind.getLocation(), P.getCurScope());
	return behind.isOneOf(tok::l_brace, tok::kw_int, tok::kw_char, tok::kw_float,
			      tok::kw_double, tok::kw_long, tok::kw_short, tok::kw_unsigned,
			      tok::kw_signed, tok::kw_struct, tok::kw_union, tok::kw_enum,
			      tok::kw_const, tok::kw_register, tok::kw_volatile);
}

} // namespace

bool clang_at_statement(Parser &P)
{
	const bool is_c = !P.getLangOpts().CPlusPlus;
	Preprocessor &PP = P.getPreprocessor();
	const Token &T = P.getCurToken();

	switch (T.getKind()) {
	case tok::eof:
	case tok::annot_repl_input_end:
	case tok::semi:
	case tok::r_brace:
	case tok::kw_export:
	case tok::kw_template:
	case tok::kw_import:
	case tok::kw_module:
	case tok::kw___attribute:
	case tok::kw___noinline__:
		return false;
	case tok::code_completion:
		return is_c;
	case tok::kw_asm:
		return is_asm_statement(P);
	case tok::kw___extension__:
		return PP.LookAhead(0).is(tok::l_paren);
	case tok::identifier: /* a label, a declaration or an expression */
		return at_label(P) || (!is_declaration(P) && !(is_c && lacks_type(P)));
	case tok::l_square:
		return PP.LookAhead(0).isNot(tok::l_square);
	case tok::annot_pragma_loop_hint:
		return true;
	case tok::annot_pragma_openmp:
		return !is_declarative(PP.LookAhead(0));
	default:
		return (!T.isAnnotation() || is_name(T)) && !is_declaration(P);
	}
}

/* A label may precede a declaration, which belongs to the file. */
StmtResult clang_parse_statement(Sema &S, Parser &P, Parser::StmtVector &all)
{
	const Token name = P.getCurToken();

	if (!at_label(P))
		return parse_statement(P, all);
	P.ConsumeAnyToken();
	SourceLocation colon = P.getCurToken().getLocation();

	P.ConsumeAnyToken();
	LabelDecl *label = S.LookupOrCreateLabel(name.getIdentifierInfo(), name.getLocation());

	return S.ActOnLabelStmt(name.getLocation(), label, colon, S.ActOnNullStmt(colon).get());
}

SourceLocation clang_end_of_previous(Parser &P)
{
	return end_of_previous(P);
}

bool clang_lacks_semicolon(Sema &S, Parser &P, const Parser::StmtVector &all)
{
	const Token &T = P.getCurToken();
	const Stmt *last = all.empty() ? nullptr : all.back();

	if (T.isNot(tok::annot_repl_input_end) || !T.getAnnotationValue())
		return false;
	if (last == T.getAnnotationValue())
		return true;
	auto *E = static_cast<Stmt *>(T.getAnnotationValue());

	S.Diag(S.getLocForEndOfToken(E->getEndLoc()), diag::err_expected_semi_after_expr);
	return false;
}

/* Returns the first line, with lines that a backslash joins to it, and without a comment behind
 * it. */
static StringRef first_line(StringRef text)
{
	size_t end = text.find('\n');
	bool quoted = false;

	while (end != StringRef::npos && text.substr(0, end).rtrim('\r').ends_with("\\"))
		end = text.find('\n', end + 1);
	text = text.substr(0, end);
	for (size_t i = 0; i < text.size(); i++) {
		quoted ^= text[i] == '"';
		if (!quoted &&
		    (text.substr(i).starts_with("//") || text.substr(i).starts_with("/*")))
			return text.substr(0, i).rtrim();
	}
	return text;
}

std::string clang_pragma_text(Preprocessor &PP, SourceLocation L, PragmaIntroducerKind introducer)
{
	static const StringRef word = "pragma";
	const SourceManager &SM = PP.getSourceManager();

	/* The text of a _Pragma operator has a lexer of its own, which has read nothing yet. */
	if (introducer != PIK_HashPragma) {
		auto *lexer = static_cast<Lexer *>(PP.getCurrentLexer());

		return lexer ? first_line(lexer->getBufferLocation()).trim().str() : "";
	}
	StringRef line = first_line(SM.getBufferData(SM.getFileID(L)).substr(SM.getFileOffset(L)));
	size_t begin = line.find(word);

	return begin < line.size() ? line.substr(begin + word.size()).ltrim().str() : "";
}

static bool leaves_open(const Preprocessor &PP)
{
	const SourceManager &SM = PP.getSourceManager();
	Lexer raw(SM.getMainFileID(), SM.getBufferOrFake(SM.getMainFileID()), SM, PP.getLangOpts());
	long depth = 0;
	Token T;

	do {
		raw.LexFromRawLexer(T);
		depth += T.is(tok::l_paren);
		depth -= T.is(tok::r_paren);
	} while (T.isNot(tok::eof));
	return depth > 0;
}

clang_text_end::clang_text_end(Preprocessor &PP) : PP(PP), is_broken(leaves_open(PP))
{
	choose();
}

void clang_text_end::see_bracket(const Token &T)
{
	tok::TokenKind partner;

	switch (T.getKind()) {
	case tok::l_brace:
	case tok::l_paren:
	case tok::l_square:
		open.push_back(T.getKind());
		return;
	case tok::r_brace:
		partner = tok::l_brace;
		break;
	case tok::r_paren:
		partner = tok::l_paren;
		break;
	case tok::r_square:
		partner = tok::l_square;
		break;
	case tok::eof:
		/* Errors were reported already; a missing `;` behind the last expression is
		 * allowed. */
		if (!is_inside() && PP.getDiagnostics().hasErrorOccurred())
			PP.getDiagnostics().setSeverity(diag::err_expected_semi_after_expr,
							diag::Severity::Ignored, SourceLocation());
		return;
	default:
		return;
	}
	if (open.empty() || open.back() != partner)
		is_broken = true;
	else
		open.pop_back();
}

/* Sets the mode that the lexer uses at the end of the text. */
void clang_text_end::choose()
{
	const_cast<LangOptions &>(PP.getLangOpts()).IncrementalExtensions =
		!is_inside() && !in_declaration && !PP.getDiagnostics().hasErrorOccurred();
}

void clang_text_end::see(const Token &T)
{
	see_bracket(T);
	choose();
}

void clang_text_end::enter_declaration(bool on)
{
	in_declaration = on;
	choose();
}

void clang_parse_unit(Sema &S, Parser &P, const std::function<void()> &items)
{
	ASTConsumer &consumer = S.getASTConsumer();
	Parser::DeclGroupPtrTy none;
	auto imports = Sema::ModuleImportState::NotACXX20Module;

	S.getPreprocessor().EnterMainSourceFile();
	if (ExternalASTSource *header = S.getASTContext().getExternalSource())
		header->StartTranslationUnit(&consumer);
	P.Initialize();
	S.ActOnStartOfTranslationUnit();
	items();
	P.ParseTopLevelDecl(none, imports);
	for (Decl *D : S.WeakTopLevelDecls())
		consumer.HandleTopLevelDecl(DeclGroupRef(D));
	consumer.HandleTranslationUnit(S.getASTContext());
}
