/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable of the device is known by the attribute that its stand-in has (CGPU_STAND_IN). Its address may be taken, as the
 * runtime API wants it for a symbol; a load, a store or an increment is a mistake that C does not see, since the stand-in is a
 * variable as any other.
 */
#include "compiler/clang-cuda.hh"

#include "common/launch-glue.h"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Sema/Lookup.h>

using namespace clang;

namespace
{

/* The variable that an lvalue is, or is a part of; nullptr: it is behind a pointer, or none. */
const VarDecl *root_of(const Expr *E)
{
	for (;;) {
		E = E->IgnoreParens();
		if (auto *member = dyn_cast<MemberExpr>(E)) {
			if (member->isArrow())
				return nullptr;
			E = member->getBase();
		} else if (auto *element = dyn_cast<ArraySubscriptExpr>(E)) {
			auto *decay = dyn_cast<ImplicitCastExpr>(element->getBase()->IgnoreParens());

			if (!decay || decay->getCastKind() != CK_ArrayToPointerDecay)
				return nullptr;
			E = decay->getSubExpr();
		} else {
			auto *name = dyn_cast<DeclRefExpr>(E);

			return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
		}
	}
}

bool is_marked(const Decl *D, StringRef mark)
{
	for (const auto *A : D->specific_attrs<AnnotateAttr>())
		if (A->getAnnotation() == mark)
			return true;
	return false;
}

const VarDecl *device_variable(const Expr *E)
{
	const VarDecl *V = root_of(E);

	return V && (is_marked(V, CGPU_STAND_IN) || V->hasAttr<CUDADeviceAttr>() || V->hasAttr<CUDAConstantAttr>()) ? V : nullptr;
}

class Uses : public RecursiveASTVisitor<Uses>
{
      public:
	Uses(Sema &S, const Expr *displayed)
	    : displayed(displayed), S(S),
	      read(S.getDiagnostics().getCustomDiagID(
		      DiagnosticsEngine::Error,
		      "'%0' is a variable of the device, whose value the host does not have; "
		      "`cudaMemcpyFromSymbol(&x, %0, sizeof x)` copies it, and as last line of a cell `%0` shows it")),
	      written(S.getDiagnostics().getCustomDiagID(
		      DiagnosticsEngine::Error,
		      "'%0' is a variable of the device, which the host does not write by its name; "
		      "`cudaMemcpyToSymbol(%0, &x, sizeof x)` copies to it"))
	{
	}

	bool VisitImplicitCastExpr(ImplicitCastExpr *E)
	{
		if (E->getCastKind() == CK_LValueToRValue && E->getSubExpr() != displayed)
			tell(E->getSubExpr(), read);
		return true;
	}

	bool VisitBinaryOperator(BinaryOperator *E)
	{
		if (E->isAssignmentOp())
			tell(E->getLHS(), written);
		return true;
	}

	bool VisitUnaryOperator(UnaryOperator *E)
	{
		if (E->isIncrementDecrementOp())
			tell(E->getSubExpr(), written);
		return true;
	}

      private:
	const Expr *displayed;
	Sema &S;
	const unsigned read, written;

	void tell(const Expr *E, unsigned what)
	{
		if (const VarDecl *V = device_variable(E))
			S.Diag(E->getExprLoc(), what) << V->getName();
	}
};

/* The lvalue that is shown, below the conversion that an expression statement of C has; nullptr: none. */
const Expr *displayed_by(const Stmt *all)
{
	auto *body = dyn_cast<CompoundStmt>(all);
	const Stmt *last = body ? (body->body_empty() ? nullptr : body->body_back()) : all;

	while (auto *label = dyn_cast_or_null<LabelStmt>(last))
		last = label->getSubStmt();
	auto *conversion = dyn_cast_or_null<ImplicitCastExpr>(last);

	return conversion ? conversion->getSubExpr() : nullptr;
}

/* cudaError_t cudaMalloc(...), as a header of CUDA declares it. */
bool is_call_of_runtime(const Expr *E)
{
	auto *call = dyn_cast<CallExpr>(E);
	const FunctionDecl *F = call ? call->getDirectCallee() : nullptr;
	auto *type = F ? F->getReturnType()->getAs<EnumType>() : nullptr;

	return type && type->getDecl()->getName() == "cudaError" && F->isExternC() && F->getName().starts_with("cuda");
}

/* Wraps what is used below a statement. */
class Results
{
      public:
	explicit Results(Sema &S) : S(S)
	{
	}

	/* used: somebody takes the value of the statement S. */
	void visit(Stmt *parent, bool used)
	{
		if (!parent)
			return;
		for (Stmt *&child : parent->children()) {
			bool is_used = uses(parent, child, used);
			auto *E = dyn_cast_or_null<Expr>(child);

			visit(child, is_used);
			if (E && is_used && is_call_of_runtime(E))
				child = wrapped(E);
		}
	}

      private:
	Sema &S;

	static const Stmt *condition_of(const Stmt *S)
	{
		if (auto *branch = dyn_cast<IfStmt>(S))
			return branch->getCond();
		if (auto *loop = dyn_cast<WhileStmt>(S))
			return loop->getCond();
		if (auto *loop = dyn_cast<DoStmt>(S))
			return loop->getCond();
		if (auto *loop = dyn_cast<ForStmt>(S))
			return loop->getCond();
		if (auto *choice = dyn_cast<SwitchStmt>(S))
			return choice->getCond();
		return nullptr;
	}

	/* Does `parent` take the value of `child`? Of a block only ({ ... }) does. */
	static bool uses(const Stmt *parent, const Stmt *child, bool used)
	{
		if (auto *body = dyn_cast<CompoundStmt>(parent))
			return used && child == body->body_back();
		if (isa_and_nonnull<CompoundStmt>(child))
			return used && isa<StmtExpr>(parent);
		if (isa<ParenExpr, ExprWithCleanups, LabelStmt, AttributedStmt>(parent))
			return used;
		if (auto *comma = dyn_cast<BinaryOperator>(parent); comma && comma->getOpcode() == BO_Comma)
			return used && child == comma->getRHS();
		if (auto *choice = dyn_cast<ConditionalOperator>(parent))
			return used || child == choice->getCond();
		if (auto *cast = dyn_cast<CastExpr>(parent))
			return !cast->getType()->isVoidType();
		return isa<Expr, DeclStmt, ReturnStmt>(parent) || (child && child == condition_of(parent));
	}

	Expr *wrapped(Expr *E)
	{
		SourceLocation L = E->getBeginLoc();
		LookupResult found(S, &S.Context.Idents.get("cgpu_looked_at"), L, Sema::LookupOrdinaryName);
		CXXScopeSpec scope;

		if (!S.LookupName(found, S.TUScope))
			return E;
		ExprResult callee = S.BuildDeclarationNameExpr(scope, found, false);
		ExprResult call = callee.isInvalid() ? callee : S.BuildCallExpr(nullptr, callee.get(), L, E, L);

		return call.isInvalid() ? E : call.get();
	}
};

} // namespace

bool clang_cuda_is_on_device(const Expr *E)
{
	return device_variable(E) != nullptr;
}

bool clang_cuda_is_managed(const Decl *D)
{
	return is_marked(D, CGPU_MANAGED);
}

bool clang_cuda_is_for_device(const FunctionDecl *F)
{
	return is_marked(F, CGPU_FOR_BOTH) || F->hasAttr<CUDADeviceAttr>() || F->hasAttr<CUDAGlobalAttr>();
}

bool clang_cuda_find_device_code(Decl *D, std::vector<FunctionDecl *> *ret)
{
	bool found = false;

	if (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D))
		for (Decl *inner : cast<DeclContext>(D)->decls())
			found |= clang_cuda_find_device_code(inner, ret);
	if (auto *V = dyn_cast<VarDecl>(D))
		return V->hasAttr<CUDADeviceAttr>() || V->hasAttr<CUDAConstantAttr>() || is_marked(V, CGPU_MANAGED);
	auto *F = dyn_cast<FunctionDecl>(D);

	if (!F || !F->doesThisDeclarationHaveABody() || F->isDependentContext() || !clang_cuda_is_for_device(F))
		return found;
	if (F->hasAttr<CUDAGlobalAttr>())
		ret->push_back(F);
	return true;
}

void clang_cuda_check_variables(Stmt *body, Sema &S, bool displays)
{
	Uses(S, displays ? displayed_by(body) : nullptr).TraverseStmt(body);
}

void clang_cuda_mark_results(Stmt *body, Sema &S)
{
	Results(S).visit(body, false);
}
