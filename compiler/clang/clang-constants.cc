/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/clang/clang-constants.hh"

#include "compiler/clang/clang-shim.h"
#include "compiler/clang/clang-types.hh"
#include "compiler/text/own-names.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

using namespace clang;

namespace
{

/* Of a declaration in front of the cell; null: nobody says. */
Expr *said_value(const VarDecl *V)
{
	for (const auto *A : V->specific_attrs<AnnotateAttr>())
		if (A->getAnnotation() == CLANG_VALUE && A->args_size() == 1)
			return *A->args_begin();
	return nullptr;
}

/* `storage = 2 * m`, by the names of the constants. */
std::map<std::string, BinaryOperator *> assigned(FunctionDecl *run)
{
	std::map<std::string, BinaryOperator *> found;
	auto *body = run ? dyn_cast<CompoundStmt>(run->getBody()) : nullptr;

	for (Stmt *S : body ? body->body() : CompoundStmt::body_range(nullptr, nullptr)) {
		auto *B = dyn_cast<BinaryOperator>(S);
		auto *R = B && B->getOpcode() == BO_Assign ? dyn_cast<DeclRefExpr>(B->getLHS()) : nullptr;

		if (R && R->getDecl()->getName().starts_with(STORAGE_PREFIX))
			found[R->getDecl()->getName().substr(sizeof(STORAGE_PREFIX) - 1).str()] = B;
	}
	return found;
}

} // namespace

/* For a moment they have initialisers, so that clang computes with them; with one they would be definitions. */
std::map<const NamedDecl *, std::string> clang_computed_constants(const std::vector<NamedDecl *> &declared, FunctionDecl *run)
{
	std::map<std::string, BinaryOperator *> computed = assigned(run);
	std::map<const NamedDecl *, std::string> found;
	std::vector<VarDecl *> changed;

	for (NamedDecl *N : declared) {
		auto *V = computed.empty() ? nullptr : dyn_cast<VarDecl>(N);

		if (!V || V->hasInit() || !V->getIdentifier())
			continue;
		auto own = computed.find(V->getName().str());
		Expr *E = own == computed.end() ? said_value(V) : own->second->getRHS();

		if (!E || E->isValueDependent())
			continue;
		V->setInit(E);
		changed.push_back(V);
	}
	for (VarDecl *V : changed)
		if (auto own = computed.find(V->getName().str()); own != computed.end())
			found[cast<DeclRefExpr>(own->second->getLHS())->getDecl()] = clang_constant_value(V);
	for (VarDecl *V : changed)
		V->setInit(nullptr);
	return found;
}
