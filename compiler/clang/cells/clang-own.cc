/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang finds a declaration at file scope in two ways: by the table of the context, and by the
 * chain of its identifier. It is removed from both, and from the table of extern "C" names, which
 * is shared by all scopes. A function among them gets another symbol, by which the worker finds it
 * in its library.
 */
#include "compiler/clang/cells/clang-own.hh"

#include "common/code/unit.h"
#include "compiler/clang/job/clang-shim.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExternalASTSource.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/IdentifierResolver.h>
#include <clang/Sema/Scope.h>
#include <clang/Sema/Sema.h>

#include <vector>

using namespace clang;

namespace
{

/* Makes a function accessible that clang's header reader calls when a header has nothing of this
 * name. */
struct Tables : ExternalASTSource {
	static void forget(const DeclContext *context, DeclarationName name)
	{
		SetNoExternalVisibleDeclsForName(context, name);
	}
};

class OwnName : public PragmaHandler
{
      public:
	OwnName(CompilerInstance &CI, std::shared_ptr<std::set<std::string>> names)
	    : PragmaHandler(CLANG_OWN), CI(CI), names(std::move(names))
	{
	}

	void HandlePragma(Preprocessor &PP, PragmaIntroducer, Token &) override
	{
		Token T;

		PP.LexUnexpandedToken(T);
		if (!T.getIdentifierInfo() || !CI.hasSema())
			return;
		names->insert(T.getIdentifierInfo()->getName().str());
		if (CI.getASTContext().getExternalSource())
			forget(CI.getSema(), T.getIdentifierInfo());
	}

      private:
	CompilerInstance &CI;
	std::shared_ptr<std::set<std::string>> names;

	/* Gives functions of headers the symbol of the library, so that calls in a header's own
	 * text do not reach what the session has by the name. */
	static void mark_functions(ASTContext &C, const DeclContext *context, DeclarationName name)
	{
		for (NamedDecl *one : context->lookup(name)) {
			auto *F = dyn_cast<FunctionDecl>(one->getUnderlyingDecl());

			F = F ? F->getCanonicalDecl() : nullptr;
			if (F && F->isFromASTFile() && F->isExternC() && !F->isDefined() &&
			    !F->hasAttr<AsmLabelAttr>())
				F->addAttr(AsmLabelAttr::CreateImplicit(
					C, (UNIT_OF_LIBRARY + F->getName()).str(), true));
		}
	}

	static void forget(Sema &S, DeclarationName name)
	{
		ASTContext &C = S.getASTContext();
		std::vector<NamedDecl *> chain;

		for (auto at = S.IdResolver.begin(name); at != S.IdResolver.end(); ++at)
			if ((*at)->isFromASTFile())
				chain.push_back(*at);
		for (NamedDecl *D : chain) {
			S.IdResolver.RemoveDecl(D);
			if (S.TUScope)
				S.TUScope->RemoveDecl(D);
		}
		if (!C.getLangOpts().CUDAIsDevice) {
			mark_functions(C, C.getTranslationUnitDecl(), name);
			mark_functions(C, C.getExternCContextDecl(), name);
		}
		Tables::forget(C.getTranslationUnitDecl(), name);
		Tables::forget(C.getExternCContextDecl(), name);
	}
};

} // namespace

std::shared_ptr<const std::set<std::string>> clang_own_names(CompilerInstance &CI)
{
	auto names = std::make_shared<std::set<std::string>>();

	CI.getPreprocessor().AddPragmaHandler(new OwnName(CI, names));
	return names;
}
