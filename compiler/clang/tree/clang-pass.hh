/* SPDX-License-Identifier: Apache-2.0 */
/* An LLVM pass, for every level of optimisation, that calls a function with the module. For
 * compiler/clang/ alone. */
#ifndef CGPU_COMPILER_CLANG_PASS_HH
#define CGPU_COMPILER_CLANG_PASS_HH

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <functional>
#include <utility>

struct clang_pass : llvm::PassInfoMixin<clang_pass> {
	explicit clang_pass(std::function<void(llvm::Module &)> function)
	    : function(std::move(function))
	{
	}

	/* The function may change anything, so no analysis is preserved. */
	llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &)
	{
		function(M);
		return llvm::PreservedAnalyses::none();
	}

	static bool isRequired()
	{
		return true;
	}

      private:
	std::function<void(llvm::Module &)> function;
};

#endif
