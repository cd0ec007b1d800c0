/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a module done soon, although it has loops? Clang's passes over a loop take longer than a
 * thousand of its turns in plain code. For compiler/clang/object-code.cc alone.
 */
#ifndef CGPU_COMPILER_SHORT_LOOPS_HH
#define CGPU_COMPILER_SHORT_LOOPS_HH

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

/* A look at M as clang has made it. false: clang_simplify_short_loops() would say no, too. */
bool clang_may_have_short_loops(const llvm::Module &M);

/*
 * What holds a cell's own statements runs once; loops there may do anything, if they turn some
 * hundred times at most. Other functions may be called from loops of later cells: theirs turn a few
 * times, and compute without touching memory, so that what works on arrays is optimised as a whole.
 * They do not call each other either, which also means that none calls itself.
 *
 * true: M is as simple as plain code of it should be. false: it has been changed in part.
 */
bool clang_simplify_short_loops(llvm::Module &M, llvm::ModuleAnalysisManager &modules);

#endif
