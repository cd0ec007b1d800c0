/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang puts `annotate` attributes into the array llvm.global.annotations, each with the symbol, a
 * word and constant arguments. Before optimisation this array is read: `managed` becomes metadata
 * that the NVPTX backend knows, while register limits and cluster sizes, for which it has none,
 * are kept as PTX directives by the kernel's symbol. They are inserted into the finished PTX text
 * between the kernel's parameters and its body. An argument that is missing counts as 1, and
 * annotations with other words are left alone.
 */
#include "compiler/clang/device/clang-annotations.hh"

#include "common/launch-glue.h"

#include <llvm/IR/Metadata.h>

namespace
{

/* Returns the i-th number behind the word of an annotation; 1: there are fewer. */
std::string number_of(const llvm::ConstantStruct *one, unsigned i)
{
	auto *V = llvm::dyn_cast<llvm::GlobalVariable>(one->getOperand(4)->stripPointerCasts());
	auto *N = V ? llvm::dyn_cast_or_null<llvm::ConstantInt>(
			      V->getInitializer()->getAggregateElement(i))
		    : nullptr;

	return std::to_string(N ? N->getZExtValue() : 1);
}

void tell(llvm::Module &M, llvm::GlobalValue *what, const char *word)
{
	llvm::LLVMContext &C = M.getContext();
	llvm::Metadata *node[] = { llvm::ValueAsMetadata::get(what), llvm::MDString::get(C, word),
				   llvm::ConstantAsMetadata::get(
					   llvm::ConstantInt::get(llvm::Type::getInt32Ty(C), 1)) };

	M.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(llvm::MDNode::get(C, node));
}

} // namespace

void Annotations::apply_one(llvm::Module &M, const llvm::ConstantStruct *one)
{
	auto *what = llvm::dyn_cast<llvm::GlobalValue>(one->getOperand(0)->stripPointerCasts());
	auto *text = llvm::dyn_cast<llvm::GlobalVariable>(one->getOperand(1)->stripPointerCasts());
	auto *word = text ? llvm::dyn_cast<llvm::ConstantDataSequential>(text->getInitializer())
			  : nullptr;

	if (!what || !word || !word->isCString())
		return;
	if (word->getAsCString() == CGPU_MANAGED)
		tell(M, what, "managed");
	else if (word->getAsCString() == CGPU_REGISTERS)
		directives.emplace_back(what->getName().str(), ".maxnreg " + number_of(one, 0));
	else if (word->getAsCString() == CGPU_CLUSTER)
		directives.emplace_back(what->getName().str(),
					".explicitcluster\n.reqnctapercluster " +
						number_of(one, 0) + ", " + number_of(one, 1) +
						", " + number_of(one, 2));
}

void Annotations::apply(llvm::Module &M)
{
	auto *annotations = M.getNamedGlobal("llvm.global.annotations");
	auto *all = annotations ? llvm::dyn_cast<llvm::ConstantArray>(annotations->getInitializer())
				: nullptr;

	for (unsigned i = 0; all && i < all->getNumOperands(); i++)
		apply_one(M, llvm::cast<llvm::ConstantStruct>(all->getOperand(i)));
}

/* Inserts the directives between the parameters of a kernel and its body. */
std::string Annotations::rewrite(std::string ptx) const
{
	for (const auto &[kernel, directive] : directives) {
		size_t at = ptx.find(".entry " + kernel + "(");
		size_t body = at == std::string::npos ? at : ptx.find("\n{", at);

		if (body != std::string::npos)
			ptx.insert(body, "\n" + directive);
	}
	return ptx;
}
