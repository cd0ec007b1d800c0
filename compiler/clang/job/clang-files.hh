/* SPDX-License-Identifier: Apache-2.0 */
/* The files that clang reads. */
#ifndef CGPU_COMPILER_CLANG_FILES_HH
#define CGPU_COMPILER_CLANG_FILES_HH

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

/* Returns the file system of the machine, in which opening a FIFO fails at once: clang opens files
 * by their paths, and would wait for ever for somebody to write into it. */
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> clang_files();

#endif
