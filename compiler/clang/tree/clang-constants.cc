/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang evaluates a constant only if all constants that it is made of have initialisers, but these
 * declarations have none: statements compute them, or earlier cells did. All of them get
 * initialisers first (the cell's own expression, or the one in the annotation of an earlier
 * declaration), then the cell's are evaluated, then all initialisers are taken away again, since a
 * declaration that has one is a definition. When the cell computes no constant, nothing is
 * touched.
 */
#include "compiler/clang/tree/clang-constants.hh"

#include "compiler/clang/job/clang-shim.h"
#include "compiler/clang/tree/clang-types.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>

using namespace clang;

namespace
{

/* Returns the value in the annotation of an earlier declaration; null: there is none. */
Expr *said_value(const VarDecl *V)
{
	for (const auto *A : V->specific_attrs<AnnotateAttr>())
		if (A->getAnnotation() == CLANG_VALUE && A->args_size() == 1)
			return *A->args_begin();
	return nullptr;
}

} // namespace

/* The declarations get initialisers for a moment, so that clang can evaluate them; permanently,
 * these would make them definitions. */
std::map<const NamedDecl *, std::string>
clang_computed_constants(const std::vector<NamedDecl *> &declared,
			 const std::map<const NamedDecl *, Expr *> &computed)
{
	std::map<const NamedDecl *, std::string> found;
	std::vector<VarDecl *> changed;

	for (NamedDecl *N : declared) {
		auto *V = computed.empty() ? nullptr : dyn_cast<VarDecl>(N);

		if (!V || V->hasInit() || !V->getIdentifier())
			continue;
		auto own = computed.find(V);
		Expr *E = own == computed.end() ? said_value(V) : own->second;

		if (!E || E->isValueDependent())
			continue;
		V->setInit(E);
		changed.push_back(V);
	}
	for (VarDecl *V : changed)
		if (computed.count(V))
			found[V] = clang_constant_value(V);
	for (VarDecl *V : changed)
		V->setInit(nullptr);
	return found;
}
