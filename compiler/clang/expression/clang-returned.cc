/* SPDX-License-Identifier: Apache-2.0 */
/* Small functions of libraries are an expression behind a `return`: clang's tree of it stands for a
 * call of them. */
#include "compiler/clang/expression/clang-returned.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/SourceManager.h>

using namespace clang;

/* Headers of libraries check their arguments in front of what they do. */
static bool is_check(const Stmt *S, const SourceManager &SM)
{
	return isa<NullStmt>(S) || (isa<DoStmt>(S) && SM.isInSystemHeader(S->getBeginLoc()));
}

static bool declares_names_only(const Stmt *S)
{
	const auto *D = dyn_cast<DeclStmt>(S);

	return D && llvm::all_of(D->decls(), [](const Decl *one) {
		       return isa<TypedefNameDecl>(one) || isa<StaticAssertDecl>(one) ||
			      isa<UsingDecl>(one) || isa<UsingDirectiveDecl>(one);
	       });
}

const Expr *clang_only_return(const FunctionDecl *F)
{
	const auto *body = dyn_cast_or_null<CompoundStmt>(F->getBody());
	const SourceManager &SM = F->getASTContext().getSourceManager();
	const ReturnStmt *found = nullptr;

	if (!body)
		return nullptr;
	for (const Stmt *S : body->body()) {
		const auto *R = dyn_cast<ReturnStmt>(S);

		if (found || (!R && !declares_names_only(S) && !is_check(S, SM)))
			return nullptr;
		found = R;
	}
	return found ? found->getRetValue() : nullptr;
}

bool clang_is_its_argument(const FunctionDecl *F)
{
	switch (F->getBuiltinID()) {
	case Builtin::BI__builtin_addressof:
	case Builtin::BIaddressof:
	case Builtin::BI__addressof:
	case Builtin::BIas_const:
	case Builtin::BIforward:
	case Builtin::BImove:
	case Builtin::BImove_if_noexcept:
		return true;
	default:
		return false;
	}
}

/* Tells whether an object is its one member, a scalar, and nothing else. */
static bool is_one_scalar(const CXXRecordDecl *R, QualType T)
{
	const ASTContext &C = R->getASTContext();

	if (R->isPolymorphic() || R->getNumVBases() ||
	    std::distance(R->field_begin(), R->field_end()) != 1)
		return false;
	QualType member = R->field_begin()->getType();

	return member->isScalarType() && C.getTypeSize(member) == C.getTypeSize(T);
}

const Expr *clang_one_member(const CXXConstructExpr *E)
{
	const FunctionDecl *with_body = E->getConstructor();
	const auto *body = dyn_cast_or_null<CompoundStmt>(with_body->getBody(with_body));

	if (!is_one_scalar(E->getConstructor()->getParent(), E->getType()) || !body ||
	    !body->body_empty())
		return nullptr;
	for (const CXXCtorInitializer *one : cast<CXXConstructorDecl>(with_body)->inits())
		if (one->isMemberInitializer())
			return one->getInit();
	return nullptr;
}
