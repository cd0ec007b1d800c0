/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place is that of the innermost call in the cell. For a function that is not inlined its
 * callers are searched. Writes to constant memory are removed, since LLVM aborts on some of them.
 */
#include "compiler/clang/device/clang-refused.hh"

#include "compiler/clang/job/clang-includes.hh"

#include <clang/Basic/SourceManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <set>
#include <string>
#include <vector>

using namespace clang;

namespace
{

const unsigned constant_memory = 4; /* NVPTX address space */

/* Tells whether the device's C library has the function. */
bool is_of_device(llvm::StringRef name)
{
	for (const char *known : { "vprintf", "malloc", "free" })
		if (name == known)
			return true;
	return false;
}

class Refused
{
      public:
	Refused(CompilerInstance &CI, const clang_job *job)
	    : SM(CI.getSourceManager()), engine(CI.getDiagnostics()), job(job),
	      unknown(engine.getCustomDiagID(DiagnosticsEngine::Error,
					     "device code would call '%0' here, which is a "
					     "function of the host's C library")),
	      written(engine.getCustomDiagID(
		      DiagnosticsEngine::Error,
		      "'%0' is constant memory, which device code does not write; "
		      "`cudaMemcpyToSymbol(%0, &x, sizeof x)` in host code does"))
	{
	}

	void look_at_calls(llvm::Module &M)
	{
		const llvm::TargetLibraryInfoImpl functions;
		const llvm::TargetLibraryInfo library(functions);

		for (llvm::Function &F : M)
			for (llvm::Instruction &I : llvm::instructions(F))
				if (const llvm::Function *called = missing_in(I, library))
					tell(I, unknown, called->getName().str());
	}

	void look_at_writes(llvm::Module &M)
	{
		std::vector<llvm::Instruction *> gone;

		for (llvm::Function &F : M)
			for (llvm::Instruction &I : llvm::instructions(F))
				if (const llvm::GlobalVariable *V = written_by(I)) {
					tell(I, written, llvm::demangle(V->getName().str()));
					gone.push_back(&I);
				}
		for (llvm::Instruction *I : gone) {
			I->replaceAllUsesWith(llvm::PoisonValue::get(I->getType()));
			I->eraseFromParent();
		}
	}

      private:
	const SourceManager &SM;
	DiagnosticsEngine &engine;
	const clang_job *job;
	const unsigned unknown, written;
	std::set<std::pair<const llvm::DILocation *, std::string>> told;

	static const llvm::Value *address_written(const llvm::Instruction &I)
	{
		if (auto *S = llvm::dyn_cast<llvm::StoreInst>(&I))
			return S->getPointerOperand();
		if (auto *A = llvm::dyn_cast<llvm::AtomicRMWInst>(&I))
			return A->getPointerOperand();
		if (auto *A = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&I))
			return A->getPointerOperand();
		if (auto *copy = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&I))
			return copy->getRawDest();
		return nullptr;
	}

	static const llvm::GlobalVariable *written_by(const llvm::Instruction &I)
	{
		const llvm::Value *at = address_written(I);
		auto *V = at ? llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(at))
			     : nullptr;

		return V && V->getAddressSpace() == constant_memory ? V : nullptr;
	}

	static const llvm::Function *missing_in(const llvm::Instruction &I,
						const llvm::TargetLibraryInfo &library)
	{
		auto *call = llvm::dyn_cast<llvm::CallBase>(&I);
		const llvm::Function *F = call ? call->getCalledFunction() : nullptr;

		if (!F || !F->isDeclaration() || F->isIntrinsic() || is_of_device(F->getName()))
			return nullptr;
		llvm::LibFunc which;

		return library.getLibFunc(F->getName(), which) ? F : nullptr;
	}

	/* Returns the line of the cell that has caused the instruction; nullptr: none. */
	const llvm::DILocation *place_of(const llvm::Instruction &I,
					 std::set<const llvm::Function *> &seen)
	{
		for (const llvm::DILocation *L = I.getDebugLoc(); L; L = L->getInlinedAt())
			if (is_own_name(job, L->getFilename().str().c_str()))
				return L;
		if (!seen.insert(I.getFunction()).second)
			return nullptr;
		for (const llvm::User *U : I.getFunction()->users())
			if (auto *call = llvm::dyn_cast<llvm::CallBase>(U))
				if (const llvm::DILocation *L = place_of(*call, seen))
					return L;
		return nullptr;
	}

	/* Returns the place in the text, whose lines count as #line says; the cell is at its
	 * end. */
	SourceLocation find(const llvm::DILocation &L)
	{
		SourceLocation start = SM.getLocForStartOfFile(SM.getMainFileID()), found;
		llvm::StringRef text = SM.getBufferData(SM.getMainFileID());

		for (size_t at = 0; at < text.size();) {
			PresumedLoc P = SM.getPresumedLoc(start.getLocWithOffset((int)at));
			size_t end = text.find('\n', at);

			if (P.isValid() && P.getLine() == L.getLine() &&
			    L.getFilename() == P.getFilename())
				found = start.getLocWithOffset(
					(int)(at + (L.getColumn() ? L.getColumn() - 1 : 0)));
			at = end == llvm::StringRef::npos ? text.size() : end + 1;
		}
		return found;
	}

	void tell(const llvm::Instruction &I, unsigned what, const std::string &name)
	{
		std::set<const llvm::Function *> seen;
		const llvm::DILocation *L = place_of(I, seen);

		if (told.insert({ L, name }).second)
			engine.Report(L ? find(*L) : SourceLocation(), what) << name;
	}
};

} // namespace

void clang_refuse_writes(llvm::Module &M, CompilerInstance &CI, const clang_job *job)
{
	Refused(CI, job).look_at_writes(M);
}

void clang_refuse_calls(llvm::Module &M, CompilerInstance &CI, const clang_job *job)
{
	Refused(CI, job).look_at_calls(M);
}
