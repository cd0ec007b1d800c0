/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One visitor finds the outermost lambdas of a declaration, a second one collects the variables of
 * the session that the body of such a lambda names, bodies of lambdas inside of it included. At
 * file scope copies take the place of `=`; elsewhere they are added behind it, for code of the
 * device only. An array is copied by cgpu_array_copy(), since `a = a` would capture a pointer.
 * Constants known to the compiler, references and variables of the device are not copied. Places
 * in macros and other files get no edit.
 */
#include "compiler/clang/cells/clang-captures.hh"

#include "compiler/clang/tree/clang-bindings.hh"
#include "compiler/clang/tree/clang-cuda.hh"
#include "compiler/clang/tree/clang-tree-walk.hh"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <string>
#include <vector>

using namespace clang;

namespace
{

/* Tells whether it is a host variable whose value is not known at compile time. */
bool is_of_session(const VarDecl *V)
{
	QualType T = V->getType();

	return V->getDeclContext()->getRedeclContext()->isFileContext() && !V->isConstexpr() &&
	       !T->isReferenceType() && !V->hasAttr<CUDADeviceAttr>() &&
	       !V->hasAttr<CUDAConstantAttr>() && !clang_cuda_is_managed(V) &&
	       !(T.isConstQualified() && T->isIntegralOrEnumerationType() && V->getInit());
}

/* Collects the variables of the session that code names, each once, in order. */
class Names : public clang_tree_walk
{
      public:
	std::vector<const VarDecl *> all;

	bool VisitStmt(Stmt *S) override
	{
		auto *E = dyn_cast<DeclRefExpr>(S);
		const VarDecl *V = E ? clang_bindings_variable(E->getDecl()) : nullptr;

		if (V && !E->hasQualifier() && is_of_session(V) &&
		    std::find(all.begin(), all.end(), V) == all.end())
			all.push_back(V);
		return true;
	}
};

class Lambdas : public clang_tree_walk
{
      public:
	Lambdas(ASTContext &C, const clang_job *job, bool at_file_scope)
	    : SM(C.getSourceManager()), language(C.getLangOpts()), job(job),
	      at_file_scope(at_file_scope)
	{
	}

	/* Lambdas inside of this one capture from it, except in initialisers of captures. */
	bool TraverseLambdaExpr(LambdaExpr *L) override
	{
		for (const LambdaCapture &one : L->explicit_captures())
			if (L->isInitCapture(&one))
				TraverseStmt(cast<VarDecl>(one.getCapturedVar())->getInit());
		if (L->getCaptureDefault() == LCD_ByCopy)
			copy(L);
		else if (L->getCaptureDefault() == LCD_ByRef && at_file_scope)
			take_out(L->getCaptureDefaultLoc(), "");
		return true;
	}

      private:
	const SourceManager &SM;
	const LangOptions &language;
	const clang_job *job;
	const bool at_file_scope;

	void copy(LambdaExpr *L)
	{
		bool is_on_device = L->getCallOperator()->hasAttr<CUDADeviceAttr>();
		Names names;
		std::string list;

		if (!at_file_scope && !is_on_device)
			return;
		names.TraverseStmt(L->getBody());
		for (const VarDecl *V : names.all) {
			std::string name = V->getNameAsString();

			list += (list.empty() ? "" : ", ") + name + " = ";
			list += V->getType()->isArrayType() ? "cgpu_array_copy(" + name + ")"
							    : name;
		}
		if (at_file_scope)
			take_out(L->getCaptureDefaultLoc(), list);
		else if (!list.empty())
			edit(L->getCaptureDefaultLoc().getLocWithOffset(1), 0, ", " + list);
	}

	/* Replaces `=` or `&`, with the comma behind it when the replacement is empty. */
	void take_out(SourceLocation L, const std::string &with)
	{
		std::optional<Token> next = Lexer::findNextToken(L, SM, language);

		if (with.empty() && next && next->is(tok::comma))
			edit(next->getLocation(), 1, "");
		edit(L, 1, with);
	}

	void edit(SourceLocation L, unsigned length, const std::string &with)
	{
		if (L.isValid() && L.isFileID() && SM.getFileID(L) == SM.getMainFileID())
			job->edit(job->context, SM.getFileOffset(L), SM.getFileOffset(L) + length,
				  with.c_str());
	}
};

} // namespace

void clang_captures_report(ASTContext &C, Decl *D, const clang_job *job)
{
	Lambdas(C, job, isa<VarDecl>(D)).TraverseDecl(D);
}
