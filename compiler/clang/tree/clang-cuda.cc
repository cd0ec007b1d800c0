/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host has a stand-in for each device variable. Its address may be taken, as the runtime API
 * identifies a symbol by it; a load, a store or an increment is an error that clang does not see,
 * since the stand-in is an ordinary variable.
 */
#include "compiler/clang/tree/clang-cuda.hh"

#include "common/launch-glue.h"
#include "compiler/clang/tree/clang-build.hh"
#include "compiler/clang/tree/clang-tree-walk.hh"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

/* Bytes of a kernel's parameters, from sm_70 on (CUDA programming guide, "Function Parameters"). */
#define PARAMETERS_MAX 32764

using namespace clang;

namespace
{

/* Returns the variable that an lvalue is, or is a part of; nullptr: it is behind a pointer, or
 * none. */
const VarDecl *root_of(const Expr *E)
{
	for (;;) {
		E = E->IgnoreParens();
		if (auto *member = dyn_cast<MemberExpr>(E)) {
			if (member->isArrow())
				return nullptr;
			E = member->getBase();
		} else if (auto *element = dyn_cast<ArraySubscriptExpr>(E)) {
			auto *decay =
				dyn_cast<ImplicitCastExpr>(element->getBase()->IgnoreParens());

			if (!decay || decay->getCastKind() != CK_ArrayToPointerDecay)
				return nullptr;
			E = decay->getSubExpr();
		} else {
			auto *name = dyn_cast<DeclRefExpr>(E);

			return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
		}
	}
}

bool has_long_double(QualType T)
{
	const Type *one = T->getBaseElementTypeUnsafe();

	if (auto *R = one->getAsCXXRecordDecl(); R && R->hasDefinition()) {
		for (const CXXBaseSpecifier &base : R->bases())
			if (has_long_double(base.getType()))
				return true;
		for (const FieldDecl *field : R->fields())
			if (has_long_double(field->getType()))
				return true;
	}
	return one->isSpecificBuiltinType(BuiltinType::LongDouble);
}

bool is_marked(const Decl *D, StringRef mark)
{
	for (const auto *A : D->specific_attrs<AnnotateAttr>())
		if (A->getAnnotation() == mark)
			return true;
	return false;
}

/* Tells whether the host has a stand-in for the variable. */
bool has_stand_in(const VarDecl *V)
{
	return is_marked(V, CGPU_STAND_IN) || V->hasAttr<CUDADeviceAttr>() ||
	       V->hasAttr<CUDAConstantAttr>();
}

const VarDecl *device_variable(const Expr *E)
{
	const VarDecl *V = root_of(E);

	return V && has_stand_in(V) ? V : nullptr;
}

class Uses : public clang_tree_walk
{
      public:
	Uses(Sema &S, const Expr *displayed)
	    : displayed(displayed), S(S),
	      read(S.getDiagnostics().getCustomDiagID(
		      DiagnosticsEngine::Error,
		      "'%0' is a variable of the device, whose value the host does not have; "
		      "`cudaMemcpyFromSymbol(&x, %0, sizeof x)` copies it, and as last line of a "
		      "cell `%0` shows it")),
	      written(S.getDiagnostics().getCustomDiagID(
		      DiagnosticsEngine::Error,
		      "'%0' is a variable of the device, which the host does not write by its "
		      "name; `cudaMemcpyToSymbol(%0, &x, sizeof x)` copies to it"))
	{
	}

	bool VisitStmt(Stmt *S) override
	{
		if (auto *cast = dyn_cast<ImplicitCastExpr>(S))
			see(cast);
		else if (auto *unary = dyn_cast<UnaryOperator>(S))
			see(unary);
		else if (auto *binary = dyn_cast<BinaryOperator>(S))
			see(binary);
		else if (auto *reference = dyn_cast<DeclRefExpr>(S))
			see(reference);
		else if (auto *construction = dyn_cast<CXXConstructExpr>(S))
			see(construction);
		else if (auto *call = dyn_cast<CXXOperatorCallExpr>(S))
			see(call);
		else if (auto *member = dyn_cast<CXXMemberCallExpr>(S))
			see(member);
		return true;
	}

	/* The operand of sizeof is not evaluated. */
	bool enters(Stmt *S) override
	{
		return !isa<UnaryExprOrTypeTraitExpr>(S);
	}

	bool TraverseTypeLoc(TypeLoc T) override
	{
		return T.getAs<DecltypeTypeLoc>() || clang_tree_walk::TraverseTypeLoc(T);
	}

	/* Device code may use device variables. */
	bool TraverseLambdaExpr(LambdaExpr *L) override
	{
		return L->getCallOperator()->hasAttr<CUDADeviceAttr>() ||
		       clang_tree_walk::TraverseLambdaExpr(L);
	}

      private:
	const Expr *displayed;
	Sema &S;
	const unsigned read, written;

	void see(ImplicitCastExpr *E)
	{
		if (E->getCastKind() == CK_LValueToRValue && E->getSubExpr() != displayed)
			tell(E->getSubExpr(), read);
	}

	void see(BinaryOperator *E)
	{
		if (E->isAssignmentOp())
			tell(E->getLHS(), written);
	}

	void see(UnaryOperator *E)
	{
		if (E->isIncrementDecrementOp())
			tell(E->getSubExpr(), written);
	}

	/* Functions that clang itself provides for the device, such as __syncthreads(), have no
	 * marks that Sema checks. */
	void see(DeclRefExpr *E)
	{
		auto *F = dyn_cast<FunctionDecl>(E->getDecl());

		if (F && F->getBuiltinID() &&
		    S.Context.BuiltinInfo.isAuxBuiltinID(F->getBuiltinID()))
			S.Diag(E->getLocation(), diag::err_ref_bad_target)
				<< llvm::to_underlying(CUDAFunctionTarget::Device) << 0 << F
				<< llvm::to_underlying(CUDAFunctionTarget::Host);
	}

	/* A class is copied by its constructor. */
	void see(CXXConstructExpr *E)
	{
		for (const Expr *argument : E->arguments())
			tell(argument->IgnoreParenImpCasts(), read);
	}

	void see(CXXOperatorCallExpr *E)
	{
		for (unsigned i = 0; i < E->getNumArgs(); i++)
			tell(E->getArg(i)->IgnoreParenImpCasts(),
			     E->isAssignmentOp() && !i ? written : read);
	}

	void see(CXXMemberCallExpr *E)
	{
		if (const Expr *object = E->getImplicitObjectArgument())
			tell(object->IgnoreParenImpCasts(), read);
	}

	void tell(const Expr *E, unsigned what)
	{
		if (const VarDecl *V = device_variable(E))
			S.Diag(E->getExprLoc(), what) << V->getName();
	}
};

/* Returns the lvalue that is shown, below the conversion of a C expression statement; nullptr:
 * none. */
const Expr *displayed_by(const Stmt *all)
{
	auto *body = dyn_cast<CompoundStmt>(all);
	const Stmt *last = body ? (body->body_empty() ? nullptr : body->body_back()) : all;

	while (auto *label = dyn_cast_or_null<LabelStmt>(last))
		last = label->getSubStmt();
	auto *conversion = dyn_cast_or_null<ImplicitCastExpr>(last);

	return conversion ? conversion->getSubExpr() : nullptr;
}

/* Recognises `cudaError_t cudaMalloc(...)`, or the template of that name, as a header of CUDA
 * declares it. */
bool is_call_of_runtime(const Expr *E, const SourceManager &SM)
{
	auto *call = dyn_cast<CallExpr>(E);
	const FunctionDecl *F = call ? call->getDirectCallee() : nullptr;
	auto *type = F ? F->getReturnType()->getAs<EnumType>() : nullptr;

	return type && type->getDecl()->getName() == "cudaError" && F->getIdentifier() &&
	       F->getName().starts_with("cuda") &&
	       (F->isExternC() || SM.isInSystemHeader(F->getLocation()));
}

/* Tells whether the call allocates, such as cudaMalloc(&d_x, n): its first argument names the
 * result. */
bool allocates(const CallExpr *call)
{
	StringRef name = call->getDirectCallee()->getName();

	return call->getNumArgs() && (name.starts_with("cudaMalloc") || name == "cudaHostAlloc") &&
	       call->getArg(0)->getType()->isPointerType();
}

/* Wraps calls whose result is used below a statement. */
class Results
{
      public:
	explicit Results(Sema &S) : S(S)
	{
	}

	/* Visits a statement; used: somebody uses the value of `parent`. */
	void visit(Stmt *parent, bool used)
	{
		if (!parent)
			return;
		for (Stmt *&child : parent->children()) {
			bool is_used = uses(parent, child, used);
			auto *E = dyn_cast_or_null<Expr>(child);

			visit(child, is_used);
			if (E && is_call_of_runtime(E, S.getSourceManager()))
				child = called(E, is_used);
		}
	}

	/* Returns the replacement of E, a call of the runtime. */
	Expr *called(Expr *E, bool is_used)
	{
		if (allocates(cast<CallExpr>(E)))
			E = noted(cast<CallExpr>(E));
		return is_used ? wrapped(E) : E;
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

	/* Tells whether `parent` uses the value of `child`. A block does so only in ({ ... }). */
	static bool uses(const Stmt *parent, const Stmt *child, bool used)
	{
		if (auto *body = dyn_cast<CompoundStmt>(parent))
			return used && child == body->body_back();
		if (isa_and_nonnull<CompoundStmt>(child))
			return used && isa<StmtExpr>(parent);
		if (isa<ParenExpr, ExprWithCleanups, LabelStmt, AttributedStmt>(parent))
			return used;
		if (auto *comma = dyn_cast<BinaryOperator>(parent);
		    comma && comma->getOpcode() == BO_Comma)
			return used && child == comma->getRHS();
		if (auto *choice = dyn_cast<ConditionalOperator>(parent))
			return used || child == choice->getCond();
		if (auto *cast = dyn_cast<CastExpr>(parent))
			return !cast->getType()->isVoidType();
		return isa<Expr, DeclStmt, ReturnStmt>(parent) ||
		       (child && child == condition_of(parent));
	}

	/* Builds a call of a function of cgpu; null: the cell does not see it. */
	Expr *call_of(const char *name, SourceLocation L, llvm::MutableArrayRef<Expr *> arguments)
	{
		return clang_build_call(S, S.Context.getTranslationUnitDecl(), name, arguments, L);
	}

	Expr *wrapped(Expr *E)
	{
		Expr *call = call_of("cgpu_looked_at", E->getBeginLoc(), E);

		return call ? call : E;
	}

	/* Builds `(cgpu_note("&d_x", 3), cudaMalloc(&d_x, n))`. */
	Expr *noted(CallExpr *E)
	{
		ASTContext &C = S.Context;
		const SourceManager &SM = S.getSourceManager();
		SourceLocation L = E->getBeginLoc();
		CharSourceRange written = CharSourceRange::getTokenRange(
			E->getArg(0)->IgnoreParenCasts()->getSourceRange());
		CharSourceRange in_file = Lexer::makeFileCharRange(written, SM, S.getLangOpts());
		StringRef text = Lexer::getSourceText(in_file, SM, S.getLangOpts());
		PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(L));
		Expr *name = clang_build_text(C, text, L);
		Expr *line = IntegerLiteral::Create(
			C,
			llvm::APInt(C.getIntWidth(C.UnsignedIntTy), P.isValid() ? P.getLine() : 0),
			C.UnsignedIntTy, L);
		Expr *arguments[] = { name, line };
		Expr *note = call_of("cgpu_note", L, arguments);
		ExprResult both = note ? S.BuildBinOp(nullptr, L, BO_Comma, note, E) : ExprError();

		return both.isInvalid() ? static_cast<Expr *>(E) : both.get();
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

bool clang_cuda_is_of_device(const VarDecl *V)
{
	return V->hasAttr<CUDADeviceAttr>() || V->hasAttr<CUDAConstantAttr>() ||
	       clang_cuda_is_managed(V);
}

bool clang_cuda_is_for_device(const FunctionDecl *F)
{
	return is_marked(F, CGPU_FOR_BOTH) || F->hasAttr<CUDADeviceAttr>() ||
	       F->hasAttr<CUDAGlobalAttr>();
}

/* Tells whether the function was declared for the device. Clang makes each constexpr function of
 * the C++ library host and device code; it counts as device code only where device code calls
 * it. */
static bool is_said_for_device(const FunctionDecl *F)
{
	const auto *A = F->getAttr<CUDADeviceAttr>();

	return clang_cuda_is_for_device(F) &&
	       !(A && A->isImplicit() && F->isConstexpr() && !F->hasAttr<CUDAGlobalAttr>());
}

bool clang_cuda_find_device_code(Decl *D, std::vector<FunctionDecl *> *ret)
{
	bool found = false;

	if (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D))
		for (Decl *inner : cast<DeclContext>(D)->decls())
			found |= clang_cuda_find_device_code(inner, ret);
	if (auto *V = dyn_cast<VarDecl>(D))
		return clang_cuda_is_of_device(V);
	auto *F = dyn_cast<FunctionDecl>(D);

	if (!F || !F->doesThisDeclarationHaveABody() || F->isDependentContext() ||
	    !is_said_for_device(F))
		return found;
	if (F->hasAttr<CUDAGlobalAttr>())
		ret->push_back(F);
	return true;
}

void clang_cuda_check_variables(Stmt *body, Sema &S, bool displays)
{
	Uses(S, displays ? displayed_by(body) : nullptr).TraverseStmt(body);
}

static void mark_initialiser(VarDecl *V, Sema &S)
{
	Results results(S);

	results.visit(V->getInit(), true);
	if (is_call_of_runtime(V->getInit(), S.getSourceManager()))
		V->setInit(results.called(V->getInit(), true));
}

void clang_cuda_check_host_code(Decl *D, Sema &S)
{
	if (isa<NamespaceDecl, LinkageSpecDecl>(D) ||
	    (isa<CXXRecordDecl>(D) && !cast<CXXRecordDecl>(D)->isDependentContext()))
		for (Decl *inner : cast<DeclContext>(D)->decls())
			clang_cuda_check_host_code(inner, S);
	auto *F = dyn_cast<FunctionDecl>(D);
	auto *V = dyn_cast<VarDecl>(D);

	if (D->isInvalidDecl() || D->isImplicit())
		return;
	if (F && F->doesThisDeclarationHaveABody() && F->getBody() && !F->isDependentContext() &&
	    !clang_cuda_is_for_device(F)) {
		clang_cuda_check_variables(F->getBody(), S, false);
		clang_cuda_mark_results(F->getBody(), S);
	}
	if (V && V->getInit() && !V->getType()->isDependentType() &&
	    !V->getInit()->isTypeDependent() && !has_stand_in(V)) {
		clang_cuda_check_variables(V->getInit(), S, false);
		mark_initialiser(V, S);
	}
}

void clang_cuda_check_entry(FunctionDecl *F, Sema &S)
{
	unsigned refused = S.getDiagnostics().getCustomDiagID(
		DiagnosticsEngine::Error,
		"the parameter `%0` of the CUDA kernel %1 is a reference, which would be an "
		"address of host memory: take it by value, or as a pointer to device memory");
	unsigned no_type = S.getDiagnostics().getCustomDiagID(
		DiagnosticsEngine::Error, "the parameter '%0' of the CUDA kernel %1 has a long "
					  "double, which device code does not have: use double");
	unsigned large = S.getDiagnostics().getCustomDiagID(
		DiagnosticsEngine::Error,
		"the parameters of the CUDA kernel %0 have %1 bytes, and a launch can pass %2 at "
		"most: pass a pointer to device memory");
	int64_t size = 0;

	for (const ParmVarDecl *P : F->parameters()) {
		CharSourceRange written = CharSourceRange::getTokenRange(P->getSourceRange());
		QualType T = P->getType();

		/* Clang has reported it. */
		if (P->isInvalidDecl() || T->isIncompleteType())
			continue;
		if (T->isReferenceType())
			S.Diag(P->getBeginLoc(), refused)
				<< Lexer::getSourceText(written, S.getSourceManager(),
							S.getLangOpts())
				<< F->getName();
		else if (has_long_double(T))
			S.Diag(P->getBeginLoc(), no_type) << P->getName() << F->getName();
		size = size + S.Context.getTypeSizeInChars(T).getQuantity();
	}
	if (size > PARAMETERS_MAX)
		S.Diag(F->getLocation(), large)
			<< F->getName() << std::to_string(size) << PARAMETERS_MAX;
}

void clang_cuda_mark_results(Stmt *body, Sema &S)
{
	Results(S).visit(body, false);
}
