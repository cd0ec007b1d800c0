/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PTX says of a variable or a kernel, and clang 19 has no attribute for: it is annotated by
 * the headers that cells see (prelude/cgpu.h, prelude/cgpu-device.h). For clang-device.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_ANNOTATIONS_HH
#define CGPU_COMPILER_CLANG_ANNOTATIONS_HH

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <string>
#include <utility>
#include <vector>

class Annotations
{
      public:
	/* What the code generator knows in other words: `__managed__`. */
	void apply(llvm::Module &M);
	/* And what it does not: the PTX that was made of the module, with `__maxnreg__` and
	 * `__cluster_dims__` of its kernels. */
	std::string rewrite(std::string ptx) const;

      private:
	std::vector<std::pair<std::string, std::string>>
		directives; /* each of a kernel by its symbol */

	void apply_one(llvm::Module &M, const llvm::ConstantStruct *one);
};

#endif
