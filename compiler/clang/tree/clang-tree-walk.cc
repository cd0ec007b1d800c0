/* SPDX-License-Identifier: Apache-2.0 */
/* clang's visitor finds the functions of a derived class when it is compiled. The one visitor here
 * hands what it finds to the virtual functions, and their defaults hand it back. */
#include "compiler/clang/tree/clang-tree-walk.hh"

#include <clang/AST/RecursiveASTVisitor.h>

using namespace clang;

class clang_tree_walk::visitor : public RecursiveASTVisitor<visitor>
{
	using base = RecursiveASTVisitor<visitor>;

      public:
	explicit visitor(clang_tree_walk *walk) : walk(walk)
	{
	}

	bool shouldVisitTemplateInstantiations() const
	{
		return walk->instances == WITH_INSTANCES;
	}

	bool dataTraverseStmtPre(Stmt *S)
	{
		return walk->enters(S);
	}

	bool TraverseDecl(Decl *D)
	{
		return walk->TraverseDecl(D);
	}

	bool TraverseLambdaExpr(LambdaExpr *L)
	{
		return walk->TraverseLambdaExpr(L);
	}

	bool TraverseTypeLoc(TypeLoc T)
	{
		return walk->TraverseTypeLoc(T);
	}

	bool VisitDecl(Decl *D)
	{
		return walk->VisitDecl(D);
	}

	bool VisitStmt(Stmt *S)
	{
		return walk->VisitStmt(S);
	}

	bool go_on(Decl *D)
	{
		return base::TraverseDecl(D);
	}

	bool go_on(LambdaExpr *L)
	{
		return base::TraverseLambdaExpr(L);
	}

	bool go_on(TypeLoc T)
	{
		return base::TraverseTypeLoc(T);
	}

      private:
	clang_tree_walk *walk;
};

clang_tree_walk::clang_tree_walk(scope scope) : instances(scope)
{
}

bool clang_tree_walk::TraverseDecl(Decl *D)
{
	return visitor(this).go_on(D);
}

bool clang_tree_walk::TraverseLambdaExpr(LambdaExpr *L)
{
	return visitor(this).go_on(L);
}

bool clang_tree_walk::TraverseTypeLoc(TypeLoc T)
{
	return visitor(this).go_on(T);
}

bool clang_tree_walk::TraverseStmt(Stmt *S)
{
	return visitor(this).TraverseStmt(S);
}

bool clang_tree_walk::VisitDecl(Decl *)
{
	return true;
}

bool clang_tree_walk::VisitStmt(Stmt *)
{
	return true;
}

bool clang_tree_walk::enters(Stmt *)
{
	return true;
}
