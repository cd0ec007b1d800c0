/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations of a cell with `static`, `inline` or `register` belong to the session: the keywords
 * are removed from the tree. The same applies to inline functions of included files, which are
 * written for CUDA C++ as often as for C.
 */
#include "compiler/clang/tree/clang-publish.hh"

#include "compiler/clang/job/clang-includes.hh"
#include "compiler/clang/tree/clang-bindings.hh"
#include "compiler/clang/tree/clang-cuda.hh"
#include "compiler/clang/tree/clang-pass.hh"
#include "compiler/clang/tree/clang-tree-walk.hh"
#include "compiler/clang/tree/clang-types.hh"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/Version.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#include <cstring>

using namespace clang;

#if CLANG_VERSION_MAJOR >= 18
#define LINKAGE(kind) Linkage::kind
#else
#define LINKAGE(kind) kind##Linkage
#endif

namespace
{

void show(Decl *D)
{
	auto *A = D->getAttr<VisibilityAttr>();

	if (A && A->getVisibility() != VisibilityAttr::Protected)
		D->dropAttr<VisibilityAttr>();
}

/* Clang caches the linkage of a declaration. */
struct Opener : Decl {
	using Decl::setCachedLinkage;
};

/* The function is inlined in its own cell, and an ordinary one for others. */
void publish_inline(FunctionDecl *F)
{
	ASTContext &C = F->getASTContext();

	if (F->isInlineSpecified() && !C.getLangOpts().CPlusPlus &&
	    F->doesThisDeclarationHaveABody())
		F->addAttr(VisibilityAttr::CreateImplicit(C, VisibilityAttr::Protected));
	F->setInlineSpecified(false);
}

void make_external(Decl *D)
{
	auto *F = dyn_cast<FunctionDecl>(D);
	auto *V = dyn_cast<VarDecl>(D);

	if (F && (F->getStorageClass() == SC_Static ||
		  (F->isInlineSpecified() && !F->hasAttr<GNUInlineAttr>()))) {
		F->setStorageClass(SC_None);
		publish_inline(F);
	} else if (V && V->getASTContext().getLangOpts().CPlusPlus &&
		   V->getType().isConstQualified() && V->hasInit()) {
		/* A const variable would be internal by default, and, with statements at file
		 * scope, created only where it is used. */
		V->setStorageClass(SC_Extern);
		V->addAttr(UsedAttr::CreateImplicit(V->getASTContext()));
	} else if (V && (V->getStorageClass() == SC_Static || V->getStorageClass() == SC_Auto ||
			 V->getStorageClass() == SC_Register ||
			 (V->hasExternalStorage() && V->hasInit()))) {
		V->setStorageClass(SC_None);
	} else {
		return;
	}
	(D->*&Opener::setCachedLinkage)(LINKAGE(External));
}

} // namespace

void clang_hide(VarDecl *V)
{
	V->setStorageClass(SC_Static);
	(V->*&Opener::setCachedLinkage)(LINKAGE(Internal));
}

void clang_publish(Decl *D, const SourceManager &SM, const clang_job *job)
{
	PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(D->getLocation()));

	show(D);
	if (P.isValid() && is_own_name(job, P.getFilename()))
		make_external(D);
}

/* Tells whether a variable is state of the session, as in C: also if it is static, or const and
 * initialised at run time. */
static bool is_state(const Decl *D)
{
	auto *V = dyn_cast<VarDecl>(D);

	if (!V || V->isInvalidDecl() || !V->getDeclContext()->isFileContext() || V->isInline() ||
	    V->isInAnonymousNamespace() ||
	    (V->getStorageClass() != SC_Static &&
	     !(V->getStorageClass() == SC_None && V->getType().isConstQualified())))
		return false;
	return !V->getType()->isDependentType() && !V->getType()->isUndeducedType() &&
	       V->getType()->getLinkage() == LINKAGE(External) &&
	       !isa<VarTemplateSpecializationDecl>(V) && !clang_is_constant(V);
}

/* Tells whether a device variable is state of the session. What a header of CUDA has for itself,
 * such as tables of constants, is local to each unit; other files are the user's. */
static bool is_device_state(const VarDecl *V)
{
	const SourceManager &SM = V->getASTContext().getSourceManager();
	bool is_own = V->hasAttr<InternalLinkageAttr>() ||
		      (V->getStorageClass() == SC_Static &&
		       SM.isInSystemHeader(SM.getExpansionLoc(V->getLocation())));

	return !is_own;
}

void clang_publish_cpp(Decl *D)
{
	if (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D))
		for (Decl *inner : cast<DeclContext>(D)->decls())
			clang_publish_cpp(inner);
	if (auto *T = dyn_cast<FunctionTemplateDecl>(D))
		D = T->getTemplatedDecl();
	auto *V = dyn_cast<VarDecl>(D);
	bool is_of_device = V && clang_cuda_is_of_device(V);

	if ((is_of_device ? is_device_state(V) : is_state(D)) || D->hasAttr<CUDAGlobalAttr>())
		make_external(D);
}

/* An extern "C" variable need not have a type with linkage. */
void clang_publish_lambda(VarDecl *V)
{
	ASTContext &C = V->getASTContext();
	const CXXRecordDecl *R = V->getType()->getAsCXXRecordDecl();

	if (!R || !R->isLambda() || !R->capture_size() ||
	    !V->getDeclContext()->isTranslationUnit() || !V->hasInit())
		return;
	V->addAttr(AsmLabelAttr::CreateImplicit(C, ("::" + V->getName()).str(), true));
	V->setStorageClass(SC_None);
	V->setDeclContext(LinkageSpecDecl::Create(C, C.getTranslationUnitDecl(), V->getLocation(),
						  V->getLocation(), LinkageSpecLanguageIDs::C,
						  false));
	(V->*&Opener::setCachedLinkage)(LINKAGE(External));
}

/* For C, -fsemantic-interposition does this. For C++ it would affect functions of headers too, and
 * make them slow. */
void clang_publish_replaceable(Decl *D)
{
	auto *F = dyn_cast<FunctionDecl>(D);

	if (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D))
		for (Decl *inner : cast<DeclContext>(D)->decls())
			clang_publish_replaceable(inner);
	if (!F || !F->doesThisDeclarationHaveABody() || F->isInlined() || F->isMain() ||
	    F->isDependentContext() || F->isTemplateInstantiation() ||
	    F->hasAttr<CUDAGlobalAttr>() || !F->isExternallyVisible() || F->hasAttr<WeakAttr>())
		return;
	F->addAttr(WeakAttr::CreateImplicit(F->getASTContext()));
}

namespace
{

class References : public clang_tree_walk
{
      public:
	/* A constexpr function is evaluated by the compiler itself, which needs the initialiser. */
	bool TraverseDecl(Decl *D) override
	{
		auto *F = dyn_cast_or_null<FunctionDecl>(D);

		return (F && F->isConstexprSpecified()) || clang_tree_walk::TraverseDecl(D);
	}

	bool VisitStmt(Stmt *parent) override
	{
		for (Stmt *&child : parent->children())
			if (auto *E = dyn_cast_or_null<DeclRefExpr>(child))
				child = looked_up(E);
		return true;
	}

      private:
	static bool is_bound_here(const VarDecl *V)
	{
		return V->getType()->isReferenceType() &&
		       V->getDeclContext()->getRedeclContext()->isFileContext() && V->hasInit() &&
		       !V->isConstexpr() && !V->isInline() && V->isExternallyVisible() &&
		       V->getTLSKind() == VarDecl::TLS_None && !V->isFromASTFile() &&
		       !isa<VarTemplateSpecializationDecl>(V);
	}

	/* Expressions that clang has already evaluated stay evaluated, so the name is looked up
	 * anew. */
	static Expr *looked_up(DeclRefExpr *E)
	{
		auto *V = dyn_cast<VarDecl>(E->getDecl());

		if (auto *B = dyn_cast<BindingDecl>(E->getDecl()))
			if (ParenExpr *means = clang_bindings_meaning(B))
				means->setSubExpr(
					looked_up(cast<DeclRefExpr>(means->getSubExpr())));
		if (!V || !is_bound_here(V))
			return E;
		return DeclRefExpr::Create(V->getASTContext(), E->getQualifierLoc(),
					   SourceLocation(), declared(V), false, E->getLocation(),
					   E->getType(), E->getValueKind());
	}

	/* Returns a declaration of the same symbol without its initialiser. */
	static VarDecl *declared(VarDecl *V)
	{
		VarDecl *other = VarDecl::Create(
			V->getASTContext(), V->getDeclContext(), V->getBeginLoc(), V->getLocation(),
			V->getIdentifier(), V->getType(), V->getTypeSourceInfo(), SC_Extern);

		if (auto *label = V->getAttr<AsmLabelAttr>())
			other->addAttr(label->clone(V->getASTContext()));
		return other;
	}
};

void leave_groups(llvm::Module &M)
{
	for (llvm::Function &F : M)
		if (F.hasWeakAnyLinkage())
			F.setComdat(nullptr);
}

void unbind_references(llvm::Module &M)
{
	for (llvm::GlobalVariable &V : M.globals())
		if (V.isConstant() && !V.isDeclaration() && V.hasExternalLinkage() &&
		    !V.hasComdat() && V.getValueType()->isPointerTy())
			V.setExternallyInitialized(true);
}

} // namespace

void clang_publish_references(Decl *D)
{
	References().TraverseDecl(D);
}

void clang_publish_module(llvm::Module &M)
{
	leave_groups(M);
	unbind_references(M);
}

void clang_publish_structors(CodeGenOptions &options)
{
	options.PassBuilderCallbacks.push_back([](llvm::PassBuilder &builder) {
		builder.registerPipelineStartEPCallback(
			[](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
				passes.addPass(clang_pass(clang_publish_module));
			});
	});
}

void clang_publish_inline(Decl *D, const SourceManager &SM)
{
	auto *F = dyn_cast<FunctionDecl>(D);

	if (!F || !F->doesThisDeclarationHaveABody() || !F->isInlineSpecified() ||
	    F->getStorageClass() != SC_None || F->getPreviousDecl() ||
	    F->hasAttr<GNUInlineAttr>() ||
	    SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
		return;
	F->setStorageClass(SC_Static);
	(D->*&Opener::setCachedLinkage)(LINKAGE(Internal));
}
