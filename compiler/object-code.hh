/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an LLVM module to an object, for code that is not worth clang's own way to it: that makes its target machine and some
 * hundred passes for every module, and runs as many over every function. Here all is made before the module is known, and
 * machine code is generated without optimisation. For compiler/clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_OBJECT_CODE_HH
#define CGPU_COMPILER_OBJECT_CODE_HH

#include <memory>

#include <llvm/ADT/SmallString.h>

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
	 * For modules that CI makes, whose target is there already. optimised: the module goes through the passes of -O2
	 * first. nullptr: this LLVM or these options are not known well enough here.
	 */
	static std::unique_ptr<ObjectCode> create(const clang::CompilerInstance &CI, bool optimised);
	~ObjectCode();

	/* Once. Trouble goes to the diagnostic handler of the module's context. */
	void generate(llvm::Module &M);

	llvm::SmallString<0> object;

      private:
	struct Parts;
	std::unique_ptr<Parts> parts;

	ObjectCode();
};

#endif
