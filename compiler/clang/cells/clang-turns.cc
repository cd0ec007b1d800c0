/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function is open from the first token to the last: its scope is the parser's all the time.
 * The context is the function for statements and for initialisers, so that these may have
 * statements in parentheses, literals and labels, and the file for all else. Clang refuses an
 * initialiser at file scope that is not constant; that diagnostic is off while one is parsed. The
 * initialiser is removed from the variable, and a statement takes its place.
 */
#include "compiler/clang/cells/clang-turns.hh"

#include "common/code/unit.h"
#include "compiler/clang/cells/clang-parser.hh"
#include "compiler/clang/job/clang-includes.hh"
#include "compiler/clang/tree/clang-build.hh"
#include "compiler/clang/tree/clang-publish.hh"
#include "compiler/text/own-names.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace clang;

namespace
{

/* Builds the statements for a declaration. The context of S must be the function. */
class Builder
{
      public:
	explicit Builder(Sema &S) : S(S), C(S.getASTContext())
	{
	}

	/* Builds target = E; where only a declaration accepts E, through a variable of the
	 * function. Null: clang has reported an error. */
	Stmt *assign(VarDecl *target, Expr *E, SourceLocation L)
	{
		QualType T = target->getType().getUnqualifiedType();

		if (!T->isArrayType() && !T->isRecordType())
			return BinaryOperator::Create(C, name(target, L), E, BO_Assign, T,
						      VK_PRValue, OK_Ordinary, L,
						      FPOptionsOverride());
		VarDecl *initial =
			variable(S.CurContext, "cgpu_initial", target->getType(), L, SC_None);

		initial->setInit(E);
		initial->setIsUsed();
		Stmt *all[] = { new (C) DeclStmt(DeclGroupRef(initial), L, L),
				copy(target, name(initial, L), L) };

		return all[1] ? CompoundStmt::Create(C, all, FPOptionsOverride(), L, L) : nullptr;
	}

	/* Builds an assignment of the initial value, which is in the object. */
	Stmt *initialise(VarDecl *V, SourceLocation L)
	{
		std::string symbol = V->getName().str();

		own_names_strip(symbol.data());
		Expr *text = clang_build_text(C, symbol.c_str(), L);

		return call("cgpu_initialise", text, L);
	}

	/*
	 * Preserves literals such as `p = (int[]){ 1, n };`: outside of blocks a literal lives as
	 * long as the unit. One with constant values is an object of the file, the bytes of another
	 * one are copied to a variable.
	 */
	Stmt *keep_literals(Stmt *part)
	{
		auto *value = dyn_cast_or_null<ImplicitCastExpr>(part);
		bool is_value = value && value->getCastKind() == CK_LValueToRValue;

		if (!part || isa<StmtExpr>(part))
			return part;
		has_labels |= isa<AddrLabelExpr>(part);
		for (Stmt *&child : part->children())
			child = is_value && isa<CompoundLiteralExpr>(child) ? keep_parts(child)
									    : keep_literals(child);
		auto *literal = dyn_cast<CompoundLiteralExpr>(part);

		return literal ? keep(literal) : part;
	}

	VarDecl *variable(DeclContext *where, const std::string &name, QualType T, SourceLocation L,
			  StorageClass storage)
	{
		return VarDecl::Create(C, where, L, L, &C.Idents.get(name), T,
				       C.getTrivialTypeSourceInfo(T, L), storage);
	}

	/* Tells whether a part with literals has taken the address of a label since the last
	 * call. */
	bool takes_labels()
	{
		return std::exchange(has_labels, false);
	}

	/* Returns the type without `const`, for an array that of its elements. */
	QualType writable(QualType T)
	{
		Qualifiers taken;

		T = C.getUnqualifiedArrayType(T, taken);
		taken.removeConst();
		return C.getQualifiedType(T, taken);
	}

      private:
	Sema &S;
	ASTContext &C;
	unsigned n_kept = 0;
	bool has_labels = false;

	Expr *name(VarDecl *V, SourceLocation L)
	{
		return S.BuildDeclRefExpr(V, V->getType().getNonReferenceType(), VK_LValue, L);
	}

	Expr *call(const char *function, llvm::MutableArrayRef<Expr *> arguments, SourceLocation L)
	{
		return clang_build_call(S, C.getTranslationUnitDecl(), function, arguments, L);
	}

	Expr *address(Expr *E, SourceLocation L)
	{
		ExprResult made = S.CreateBuiltinUnaryOp(L, UO_AddrOf, E);

		return made.isInvalid()
			       ? nullptr
			       : S.ImpCastExprToType(made.get(), C.VoidPtrTy, CK_BitCast).get();
	}

	/* Copies to the target and returns a pointer to it; null: clang has reported an error. */
	Expr *copy(VarDecl *target, Expr *from, SourceLocation L)
	{
		uint64_t size = C.getTypeSizeInChars(target->getType()).getQuantity();
		Expr *arguments[] = { address(name(target, L), L), address(from, L),
				      IntegerLiteral::Create(C, llvm::APInt(64, size),
							     C.UnsignedLongTy, L) };

		return arguments[0] && arguments[1] ? call("__builtin_memcpy", arguments, L)
						    : nullptr;
	}

	Stmt *keep_parts(Stmt *literal)
	{
		for (Stmt *&child : literal->children())
			child = keep_literals(child);
		return literal;
	}

	Expr *keep(CompoundLiteralExpr *literal)
	{
		SourceLocation L = literal->getBeginLoc();
		QualType T = literal->getType();

		if (literal->getInitializer()->isConstantInitializer(C, false)) {
			literal->setFileScope(true);
			return literal;
		}
		VarDecl *storage = variable(C.getTranslationUnitDecl(),
					    "cgpu_kept_" + std::to_string(++n_kept), writable(T), L,
					    SC_Static);

		S.TentativeDefinitions.push_back(storage);
		Expr *copied = copy(storage, literal, L);
		ExprResult kept =
			copied ? S.ImpCastExprToType(copied, C.getPointerType(T), CK_BitCast)
			       : ExprError();

		kept = kept.isInvalid() ? kept : S.CreateBuiltinUnaryOp(L, UO_Deref, kept.get());
		return kept.isInvalid() ? literal : kept.get();
	}
};

class Turns
{
      public:
	Turns(Sema &S, Parser &P, const clang_job *job, clang_turns *found)
	    : S(S), C(S.getASTContext()), SM(S.getSourceManager()), P(P),
	      file(C.getTranslationUnitDecl()), job(job), found(found), builder(S),
	      end(S.getPreprocessor())
	{
	}

	/* Is called by the preprocessor for each token when the parser first sees it. */
	void see(const Token &T)
	{
		bool at_top = is_at_top();

		end.see(T);
		is_ended = at_top && T.is(tok::semi);
		if (!end.is_in_declaration())
			return;
		take_static(at_top);
		if (last == tok::equal)
			enter_initialiser();
		else if (last == tok::comma)
			leave_initialiser();
		last = at_top && T.isOneOf(tok::equal, tok::comma) ? T.getKind() : tok::unknown;
	}

	/* Tells whether the parser is outside of all brackets. */
	bool is_at_top() const
	{
		return !end.is_inside();
	}

	/* A pragma may save the state of diagnostics for a later pop, so changes of it must be
	 * undone first. */
	void see_pragma()
	{
		if (end.is_in_declaration() && is_ended)
			leave_initialiser();
	}

	void parse(const std::function<void(FunctionDecl *, bool)> &each)
	{
		FunctionDecl *F = begin();
		bool has_value;
		{
			Parser::ParseScope body(&P, Scope::FnScope | Scope::DeclScope |
							    Scope::CompoundStmtScope);
			std::optional<Sema::CompoundScopeRAII> compound;

			S.ActOnStartOfFunctionDef(S.getCurScope(), F);
			compound.emplace(S);
			parse_items(F);
			S.CurContext = F;
			has_value = clang_lacks_semicolon(S, P, all);
			StmtResult whole = S.ActOnCompoundStmt(from, P.getCurToken().getLocation(),
							       all, false);

			compound.reset();
			body.Exit();
			S.ActOnFinishFunctionBody(F, whole.get());
		}
		hand_over_declarations();
		if (all.empty())
			return;
		found->run = F;
		each(F, has_value);
		S.getASTConsumer().HandleTopLevelDecl(DeclGroupRef(F));
	}

      private:
	/* A definition of a variable of the cell. */
	struct definition {
		VarDecl *V;
		Expr *value;      /* initial value in the object; null: none */
		bool is_constant; /* the value is constant */
		size_t n;         /* number of statements in front of the next declaration */
	};

	Sema &S;
	ASTContext &C;
	const SourceManager &SM;
	Parser &P;
	DeclContext *file;
	const clang_job *job;
	clang_turns *found;
	Builder builder;
	unsigned n_unnamed = 0;
	clang_text_end end;
	bool is_ended = false; /* by the last token */
	/* `=` or `,` of a declaration, outside of its brackets. */
	tok::TokenKind last = tok::unknown;
	FunctionDecl *function = nullptr;
	Parser::StmtVector all;
	SourceLocation from; /* of the first statement */
	std::map<const VarDecl *, std::vector<definition>>
		definitions;              /* by the first declaration of each */
	std::vector<Decl *> declarations; /* in the order of the text */

	FunctionDecl *begin()
	{
		QualType T = C.getFunctionType(C.VoidTy, {}, FunctionProtoType::ExtProtoInfo());
		SourceLocation L = P.getCurToken().getLocation();
		FunctionDecl *F = FunctionDecl::Create(
			C, file, L, L, &C.Idents.get(job->run ? job->run : "cgpu_cell"), T,
			C.getTrivialTypeSourceInfo(T, L), SC_None);

		file->addDecl(F);
		return function = F;
	}

	void parse_items(FunctionDecl *F)
	{
		Parser::DeclGroupPtrTy group;
		auto imports = Sema::ModuleImportState::NotACXX20Module;

		while (!P.getCurToken().isOneOf(tok::eof, tok::annot_repl_input_end)) {
			SourceLocation begin = P.getCurToken().getLocation();

			S.CurContext = F;
			if (clang_at_statement(P)) {
				StmtResult one = clang_parse_statement(S, P, all);

				report_item(begin, nullptr);
				if (one.isUsable() && !job->functions_only)
					add(one.get());
				continue;
			}
			enter_file(true);
			P.ParseTopLevelDecl(group, imports);
			enter_file(false);
			leave_initialiser();
			DeclGroupRef made = group ? group.get() : DeclGroupRef();

			report_item(begin, made.isSingleDecl() ? dyn_cast_or_null<FunctionDecl>(
									 made.getSingleDecl())
							       : nullptr);
			for (Decl *D : made)
				handle(D);
		}
	}

	/* Reports an item, with the body if it defines a function. */
	void report_item(SourceLocation from, const FunctionDecl *F)
	{
		auto begin = SM.getDecomposedLoc(SM.getFileLoc(from)),
		     end = SM.getDecomposedLoc(SM.getFileLoc(clang_end_of_previous(P)));
		bool defines = F && F->doesThisDeclarationHaveABody() && F->getIdentifier();

		if (!job->item || begin.first != SM.getMainFileID() || end.first != begin.first)
			return;
		unsigned body =
			defines ? SM.getFileOffset(SM.getFileLoc(F->getBody()->getBeginLoc()))
				: end.second;

		job->item(job->context, begin.second, body, end.second,
			  defines ? F->getName().str().c_str() : nullptr);
	}

	/* Switches the error for initialisers that are not constant: it is reported when the token
	 * behind one has been seen. */
	void refuse_values(bool on)
	{
		set_severity(diag::err_init_element_not_constant,
			     on ? diag::Severity::Error : diag::Severity::Ignored);
	}

	void set_severity(unsigned id, diag::Severity severity)
	{
		S.getDiagnostics().setSeverity(id, severity, SourceLocation());
	}

	/* Allows `static` behind another declaration, perhaps of another cell, which is an
	 * extension of Microsoft's. */
	void take_static(bool on)
	{
		const_cast<LangOptions &>(S.getLangOpts()).MicrosoftExt = on;
	}

	/* Switches the context to the file, since clang takes variables in the scope of a function
	 * for automatic ones. */
	void enter_file(bool on)
	{
		S.CurContext = file;
		end.enter_declaration(on);
		take_static(on);
		set_severity(diag::warn_asm_label_on_auto_decl,
			     on ? diag::Severity::Ignored : diag::Severity::Warning);
		set_severity(diag::ext_static_non_static, diag::Severity::Ignored);
	}

	void enter_initialiser()
	{
		S.CurContext = function;
		refuse_values(false);
	}

	void leave_initialiser()
	{
		S.CurContext = file;
		last = tok::unknown;
		refuse_values(true);
	}

	void add(Stmt *statement)
	{
		if (!statement)
			return;
		if (from.isInvalid()) {
			from = statement->getBeginLoc();
			function->setLocation(from);
		}
		all.push_back(isa<Expr>(statement) ? builder.keep_literals(statement) : statement);
	}

	/* Tells whether a type is named by its first declarator, `typedef struct { int a; } s,
	 * *t;`; the second one needs a name for it. */
	static bool is_named_by_typedef(const TagDecl *tag, const TypedefNameDecl *other)
	{
		const TypedefNameDecl *by = tag->getTypedefNameForAnonDecl();

		return by && (!other || other == by || other->getBeginLoc() != by->getBeginLoc());
	}

	/* Names the type in `struct { int a; } x;`, so that later cells can name the type of x. */
	void name_type(Decl *D)
	{
		auto *N = dyn_cast<TypedefNameDecl>(D);
		auto *V = dyn_cast<DeclaratorDecl>(D);
		QualType T = N ? N->getUnderlyingType() : V ? V->getType() : QualType();

		while (!T.isNull() &&
		       (T->isPointerType() || T->isArrayType() || T->isFunctionType()))
			T = T->isArrayType()     ? C.getBaseElementType(T)
			    : T->isPointerType() ? T->getPointeeType()
						 : T->castAs<FunctionType>()->getReturnType();
		TagDecl *tag = T.isNull() ? nullptr : T->getAsTagDecl();
		size_t prefix = strlen(UNIT_STATEMENTS);

		if (!tag || tag->getIdentifier() || !job->run || is_named_by_typedef(tag, N))
			return;
		std::string name = "cgpu_unnamed_" + std::string(job->run + prefix) + "_" +
				   std::to_string(n_unnamed++);

		tag->setDeclName(&C.Idents.get(name));
		found->named.insert(tag);
		/* A type that is defined in the result type of a function is missing in clang's
		 * list. */
		if (std::find(declarations.rbegin(), declarations.rend(), tag) ==
		    declarations.rend())
			declarations.insert(declarations.end() - 1, tag);
	}

	void handle(Decl *D)
	{
		auto *V = dyn_cast<VarDecl>(D);
		bool defines = V && V->isThisDeclarationADefinition() != VarDecl::DeclarationOnly;

		declarations.push_back(D);
		if (is_of_earlier_cell(SM, D->getLocation(), job))
			make_declaration(D);
		if (V && V->getStorageClass() == SC_Auto && V->getTypeSpecStartLoc().isInvalid())
			S.Diag(V->getLocation(), diag::err_typecheck_sclass_fscope);
		if (is_of_cell(SM, D->getLocation(), job))
			name_type(D);
		clang_publish_inline(D, SM);
		clang_publish(D, SM, job);
		if (D->isInvalidDecl() || !defines || !is_of_cell(SM, V->getLocation(), job))
			return;
		if (job->functions_only) {
			V->setInit(nullptr);
			V->setStorageClass(SC_Extern);
			return;
		}
		S.CurContext = function;
		take(V);
		S.CurContext = file;
	}

	/* Takes a variable: its initial value is in the object, or is set by a statement. */
	void take(VarDecl *V)
	{
		SourceLocation L = V->getLocation();
		Expr *E = V->getInit();
		bool is_const = C.getBaseElementType(V->getType()).isConstQualified();

		if (E && E->containsErrors())
			return;
		(void)builder.takes_labels();
		E = E ? cast<Expr>(builder.keep_literals(E)) : nullptr;
		if (E && (builder.takes_labels() || !E->isConstantInitializer(C, false))) {
			V->setInit(nullptr);
			compute(V, E, is_const);
			return;
		}
		if (is_const || V->isConstexpr())
			return;
		V->setInit(nullptr);
		std::vector<definition> &before = definitions[V->getCanonicalDecl()];
		/* No code is between the first definition and this one, so one value can be in the
		 * object. */
		bool together = before.empty() || before.front().n == all.size();
		bool by_statement = E && (!together || V->getTLSKind() != VarDecl::TLS_None);

		if (E && !before.empty() && before.back().is_constant &&
		    before.back().n == all.size()) {
			S.Diag(L, diag::err_redefinition) << V;
			S.Diag(before.back().V->getLocation(), diag::note_previous_definition);
			return;
		}
		if (!all.empty()) {
			found->waiting.insert(V);
			add(by_statement ? builder.assign(V, E, L) : builder.initialise(V, L));
		}
		before.push_back({ V, together ? E : nullptr, E != nullptr, all.size() });
	}

	/* Makes a computed constant. Its own cell must not write to it, so the storage that is
	 * written is another variable of the same symbol. */
	void compute(VarDecl *V, Expr *E, bool is_const)
	{
		SourceLocation L = V->getLocation();
		VarDecl *target = V;

		if (is_const) {
			V->setStorageClass(SC_Extern);
			target = builder.variable(file, STORAGE_PREFIX + V->getName().str(),
						  builder.writable(V->getType()), L, SC_None);
			target->addAttr(AsmLabelAttr::CreateImplicit(C, V->getName(), true));
			target->setTSCSpec(V->getTSCSpec());
			found->computed[V] = E;
		}
		S.TentativeDefinitions.push_back(target);
		found->waiting.insert(V);
		add(builder.assign(target, E, L));
		definitions[V->getCanonicalDecl()].push_back({ V, nullptr, false, all.size() });
	}

	void hand_over_declarations()
	{
		for (const auto &variable : definitions)
			for (const definition &one : variable.second)
				if (one.value)
					one.V->setInit(one.value);
		for (Decl *D : declarations)
			S.getASTConsumer().HandleTopLevelDecl(DeclGroupRef(D));
	}
};

/* Records the directives and macros of the main file. */
class DirectivesOfC : public PPCallbacks
{
      public:
	DirectivesOfC(Preprocessor &PP, const clang_job *job, clang_turns *found, Turns &turns)
	    : PP(PP), SM(PP.getSourceManager()), job(job), found(found), turns(turns)
	{
	}

	void MacroExpands(const Token &name, const MacroDefinition &macro, SourceRange,
			  const MacroArgs *) override
	{
		auto where = SM.getDecomposedLoc(SM.getFileLoc(name.getLocation()));

		if (where.first == SM.getMainFileID())
			found->expansions.push_back(
				{ where.second, name.getIdentifierInfo(), macro.getMacroInfo() });
	}

	void SourceRangeSkipped(SourceRange range, SourceLocation) override
	{
		auto begin = SM.getDecomposedLoc(range.getBegin()),
		     end = SM.getDecomposedLoc(range.getEnd());

		if (job->skipped && begin.first == SM.getMainFileID() && end.first == begin.first)
			job->skipped(job->context, begin.second, end.second);
	}

	void PragmaDirective(SourceLocation L, PragmaIntroducerKind introducer) override
	{
		PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(L));

		turns.see_pragma();
		if (job->pragma && turns.is_at_top() && P.isValid() &&
		    is_own_name(job, P.getFilename()))
			job->pragma(job->context, clang_pragma_text(PP, L, introducer).c_str());
	}

      private:
	Preprocessor &PP;
	const SourceManager &SM;
	const clang_job *job;
	clang_turns *found;
	Turns &turns;
};

} // namespace

void clang_turns_parse(Sema &S, const clang_job *job, clang_turns *ret,
		       const std::function<void(FunctionDecl *F, bool has_value)> &each)
{
	auto P = std::make_unique<Parser>(S.getPreprocessor(), S, false);
	Turns turns(S, *P, job, ret);

	S.getPreprocessor().addPPCallbacks(
		std::make_unique<DirectivesOfC>(S.getPreprocessor(), job, ret, turns));
	S.getPreprocessor().setTokenWatcher([&turns](const Token &T) { turns.see(T); });
	clang_parse_unit(S, *P, [&] { turns.parse(each); });
}

/* Tells whether the text of a type means the same in later cells, which would expand a macro in it
 * with its definition of that time. */
static bool means_the_same(const clang_turns &turns, const Preprocessor &PP, unsigned begin,
			   unsigned end)
{
	auto first = std::lower_bound(
		turns.expansions.begin(), turns.expansions.end(), begin,
		[](const clang_turns::expansion &one, unsigned at) { return one.offset < at; });

	for (; first != turns.expansions.end() && first->offset < end; ++first) {
		const MacroInfo *M = first->macro;
		bool is_bracket = M && M->getNumTokens() &&
				  M->tokens_begin()->isOneOf(tok::l_brace, tok::r_brace);

		if (!M || M->isFunctionLike() || is_bracket || PP.getMacroInfo(first->name) != M)
			return false;
	}
	return true;
}

static bool has_directive(StringRef text)
{
	for (size_t at = text.find('#'); at != StringRef::npos; at = text.find('#', at + 1))
		if (text.substr(0, at).rtrim(" \t").ends_with("\n"))
			return true;
	return false;
}

std::string clang_turns_text(const clang_turns &turns, const TagDecl *tag, const Preprocessor &PP)
{
	const SourceManager &SM = PP.getSourceManager();
	const TypedefNameDecl *by =
		tag->getIdentifier() ? nullptr : tag->getTypedefNameForAnonDecl();
	SourceRange range = by ? by->getSourceRange() : tag->getSourceRange();

	if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID())
		return "";
	unsigned begin = SM.getFileOffset(range.getBegin()), end = SM.getFileOffset(range.getEnd());

	if (SM.getFileID(range.getBegin()) != SM.getMainFileID() ||
	    !means_the_same(turns, PP, begin, end))
		return "";
	for (const Attr *A : tag->attrs())
		if (!A->isImplicit() &&
		    SM.getFileOffset(SM.getExpansionLoc(A->getLocation())) > end)
			return "";
	std::string text =
		Lexer::getSourceText(CharSourceRange::getTokenRange(range), SM, PP.getLangOpts())
			.str();

	/* The name goes behind `struct`. */
	if (turns.named.count(tag))
		text.insert(Lexer::MeasureTokenLength(range.getBegin(), SM, PP.getLangOpts()),
			    " " + tag->getName().str() + " ");
	return has_directive(text) ? "" : text + ";";
}
