/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ScalarEvolution gives the number of iterations; for nested loops it is the product. A cycle that
 * is no loop, by `goto`, may have any number.
 */
#include "compiler/clang/code/short-loops.hh"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "common/code/unit.h"

using namespace llvm;

bool clang_runs_once(const Function &F)
{
	return unit_holds_statements(F.getName().str().c_str());
}

namespace
{

constexpr unsigned turns_max = 32, turns_of_run_max = 1000;

bool touches_memory(const Loop &L)
{
	for (const BasicBlock *B : L.blocks())
		for (const Instruction &I : *B)
			if (I.mayReadOrWriteMemory() && !I.isDebugOrPseudoInst() &&
			    !I.isLifetimeStartOrEnd())
				return true;
	return false;
}

/* Tells whether L is short inside a loop with `around` iterations. */
bool is_short(Loop &L, ScalarEvolution &SE, unsigned around, unsigned max)
{
	unsigned turns = SE.getSmallConstantMaxTripCount(&L);

	if (!turns || turns > max / around)
		return false;
	for (Loop *inner : L)
		if (!is_short(*inner, SE, around * turns, max))
			return false;
	return true;
}

/* Tells whether there is a cycle that LLVM does not recognise as a loop. */
bool goes_round_otherwise(const Function &F, const LoopInfo &loops)
{
	SmallPtrSet<const BasicBlock *, 16> seen;

	for (const BasicBlock *B : ReversePostOrderTraversal<const Function *>(&F)) {
		seen.insert(B);
		for (const BasicBlock *next : successors(B)) {
			const Loop *L = seen.count(next) ? loops.getLoopFor(next) : nullptr;

			if (seen.count(next) && !(L && L->getHeader() == next && L->contains(B)))
				return true;
		}
	}
	return false;
}

bool is_short(Function &F, bool is_run, FunctionAnalysisManager &functions)
{
	LoopInfo &loops = functions.getResult<LoopAnalysis>(F);

	if (goes_round_otherwise(F, loops))
		return false;
	if (loops.empty())
		return true;
	ScalarEvolution &SE = functions.getResult<ScalarEvolutionAnalysis>(F);

	for (Loop *L : loops)
		if ((!is_run && touches_memory(*L)) ||
		    !is_short(*L, SE, 1, is_run ? turns_of_run_max : turns_max))
			return false;
	return true;
}

/* Tells whether F is used, also by taking its address. */
bool is_mentioned(const Function &F)
{
	for (const User *U : F.users())
		if (auto *I = dyn_cast<Instruction>(U); I && !clang_runs_once(*I->getFunction()))
			return true;
	return false;
}

/* Returns the passes that are needed to count iterations. */
FunctionPassManager simplifications()
{
	FunctionPassManager passes;

	passes.addPass(SROAPass(SROAOptions::ModifyCFG));
	passes.addPass(EarlyCSEPass());
	passes.addPass(InstCombinePass());
	passes.addPass(SimplifyCFGPass());
	return passes;
}

/* Tells whether the address of a label is taken: `goto *where[i]` may be a loop; and code that was
 * generated once has addresses that a copy of the module cannot reproduce. */
bool takes_labels(const Function &F)
{
	return llvm::any_of(F, [](const BasicBlock &B) { return B.hasAddressTaken(); });
}

} // namespace

bool clang_may_have_short_loops(const llvm::Module &M)
{
	for (const Function &F : M) {
		if (F.isDeclaration() || F.hasFnAttribute(Attribute::AlwaysInline))
			continue;
		if (takes_labels(F))
			return false;
		for (const User *U : F.users()) {
			auto *I = dyn_cast<Instruction>(U);

			if (I && !clang_runs_once(*I->getFunction()) &&
			    !I->getFunction()->hasFnAttribute(Attribute::AlwaysInline))
				return false;
		}
	}
	return true;
}

bool clang_simplify_short_loops(llvm::Module &M, ModuleAnalysisManager &modules)
{
	FunctionAnalysisManager &functions =
		modules.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
	FunctionPassManager simplify = simplifications();

	AlwaysInlinerPass().run(M, modules);
	for (const Function &F : M)
		if (!F.isDeclaration() && is_mentioned(F))
			return false;
	for (Function &F : M) {
		if (F.isDeclarationForLinker())
			continue;
		functions.invalidate(F, simplify.run(F, functions));
		if (!is_short(F, clang_runs_once(F), functions))
			return false;
	}
	return true;
}
