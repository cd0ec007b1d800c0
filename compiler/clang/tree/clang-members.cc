/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a member may need the members of its class in turn, so this is repeated until no
 * instance without a body is left. */
#include "compiler/clang/tree/clang-members.hh"

#include "compiler/clang/tree/clang-build.hh"
#include "compiler/clang/tree/clang-types.hh"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/Sema/EnterExpressionEvaluationContext.h>

#include <string>

using namespace clang;

namespace
{

class Members
{
      public:
	explicit Members(Sema &S) : S(S), C(S.getASTContext()), N(clang_build_show(S))
	{
	}

	/* Defines instances. False: there was none left. */
	bool define()
	{
		bool any = false;

		for (FunctionDecl *F : without_body("each_member")) {
			define(F, &Members::put_members);
			any = true;
		}
		for (FunctionDecl *F : without_body("enumerator")) {
			define(F, &Members::put_enumerators);
			any = true;
		}
		return any;
	}

      private:
	typedef llvm::SmallVector<Stmt *, 16> statements;

	Sema &S;
	ASTContext &C;
	NamespaceDecl *N;
	SourceLocation L;

	llvm::SmallVector<FunctionDecl *, 8> without_body(const char *name)
	{
		llvm::SmallVector<FunctionDecl *, 8> all;

		if (!N)
			return all;
		for (NamedDecl *D : N->lookup(&C.Idents.get(name)))
			if (auto *T = dyn_cast<FunctionTemplateDecl>(D))
				for (FunctionDecl *F : T->specializations())
					if (!F->hasBody() && !F->isInvalidDecl())
						all.push_back(F);
		return all;
	}

	void define(FunctionDecl *F, void (Members::*put)(FunctionDecl *, statements &))
	{
		Sema::ContextRAII inside(S, F);
		EnterExpressionEvaluationContext evaluated(
			S, Sema::ExpressionEvaluationContext::PotentiallyEvaluated);
		statements all;

		L = F->getLocation();
		(this->*put)(F, all);
		F->setBody(CompoundStmt::Create(C, all, FPOptionsOverride(), L, L));
		F->setWillHaveBody(false);
		S.getASTConsumer().HandleTopLevelDecl(DeclGroupRef(F));
	}

	Expr *reference(ValueDecl *V)
	{
		return S.BuildDeclRefExpr(V, V->getType().getNonReferenceType(), VK_LValue, L);
	}

	Expr *text(StringRef s)
	{
		return clang_build_text(C, s, L);
	}

	/* Appends a call of a function of the header. */
	void call(const char *name, llvm::MutableArrayRef<Expr *> arguments, statements &to)
	{
		if (Expr *made = clang_build_call(S, N, name, arguments, L))
			to.push_back(S.MaybeCreateExprWithCleanups(made));
	}

	/* Defines void each_member(const T &value, member_list &to). */
	void put_members(FunctionDecl *F, statements &all)
	{
		ParmVarDecl *value = F->getParamDecl(0), *to = F->getParamDecl(1);
		QualType T = value->getType().getNonReferenceType();
		auto *R = T->getAsCXXRecordDecl();

		R = R ? R->getDefinition() : nullptr;
		/* The members of a class of the standard library are of no interest to its user. */
		if (!R || clang_type_is_of_the_library(R)) {
			Expr *arguments[] = { reference(to), text(shown(T.getUnqualifiedType())) };

			call("put_name", arguments, all);
			return;
		}
		for (const CXXBaseSpecifier &B : R->bases())
			put_base(B, value, to, all);
		if (R->isLambda()) {
			put_captures(R, value, to, all);
			return;
		}
		for (FieldDecl *D : R->fields())
			put_member(D, D->getName(), value, to, all);
	}

	std::string shown(QualType T)
	{
		PrintingPolicy policy(C.getLangOpts());

		policy.SuppressUnwrittenScope = true;
		policy.UsePreferredNames = true;
		return T.getAsString(policy);
	}

	/* Appends the members of a base, whatever its access is. */
	void put_base(const CXXBaseSpecifier &B, ParmVarDecl *value, ParmVarDecl *to,
		      statements &all)
	{
		QualType T =
			C.getQualifiedType(B.getType().getUnqualifiedType(),
					   value->getType().getNonReferenceType().getQualifiers());
		CXXCastPath path;

		path.push_back(const_cast<CXXBaseSpecifier *>(&B));
		Expr *base = ImplicitCastExpr::Create(C, T, CK_DerivedToBase, reference(value),
						      &path, VK_LValue, FPOptionsOverride());
		Expr *arguments[] = { reference(to), base };

		call("put_base", arguments, all);
	}

	void put_member(FieldDecl *D, StringRef name, ParmVarDecl *value, ParmVarDecl *to,
			statements &all)
	{
		QualType T = D->getType();

		if (D->isUnnamedBitField() || T->isIncompleteType() ||
		    C.getTypeSizeInChars(T).isZero())
			return;
		/* It is not known which member of a union is active: members whose bytes may be no
		 * valid value are left out. */
		if (D->getParent()->isUnion() && !T.isTriviallyCopyableType(C))
			return;
		CXXScopeSpec scope;
		DeclarationNameInfo member(D->getDeclName(), L);
		ExprResult field =
			S.BuildFieldReferenceExpr(reference(value), false, L, scope, D,
						  DeclAccessPair::make(D, D->getAccess()), member);

		if (field.isInvalid())
			return;
		Expr *arguments[] = { reference(to), text(name), field.get() };

		call("put_member", arguments, all);
	}

	void put_captures(CXXRecordDecl *R, ParmVarDecl *value, ParmVarDecl *to, statements &all)
	{
		auto field = R->field_begin();

		for (const LambdaCapture &captured : R->captures()) {
			StringRef name = captured.capturesVariable()
						 ? captured.getCapturedVar()->getName()
						 : "this";

			if (field == R->field_end())
				break;
			put_member(*field++, name, value, to, all);
		}
	}

	/* Defines const char *enumerator(T value). */
	void put_enumerators(FunctionDecl *F, statements &all)
	{
		ParmVarDecl *value = F->getParamDecl(0);
		auto *E = value->getType()->getAs<EnumType>();

		if (E && E->getDecl()->getDefinition())
			for (EnumConstantDecl *K : E->getDecl()->getDefinition()->enumerators())
				put_enumerator(K, value, all);
		all.push_back(answer(nullptr));
	}

	void put_enumerator(EnumConstantDecl *K, ParmVarDecl *value, statements &all)
	{
		QualType T = value->getType();
		Expr *constant = S.BuildDeclRefExpr(K, T, VK_PRValue, L);
		ExprResult same = S.CreateBuiltinBinOp(
			L, BO_EQ, S.DefaultLvalueConversion(reference(value)).get(), constant);

		if (!same.isInvalid())
			all.push_back(IfStmt::Create(
				C, L, IfStatementKind::Ordinary, nullptr, nullptr, same.get(), L, L,
				answer(S.DefaultFunctionArrayConversion(text(K->getName()))
					       .get())));
	}

	Stmt *answer(Expr *E)
	{
		QualType T = C.getPointerType(C.CharTy.withConst());

		if (!E)
			E = ImplicitCastExpr::Create(
				C, T, CK_NullToPointer,
				IntegerLiteral::Create(C, llvm::APInt(32, 0), C.IntTy, L), nullptr,
				VK_PRValue, FPOptionsOverride());
		return ReturnStmt::Create(C, L, E, nullptr);
	}
};

} // namespace

void clang_members_define(Sema &S)
{
	Members members(S);

	do
		S.PerformPendingInstantiations();
	while (!S.getDiagnostics().hasErrorOccurred() && members.define());
}
