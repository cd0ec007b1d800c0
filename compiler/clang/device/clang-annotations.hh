/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of variables and kernels that PTX has, but for which clang 19 has no attribute: the
 * headers that cells see annotate them (prelude/cgpu.h, prelude/cgpu-device.h). For clang-device.cc
 * alone.
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
	/* Applies annotations for which the code generator has other means: `__managed__`. */
	void apply(llvm::Module &M);
	/* Returns the module's PTX with the others inserted: `__maxnreg__` and `__cluster_dims__`
	 * of kernels. */
	std::string rewrite(std::string ptx) const;

	/* Pairs of a kernel's symbol and a directive. */
      private:
	std::vector<std::pair<std::string, std::string>> directives;

	void apply_one(llvm::Module &M, const llvm::ConstantStruct *one);
};

#endif
