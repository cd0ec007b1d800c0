/* SPDX-License-Identifier: Apache-2.0 */
/* Sema builds the calls, as if they had been parsed at the place of the expression. */
#include "compiler/clang/tree/clang-display.hh"

#include "compiler/clang/tree/clang-build.hh"
#include "compiler/clang/tree/clang-cuda.hh"
#include "compiler/clang/tree/clang-types.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/Version.h>
#include <clang/Sema/EnterExpressionEvaluationContext.h>

using namespace clang;

namespace
{

typedef llvm::SmallVectorImpl<Stmt *> statements;

/* Returns the expression as the user wrote it, without the conversions of an expression
 * statement. */
Expr *written(Expr *E)
{
	while (auto *I = dyn_cast<ImplicitCastExpr>(E)) {
		CastKind K = I->getCastKind();

		if (K != CK_LValueToRValue && K != CK_ArrayToPointerDecay &&
		    K != CK_FunctionToPointerDecay)
			break;
		E = I->getSubExpr();
	}
	return E;
}

class Display
{
      public:
	/* New declarations belong to the context. */
	Display(Sema &S, DeclContext *context)
	    : S(S), C(S.getASTContext()), context(context), inside(S, context)
	{
	}

	/* Appends the statements that show E, the expression of a statement. False: it has no
	 * value, or none that can be shown. */
	bool show(Expr *E, statements &to, clang_display *ret)
	{
		if (E->containsErrors() || E->getType()->isDependentType() ||
		    E->getType()->isVoidType() || E->getType()->isVariablyModifiedType())
			return false;
		/* In C clang accepts a name of an incomplete type as a statement. */
		if (!E->getType()->isIncompleteArrayType() &&
		    S.RequireCompleteType(E->getBeginLoc(), E->getType(),
					  diag::err_incomplete_type))
			return false;
		/* In C++ its temporaries must live until it is shown. */
		auto *cleanups = dyn_cast<ExprWithCleanups>(E);

		E = written(cleanups ? cleanups->getSubExpr() : E);
		if (C.getLangOpts().CPlusPlus && !clang_cuda_is_on_device(E) &&
		    !is_as_in_c(E->getType())) {
			Expr *shown = show_in_cpp(E);

			if (!shown)
				return false;
			if (shown->getType()->isVoidType()) {
				to.push_back(with_cleanups(shown, cleanups));
				return true;
			}
			E = shown;
		}
		Expr *made = show_bytes(E, to, ret);

		if (made)
			to.push_back(with_cleanups(made, cleanups));
		return made != nullptr;
	}

      private:
	Sema &S;
	ASTContext &C;
	DeclContext *context;
	Sema::ContextRAII inside;

	/* Tells whether the type contains no class: then the bytes are sufficient to show it. */
	bool is_as_in_c(QualType T)
	{
		T = C.getBaseElementType(T).getCanonicalType();
		return !T->isRecordType() && !T->isNullPtrType() && !T->isMemberPointerType();
	}

	/* Tells whether it is a class with such members only, for which the header of cgpu_show has
	 * no text. */
	bool has_bytes_only(QualType T, NamespaceDecl *N, SourceLocation L)
	{
		T = C.getBaseElementType(T).getCanonicalType();
		if (T->isSpecificBuiltinType(BuiltinType::BFloat16))
			return false;
		if (is_as_in_c(T))
			return true;
		const CXXRecordDecl *R = T->getAsCXXRecordDecl();

		R = R ? R->getDefinition() : nullptr;
		if (!R || R->isLambda() || R->getNumBases() || clang_type_is_of_the_library(R) ||
		    has_text(T, N, L))
			return false;
		for (const FieldDecl *F : R->fields())
			if (!has_bytes_only(F->getType(), N, L))
				return false;
		return true;
	}

	/* Tells whether show() accepts a value of the type. */
	bool has_text(QualType T, NamespaceDecl *N, SourceLocation L)
	{
		EnterExpressionEvaluationContext asked(
			S, Sema::ExpressionEvaluationContext::Unevaluated);
		Expr *value = new (C) OpaqueValueExpr(L, T.getUnqualifiedType(), VK_LValue);
		Expr *shown = T->isUnionType() ? nullptr : clang_build_call(S, N, "show", value, L);

		return shown && !C.hasSameUnqualifiedType(shown->getType(), T);
	}

	/* Returns the call that shows E, or the expression whose bytes must be shown. */
	Expr *show_in_cpp(Expr *E)
	{
		SourceLocation L = E->getBeginLoc();
		QualType T = E->getType();
		NamespaceDecl *N = clang_build_show(S);

		if (!N)
			return E;
		if (clang_is_lambda(T))
			return or_itself(clang_build_call(S, N, "show_lambda", E, L), E);
		if (!T->isArrayType() && has_text(T, N, L))
			return clang_build_call(S, N, "show", E, L);
		return has_bytes_only(T, N, L)
			       ? E
			       : or_itself(clang_build_call(S, N, "show_whole", E, L), E);
	}

	static Expr *or_itself(Expr *made, Expr *E)
	{
		return made ? made : E;
	}

	Expr *with_cleanups(Expr *E, ExprWithCleanups *of)
	{
		if (!C.getLangOpts().CPlusPlus)
			return E;
		if (!of)
			return S.MaybeCreateExprWithCleanups(E);
		return ExprWithCleanups::Create(C, E, true, of->getObjects());
	}

	Expr *show_bytes(Expr *E, statements &to, clang_display *ret)
	{
		SourceLocation L = E->getBeginLoc();
		QualType T = E->getType();
		bool in_place =
			E->isLValue() && E->getObjectKind() == OK_Ordinary &&
			(T->isArrayType() || T->isRecordType() || clang_cuda_is_on_device(E));

		if (!in_place) {
			ExprResult R = S.DefaultFunctionArrayLvalueConversion(E);

			if (R.isInvalid())
				return nullptr;
			if (T->isSpecificBuiltinType(BuiltinType::BFloat16))
				R = S.ImpCastExprToType(R.get(), C.FloatTy, CK_FloatingCast);
			E = temporary(R.get(), L, to);
			T = R.get()->getType().getAtomicUnqualifiedType();
		}
		if (C.getLangOpts().CPlusPlus)
			T = T.getUnqualifiedType();
		ExprResult address = S.CreateBuiltinUnaryOp(L, UO_AddrOf, E);

		if (address.isInvalid())
			return nullptr;
		ret->type = clang_type_shown(spelled(T));
		ret->type_code = clang_expression_code(C, E, T);
		uint64_t size = C.getTypeSizeInChars(T).getQuantity();
		Expr *arguments[] = {
			clang_build_text(C, ret->type, L),
			clang_build_text(C, ret->type_code, L),
			address.get(),
			IntegerLiteral::Create(C, llvm::APInt(64, size), C.UnsignedLongTy, L),
		};
		Expr *made = clang_build_call(S, C.getTranslationUnitDecl(), "cgpu_display_value",
					      arguments, L);

		ret->shows = made != nullptr;
		return made;
	}

	std::string spelled(QualType T)
	{
		PrintingPolicy policy(C.getLangOpts());

		if (!isa<DecltypeType>(T.getTypePtr()))
			return T.getAsString(clang_type_policy(C));
		/* The name that the header of cgpu_show uses. */
		policy.UsePreferredNames = true;
		return T.getCanonicalType().getAsString(policy);
	}

	/* Creates a local variable that holds E, and returns a reference to it. */
	Expr *temporary(Expr *E, SourceLocation L, statements &to)
	{
		QualType T = E->getType().getAtomicUnqualifiedType();
		VarDecl *V = VarDecl::Create(C, context, L, L, &C.Idents.get("cgpu_displayed"), T,
					     C.getTrivialTypeSourceInfo(T, L), SC_None);

		V->setInit(E);
		V->setIsUsed();
		to.push_back(new (C) DeclStmt(DeclGroupRef(V), L, L));
		return S.BuildDeclRefExpr(V, T, VK_LValue, L);
	}
};

} // namespace

clang_display clang_display_body(Sema &S, FunctionDecl *F)
{
	ASTContext &C = S.getASTContext();
	auto *body = dyn_cast_or_null<CompoundStmt>(F->getBody());
	clang_display ret;

	if (!body || body->body_empty())
		return ret;
	llvm::SmallVector<Stmt *, 32> all(body->body_begin(), body->body_end() - 1);
	llvm::SmallVector<Stmt *, 4> made;
	auto *E = dyn_cast<Expr>(body->body_back());

	if (!E || !Display(S, F).show(E, made, &ret))
		return ret;
	all.append(made);
	F->setBody(CompoundStmt::Create(C, all, FPOptionsOverride(), body->getLBracLoc(),
					body->getRBracLoc()));
	return ret;
}

bool clang_display_call_before(Sema &S, FunctionDecl *F, const char *name)
{
	ASTContext &C = S.getASTContext();
	Sema::ContextRAII inside(S, F);
	auto *body = dyn_cast_or_null<CompoundStmt>(F->getBody());

	if (!body || body->body_empty())
		return false;
	Expr *made = clang_build_call(S, C.getTranslationUnitDecl(), name, {},
				      body->body_back()->getBeginLoc());

	if (!made)
		return false;
	llvm::SmallVector<Stmt *, 32> all(body->body_begin(), body->body_end());

	all.insert(all.end() - 1, made);
	F->setBody(CompoundStmt::Create(C, all, FPOptionsOverride(), body->getLBracLoc(),
					body->getRBracLoc()));
	return true;
}
