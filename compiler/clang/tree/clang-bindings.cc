/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nobody else can name the bound object, so moving its parts away is not noticed. A part that
 * cannot be moved, or that belongs to another object (`auto &[a, b] = x;`), becomes a reference. A
 * bit-field of such an object stays a binding.
 */
#include "compiler/clang/tree/clang-bindings.hh"

#include "compiler/clang/tree/clang-publish.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Initialization.h>

using namespace clang;

namespace
{

/* Makes the variable that holds the result of the tuple's get() local to this unit; clang gives it
 * the binding's name. */
void hide_held(ASTContext &C, VarDecl *held)
{
	held->setDeclName(&C.Idents.get(("cgpu_held_" + held->getName()).str()));
	clang_hide(held);
}

class Binding
{
      public:
	Binding(Sema &S, DecompositionDecl *D, BindingDecl *B)
	    : S(S), C(S.getASTContext()), D(D), B(B), L(B->getLocation())
	{
	}

	/* Makes the variable; nullptr: the binding is unchanged. */
	VarDecl *make()
	{
		Expr *part = B->getBinding();
		QualType T = B->getType();

		if (!part || T->isDependentType() || part->containsErrors())
			return nullptr;
		/* Avoids std::tuple_element<0, ...>::type. */
		if (B->getHoldingVar())
			T = T.getCanonicalType();
		bool is_own = !D->getType()->isReferenceType() && !T->isReferenceType();
		VarDecl *V = is_own ? variable(T, moved(T, part)) : nullptr;

		if (!V && part->getObjectKind() == OK_Ordinary)
			V = variable(C.getLValueReferenceType(T.getNonReferenceType()), part);
		if (V)
			bind(V);
		return V;
	}

      private:
	Sema &S;
	ASTContext &C;
	DecompositionDecl *D;
	BindingDecl *B;
	SourceLocation L;

	Expr *moved(QualType T, Expr *part)
	{
		QualType to = C.getRValueReferenceType(T);
		ExprResult made = S.BuildCXXNamedCast(
			L, tok::kw_static_cast, C.getTrivialTypeSourceInfo(to, L), part, L, L);

		return made.isInvalid() ? nullptr : made.get();
	}

	/* Creates a variable that is initialised by `from`; nullptr: the type does not allow it. */
	VarDecl *variable(QualType T, Expr *from)
	{
		VarDecl *V = VarDecl::Create(C, D->getDeclContext(), L, L, B->getIdentifier(), T,
					     C.getTrivialTypeSourceInfo(T, L), SC_None);
		InitializationKind how = InitializationKind::CreateDirect(L, L, L);

		if (!from ||
		    !InitializationSequence(S, InitializedEntity::InitializeVariable(V), how, from))
			return nullptr;
		V->setImplicit();
		V->setTSCSpec(D->getTSCSpec());
		V->setLexicalDeclContext(D->getLexicalDeclContext());
		S.AddInitializerToDecl(V, from, true);
		clang_publish_cpp(V);
		return V->isInvalidDecl() ? nullptr : V;
	}

	/* The parentheses keep clang from taking it for the holder of get()'s result, which it
	 * would create a second time. */
	void bind(VarDecl *V)
	{
		Expr *name =
			S.BuildDeclRefExpr(V, V->getType().getNonReferenceType(), VK_LValue, L);

		if (VarDecl *held = B->getHoldingVar())
			hide_held(C, held);
		V->setIsUsed();
		B->setBinding(B->getType(), new (C) ParenExpr(L, L, name));
	}
};

void make_one(Sema &S, DecompositionDecl *D, std::vector<VarDecl *> &ret)
{
	if (D->isInvalidDecl() || D->getType()->isDependentType() ||
	    S.getDiagnostics().hasErrorOccurred())
		return;
	for (BindingDecl *B : D->bindings()) {
		VarDecl *held = B->getHoldingVar(), *V = Binding(S, D, B).make();

		if (V && held)
			ret.push_back(held);
		if (V)
			ret.push_back(V);
	}
}

} // namespace

std::vector<VarDecl *> clang_bindings_make(Sema &S, Decl *D)
{
	std::vector<VarDecl *> made;

	if (auto *one = dyn_cast<DecompositionDecl>(D)) {
		make_one(S, one, made);
	} else if (isa<NamespaceDecl>(D)) {
		auto *context = cast<DeclContext>(D);

		for (Decl *inner :
		     std::vector<Decl *>(context->decls_begin(), context->decls_end()))
			for (VarDecl *V : clang_bindings_make(S, inner))
				context->addHiddenDecl(V);
		return {};
	}
	return made;
}

ParenExpr *clang_bindings_meaning(const BindingDecl *B)
{
	auto *means = dyn_cast_or_null<ParenExpr>(B->getBinding());

	return means && isa<DeclRefExpr>(means->getSubExpr()) ? means : nullptr;
}

const VarDecl *clang_bindings_variable(const ValueDecl *D)
{
	auto *B = dyn_cast<BindingDecl>(D);
	auto *means = B ? clang_bindings_meaning(B) : nullptr;

	return dyn_cast<VarDecl>(means ? cast<DeclRefExpr>(means->getSubExpr())->getDecl() : D);
}

bool clang_bindings_made(const VarDecl *V)
{
	return V->isImplicit();
}
