/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline functions and instances of templates that are of headers alone: what one unit has compiled of them others call. For
 * compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_INSTANCES_HH
#define CGPU_COMPILER_CLANG_INSTANCES_HH

#include <clang/AST/Mangle.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

#include <memory>

#include "compiler/clang/clang-shim.h"

class Instances
{
      public:
	/* job: with `instances`; must outlive this. */
	explicit Instances(const clang_job *job) : job(job)
	{
	}

	/*
	 * Before LLVM's passes. The code of what the session has goes, and that of all that only it used. Tells what has been
	 * instantiated.
	 */
	void leave_out(llvm::Module &M, clang::CodeGenerator &declarations);
	/*
	 * Behind them. What M still has gets a symbol for others, and is reported; but for what is so short that it had better be
	 * inlined.
	 */
	void give(llvm::Module &M);

      private:
	void tell(const clang::Decl *D);

	const clang_job *job;
	std::unique_ptr<clang::ASTNameGenerator> symbols;
	llvm::SmallPtrSet<const clang::Decl *, 16> told; /* a constructor has several symbols */
	llvm::StringSet<> of_headers; /* symbols */
};

#endif
