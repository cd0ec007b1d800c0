/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of the bundle that clang and LLVM are linked into has no Polly: clang's archives ask
 * for it where a distribution has built it in, and it has an archive of its own, which need not be
 * there. Its passes run for who asks for them only.
 */
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo()
{
	return { LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING,
		 [](llvm::PassBuilder &) {} };
}
