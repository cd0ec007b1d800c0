/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over a part of the syntax tree. The functions to override are virtual and have the names
 * and meanings that clang::RecursiveASTVisitor gives them, so that this template, whose code takes
 * a compiler four seconds, is instantiated once for all walks. For compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_TREE_WALK_HH
#define CGPU_COMPILER_CLANG_TREE_WALK_HH

#include <clang/AST/DeclBase.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/TypeLoc.h>

class clang_tree_walk
{
      public:
	enum scope {
		AS_WRITTEN, /* templates, without their instances */
		WITH_INSTANCES,
	};

	explicit clang_tree_walk(scope scope = AS_WRITTEN);
	virtual ~clang_tree_walk() = default;

	/* Visits all that is below, in the order of the text. False: a function that is overridden
	 * returned false, which ends the walk. An override calls the function of this class to
	 * go on below D, and returns true without it to leave D out. */
	virtual bool TraverseDecl(clang::Decl *D);
	virtual bool TraverseLambdaExpr(clang::LambdaExpr *L);
	virtual bool TraverseTypeLoc(clang::TypeLoc T);
	bool TraverseStmt(clang::Stmt *S);

	/* Called before what is below them is visited. */
	virtual bool VisitDecl(clang::Decl *D);
	virtual bool VisitStmt(clang::Stmt *S);
	/* Tells whether S and what is below it are visited. */
	virtual bool enters(clang::Stmt *S);

      private:
	class visitor;

	const scope instances;
};

#endif
