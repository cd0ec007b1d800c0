/* SPDX-License-Identifier: Apache-2.0 */
/* Records the function that an instruction of PTX was inlined from, and the place of its call. For
 * clang-device.cc alone. */
#ifndef CGPU_COMPILER_CLANG_INLINED_HH
#define CGPU_COMPILER_CLANG_INLINED_HH

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

/* Returns the path of a file in debug information, which clang splits where it shares a part with
 * the working folder. */
std::string clang_path_of(const llvm::DIScope *scope);

class InlinedPlaces
{
      public:
	/* Gives each inlined place a file of its own; called behind the last pass that inlines, in
	 * front of the code generator. */
	void mark(llvm::Module &M);
	/*
	 * Returns the module's PTX, in which these files are replaced by `.loc ..., function_name
	 * ..., inlined_at ...`, and paths of cells by their names.
	 */
	std::string rewrite(llvm::StringRef ptx) const;

      private:
	struct place {
		std::string file;
		unsigned line, column;
	};
	/* A function at a place where it was inlined. */
	struct inlined {
		std::string function; /* its symbol */
		std::string file;     /* that contains its code */
		place call;
		long outer; /* index of the inlined function that contains the call; -1: none */
	};
	class Writer;

	std::vector<inlined> all;
	std::map<std::tuple<std::string, std::string, const llvm::DILocation *>, long> known;

	long find(const llvm::DILocation *L);
};

#endif
