/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles an LLVM module to an object. Clang creates a target machine and some hundred passes for
 * every module; here they are created before the module is known. Code without loops is not worth
 * clang's machine code passes either, nor is that of short loops
 * (compiler/clang/code/short-loops.hh). For compiler/clang/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_OBJECT_CODE_HH
#define CGPU_COMPILER_OBJECT_CODE_HH

#include <memory>

#include <llvm/ADT/SmallString.h>

#include "compiler/clang/job/clang-shim.h"

namespace clang
{
class CompilerInstance;
}
namespace llvm
{
class Module;
}

class ObjectCode
{
      public:
	/*
	 * Creates one for modules of CI, whose target is known. Modules with loops that are not
	 * short are compiled as by clang. nullptr: this LLVM or these options are not supported
	 * here.
	 */
	static std::unique_ptr<ObjectCode> create(const clang::CompilerInstance &CI,
						  clang_effort effort);
	~ObjectCode();

	/* Sees a module before and after it is optimised; not a module of short loops, which is not
	 * optimised. */
	class Observer
	{
	      public:
		virtual ~Observer() = default;
		virtual void before(llvm::Module &M) = 0;
		virtual void optimised(llvm::Module &M) = 0;
	};

	/* Generates the object; called once. observer may be nullptr. Errors go to the diagnostic
	 * handler of M's context. */
	void generate(llvm::Module &M, Observer *observer);
	/* Notes that there was no error. */
	void went_well();
	const llvm::SmallString<0> &object() const;

      private:
	struct Machine;
	struct Parts;
	static std::shared_ptr<Machine> shared[];
	static std::unique_ptr<Machine> idle[CLANG_EFFORTS];

	const clang_effort effort;
	bool reusable = false; /* the machines may be used for further objects */
	std::shared_ptr<Machine> simple;
	std::unique_ptr<Machine> optimising; /* for loops */
	Machine *used = nullptr;             /* one of the two */
	std::unique_ptr<Parts> parts;

	explicit ObjectCode(clang_effort effort);
	template <typename Pointer>
	static bool make_ready(Pointer &machine, const clang::CompilerInstance &CI, int kind);
	bool take_machines(const clang::CompilerInstance &CI);
	bool generate_short(const llvm::Module &M);
};

#endif
