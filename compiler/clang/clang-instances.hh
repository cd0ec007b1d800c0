/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline functions and instances of templates that are of headers alone: what one unit has compiled
 * of them others call. For compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_INSTANCES_HH
#define CGPU_COMPILER_CLANG_INSTANCES_HH

#include <clang/AST/Decl.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/AST/Mangle.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

#include <memory>

#include "compiler/clang/clang-shim.h"
#include "compiler/clang/object-code.hh"

class Instances : public ObjectCode::Observer
{
      public:
	/* job: with `instances`. What is given outlives this. */
	Instances(const clang_job *job, clang::CodeGenerator &declarations);

	/* Before C is asked for code, clang asks leave_out() about each of its functions. This
	 * outlives C. */
	void watch(clang::ASTContext &C);
	/*
	 * True: the session has F, or the library, so clang declares it. Then it is marked as what
	 * cannot be inlined either, of which clang makes no code.
	 */
	bool leave_out(clang::FunctionDecl *F);
	/* Clang has made M. What it has left out is called as the session has it. Tells what has
	 * been instantiated. */
	void take(llvm::Module &M);
	/* What is long gets a symbol for others, however often it is going to be inlined. */
	void before(llvm::Module &M) override;
	/* What is still long is reported. */
	void optimised(llvm::Module &M) override;

      private:
	void tell(const clang::FunctionDecl *F);
	bool offer(llvm::Function &F);
	llvm::Function *offered_by(llvm::GlobalAlias &A) const;
	void offer_called(const llvm::Function &F, llvm::SmallPtrSetImpl<llvm::Function *> &seen);
	void offer_called(llvm::Module &M);
	void take_back_short(llvm::Module &M);
	bool is_given(const clang::FunctionDecl *F);
	/* The function that has this symbol, if it is of headers alone. */
	const clang::FunctionDecl *of_headers(llvm::StringRef symbol);
	std::string given_name(llvm::StringRef symbol) const;

	const clang_job *job;
	clang::CodeGenerator &declarations;
	std::unique_ptr<clang::ASTNameGenerator> symbols;
	llvm::StringSet<> given;
	llvm::SmallPtrSet<const clang::Decl *, 16> told; /* a constructor has several symbols */
	llvm::SmallPtrSet<const llvm::Value *, 16>
		with_own; /* which use a variable that each unit has for itself */
};

#endif
