/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang can parse statements at file scope itself (-fincremental-extensions), each as a declaration
 * of its own, which is no function: then a lambda, a local class or a static variable in one has no
 * linkage name, and `return` no meaning. So the parser is driven from here: declarations are parsed
 * as usual, statements as the body of a function.
 */
#include "compiler/clang/cells/clang-statements.hh"

#include "compiler/clang/cells/clang-parser.hh"
#include "compiler/clang/job/clang-job.hh"
#include "compiler/clang/tree/clang-bindings.hh"
#include "compiler/clang/tree/clang-members.hh"
#include "compiler/clang/tree/clang-publish.hh"
#include "compiler/clang/tree/clang-tree-walk.hh"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Parse/Parser.h>
#include <clang/Sema/Lookup.h>

using namespace clang;

namespace
{

/* Handles `return;`, which ends the cell: its statements set a flag, and their caller checks it. */
class Returns : public clang_tree_walk
{
      public:
	std::vector<ReturnStmt *> all;

	bool VisitStmt(Stmt *S) override
	{
		if (auto *R = dyn_cast<ReturnStmt>(S))
			all.push_back(R);
		return true;
	}

	bool TraverseLambdaExpr(LambdaExpr *) override
	{
		return true;
	}

	bool TraverseDecl(Decl *D) override
	{
		return isa_and_nonnull<VarDecl>(D) ? clang_tree_walk::TraverseDecl(D) : true;
	}
};

class Statements
{
      public:
	Statements(Sema &S, Parser &P, const std::string &prefix,
		   const std::function<void(FunctionDecl *, bool)> &each)
	    : S(S), C(S.getASTContext()), P(P), prefix(prefix), each(each)
	{
	}

	/* Parses the statements up to the next declaration. */
	void parse()
	{
		SourceLocation from = P.getCurToken().getLocation();
		FunctionDecl *F = begin(from);
		bool has_value = false;
		{
			Parser::ParseScope body(&P, Scope::FnScope | Scope::DeclScope |
							    Scope::CompoundStmtScope);
			Parser::StmtVector all;

			S.ActOnStartOfFunctionDef(S.getCurScope(), F);
			StmtResult whole = parse_body(from, all, &has_value);
			body.Exit();
			S.ActOnFinishFunctionBody(F, whole.get());
		}
		each(F, has_value);
		S.getASTConsumer().HandleTopLevelDecl(DeclGroupRef(F));
		call(F);
	}

      private:
	Sema &S;
	ASTContext &C;
	Parser &P;
	const std::string &prefix;
	const std::function<void(FunctionDecl *, bool)> &each;
	unsigned n = 0;

	FunctionDecl *begin(SourceLocation L)
	{
		DeclContext *file = C.getTranslationUnitDecl();
		std::string name = prefix + "_" + std::to_string(++n);
		QualType T = C.getFunctionType(C.VoidTy, {}, FunctionProtoType::ExtProtoInfo());
		TypeSourceInfo *written = C.getTrivialTypeSourceInfo(T, L);
		FunctionDecl *F = FunctionDecl::Create(C, file, L, L, &C.Idents.get(name), T,
						       written, SC_Static);

		F->addAttr(AsmLabelAttr::CreateImplicit(C, name, true));
		/* A report of a fault recognises statements by the name of the function. */
		F->addAttr(NoInlineAttr::CreateImplicit(C));
		file->addDecl(F);
		return F;
	}

	StmtResult parse_body(SourceLocation from, Parser::StmtVector &all, bool *ret_has_value)
	{
		Sema::CompoundScopeRAII scope(S);

		do {
			StmtResult one = clang_parse_statement(S, P, all);

			if (one.isUsable())
				all.push_back(one.get());
		} while (clang_at_statement(P));
		SourceLocation to = P.getCurToken().getLocation();

		*ret_has_value = clang_lacks_semicolon(S, P, all);
		return S.ActOnCompoundStmt(from, to, all, false);
	}

	Expr *call_of(ValueDecl *F, SourceLocation L)
	{
		ExprResult callee = S.BuildDeclRefExpr(F, F->getType(), VK_LValue, L);
		ExprResult made = callee.isInvalid()
					  ? callee
					  : S.BuildCallExpr(nullptr, callee.get(), L, {}, L);

		return made.isInvalid() ? nullptr : made.get();
	}

	FunctionDecl *known(const char *name)
	{
		LookupResult found(S, &C.Idents.get(name), SourceLocation(),
				   Sema::LookupOrdinaryName);

		return S.LookupQualifiedName(found, C.getTranslationUnitDecl())
			       ? found.getAsSingle<FunctionDecl>()
			       : nullptr;
	}

	void call(FunctionDecl *F)
	{
		SourceLocation L = F->getLocation();
		llvm::SmallVector<Stmt *, 2> all;

		if (F->isInvalidDecl() || S.getDiagnostics().hasErrorOccurred())
			return;
		all.push_back(call_of(F, L));
		end_at_return(F, all);
		TopLevelStmtDecl *D = TopLevelStmtDecl::Create(
			C, CompoundStmt::Create(C, all, FPOptionsOverride(), L, L));

		C.getTranslationUnitDecl()->addDecl(D);
		S.getASTConsumer().HandleTopLevelDecl(DeclGroupRef(D));
	}

	void end_at_return(FunctionDecl *F, llvm::SmallVectorImpl<Stmt *> &behind)
	{
		FunctionDecl *returns = known("cgpu_returns"), *end = known("cgpu_end_if_returned");
		Returns found;

		found.TraverseStmt(F->getBody());
		if (found.all.empty() || !returns || !end)
			return;
		for (ReturnStmt *R : found.all)
			R->setRetValue(call_of(returns, R->getReturnLoc()));
		behind.push_back(call_of(end, F->getLocation()));
	}
};

/* Enters another text, as a file of its own. */
void enter(Preprocessor &PP, const char *text)
{
	FileID file =
		clang_file_of_text(PP.getSourceManager(), llvm::MemoryBufferRef(text, "behind"));

	PP.EnterSourceFile(file, nullptr, SourceLocation());
}

/* Handles what the parser has made at the top of the file. */
void handle(Sema &S, DeclGroupRef group)
{
	std::vector<VarDecl *> behind;

	for (Decl *D : group) {
		clang_publish_cpp(D);
		for (VarDecl *V : clang_bindings_make(S, D))
			behind.push_back(V);
	}
	S.getASTConsumer().HandleTopLevelDecl(group);
	for (VarDecl *V : behind)
		S.getASTConsumer().HandleTopLevelDecl(DeclGroupRef(V));
}

} // namespace

void clang_statements_parse(Sema &S, const std::string &prefix,
			    const std::function<void(FunctionDecl *, bool)> &each,
			    clang_statements_place *place, const char *behind)
{
	auto P = std::make_unique<Parser>(S.getPreprocessor(), S, false);
	Statements statements(S, *P, prefix, each);
	Parser::DeclGroupPtrTy group;
	auto imports = Sema::ModuleImportState::NotACXX20Module;
	clang_text_end end(S.getPreprocessor());

	S.getPreprocessor().setTokenWatcher([&end, place](const Token &T) {
		end.see(T);
		place->is_inside = end.is_inside();
	});
	auto parse = [&] {
		while (!P->getCurToken().isOneOf(tok::eof, tok::annot_repl_input_end)) {
			if (clang_at_statement(*P)) {
				statements.parse();
				continue;
			}
			end.enter_declaration(true);
			P->ParseTopLevelDecl(group, imports);
			end.enter_declaration(false);
			if (!group)
				continue;
			place->end = clang_end_of_previous(*P);
			handle(S, group.get());
		}
	};

	clang_parse_unit(S, *P, [&] {
		parse();
		if (behind && *behind) {
			enter(S.getPreprocessor(), behind);
			P->ConsumeAnyToken();
			parse();
		}
		/* This must precede clang's check for used functions without a body. */
		clang_members_define(S);
	});
}
