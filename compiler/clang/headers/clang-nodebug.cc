/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over the declarations of a precompiled header, without those of the one that it is
 * chained to, adds clang's `nodebug` attribute to each function whose outermost namespace is std
 * or __gnu_cxx and that stands in a system header. Function bodies and written types, which are
 * most of the tree, are not entered, because they declare few functions. Templates are marked like
 * functions, so that an instance that a cell makes later has the attribute from its template.
 */
#include "compiler/clang/headers/clang-nodebug.hh"

#include "compiler/clang/tree/clang-tree-walk.hh"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>

using namespace clang;

namespace
{

/* Tells whether it is in a namespace of the C++ library; the runtime's own headers are excluded,
 * since they record the line of CUDA calls. */
bool is_of_library(const Decl *D)
{
	const NamespaceDecl *outermost = nullptr;

	for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
		if (auto *N = dyn_cast<NamespaceDecl>(C))
			outermost = N;
	return outermost && (outermost->getName() == "std" || outermost->getName() == "__gnu_cxx");
}

/* Visits declarations only: function bodies declare only local classes and lambdas, which are
 * few. */
class Marker : public clang_tree_walk
{
      public:
	explicit Marker(ASTContext &C) : clang_tree_walk(WITH_INSTANCES), C(C)
	{
	}

	bool enters(Stmt *) override
	{
		return false;
	}

	bool TraverseTypeLoc(TypeLoc) override
	{
		return true;
	}

	bool VisitDecl(Decl *D) override
	{
		auto *F = dyn_cast<FunctionDecl>(D);

		if (F && is_of_library(F) &&
		    C.getSourceManager().isInSystemHeader(F->getLocation()) &&
		    !F->hasAttr<NoDebugAttr>())
			F->addAttr(NoDebugAttr::CreateImplicit(C));
		return true;
	}

      private:
	ASTContext &C;
};

} // namespace

void clang_mark_nodebug(ASTContext &C)
{
	Marker marker(C);

	for (Decl *D : C.getTranslationUnitDecl()->noload_decls())
		if (!D->isFromASTFile())
			marker.TraverseDecl(D);
}
