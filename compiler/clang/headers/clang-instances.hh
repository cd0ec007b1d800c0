/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares the code of inline functions and template instances that come from headers alone: other
 * units call what one unit has compiled. For compiler/clang/clang-shim.cc alone.
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

#include "compiler/clang/code/object-code.hh"
#include "compiler/clang/job/clang-shim.h"

class Instances : public ObjectCode::Observer
{
      public:
	/* job is one with `instances`. The arguments must outlive this object. */
	Instances(const clang_job *job, clang::CodeGenerator &declarations);

	/* Makes clang ask leave_out() about each function of C before code generation. This object
	 * must outlive C. */
	void watch(clang::ASTContext &C);
	/*
	 * True: the session or the library has F, so clang only declares it. F is then marked as
	 * not inlinable, and clang generates no code for it.
	 */
	bool leave_out(clang::FunctionDecl *F);
	/* Post-processes M, as clang has made it: functions that were left out are called by the
	 * session's symbols. Reports new instances. */
	void take(llvm::Module &M);
	/* Gives long functions a symbol for other units, before any of them is inlined. */
	void before(llvm::Module &M) override;
	/* Reports functions that are still long. */
	void optimised(llvm::Module &M) override;

      private:
	void tell(const clang::FunctionDecl *F);
	bool offer(llvm::Function &F);
	llvm::Function *offered_by(llvm::GlobalAlias &A) const;
	void offer_called(const llvm::Function &F, llvm::SmallPtrSetImpl<llvm::Function *> &seen);
	void offer_called(llvm::Module &M);
	void take_back_short(llvm::Module &M);
	bool is_given(const clang::FunctionDecl *F);
	/* Returns the function with this symbol, if it is from headers alone. */
	const clang::FunctionDecl *of_headers(llvm::StringRef symbol);
	std::string given_name(llvm::StringRef symbol) const;

	const clang_job *job;
	clang::CodeGenerator &declarations;
	std::unique_ptr<clang::ASTNameGenerator> symbols;
	llvm::StringSet<> given;
	llvm::SmallPtrSet<const clang::Decl *, 16>
		told; /* reported functions; a constructor has several symbols */
	/* Functions that use a variable which each unit has for itself. */
	llvm::SmallPtrSet<const llvm::Value *, 16> with_own;
};

#endif
