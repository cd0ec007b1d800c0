/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises modules that finish soon in spite of loops. Clang's passes over a loop take longer
 * than a thousand iterations of it in plain code. For compiler/clang/code/object-code.cc alone.
 */
#ifndef CGPU_COMPILER_SHORT_LOOPS_HH
#define CGPU_COMPILER_SHORT_LOOPS_HH

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

/* Tells whether F has the statements of a cell, or the initialisers of its variables. */
bool clang_runs_once(const llvm::Function &F);

/* Examines M as clang has made it. false: clang_simplify_short_loops() would refuse it, too. */
bool clang_may_have_short_loops(const llvm::Module &M);

/*
 * Simplifies the module if its loops are short. Functions of a cell's own statements run once;
 * loops there may do anything, if they have some hundred iterations at most. Other functions may be
 * called from loops of later cells: their loops must have few iterations, and compute without
 * touching memory, so that code for arrays is optimised as a whole. They must not call each other
 * either, which also excludes recursion.
 *
 * true: M is as simple as plain code of it should be. false: it was changed in part.
 */
bool clang_simplify_short_loops(llvm::Module &M, llvm::ModuleAnalysisManager &modules);

#endif
