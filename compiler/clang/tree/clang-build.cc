/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls are built by Sema, as for the parser, and not by making nodes: Sema resolves overloads,
 * converts the arguments and marks the function as used. Only a string literal, which has nothing
 * to be resolved, is made as a node. Names are looked up by text at each call; what is not found
 * or does not fit gives null.
 */
#include "compiler/clang/tree/clang-build.hh"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Version.h>
#include <clang/Sema/Lookup.h>

using namespace clang;

/* Looks a name up. At file scope the ordinary lookup is used: in C a precompiled header has no
 * table of names, and clang would read all declarations. */
static bool find(Sema &S, DeclContext *where, LookupResult &found)
{
	return where->isTranslationUnit() ? S.LookupName(found, S.TUScope, true)
					  : S.LookupQualifiedName(found, where);
}

Expr *clang_build_call(Sema &S, DeclContext *where, const char *name,
		       llvm::MutableArrayRef<Expr *> arguments, SourceLocation L)
{
	LookupResult found(S, &S.Context.Idents.get(name), L, Sema::LookupOrdinaryName);
	CXXScopeSpec scope;

	if (!find(S, where, found))
		return nullptr;
	ExprResult callee = S.BuildDeclarationNameExpr(scope, found, false);
	ExprResult made = callee.isInvalid()
				  ? callee
				  : S.BuildCallExpr(nullptr, callee.get(), L, arguments, L);

	return made.isInvalid() ? nullptr : made.get();
}

Expr *clang_build_text(ASTContext &C, StringRef text, SourceLocation L)
{
	QualType T = C.getStringLiteralArrayType(C.CharTy, text.size());
#if CLANG_VERSION_MAJOR >= 18
	auto kind = StringLiteralKind::Ordinary;
#else
	auto kind = StringLiteral::Ordinary;
#endif

	return StringLiteral::Create(C, text, kind, false, T, L);
}

NamespaceDecl *clang_build_show(Sema &S)
{
	LookupResult found(S, &S.Context.Idents.get("cgpu_show"), SourceLocation(),
			   Sema::LookupNamespaceName);

	return find(S, S.Context.getTranslationUnitDecl(), found)
		       ? found.getAsSingle<NamespaceDecl>()
		       : nullptr;
}
