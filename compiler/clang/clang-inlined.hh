/* SPDX-License-Identifier: Apache-2.0 */
/* Which function an instruction of PTX has been inlined of, and where that was called. For
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

/* Of debug information: the file with its folder, which clang takes apart where it shares a part
 * with the working folder. */
std::string clang_path_of(const llvm::DIScope *scope);

class InlinedPlaces
{
      public:
	/* Behind the last pass that inlines, in front of the code generator: gives each such place
	 * a file of its own. */
	void mark(llvm::Module &M);
	/*
	 * The PTX that was made of the module, with these files told as `.loc ..., function_name
	 * ..., inlined_at ...`, and cells by their names alone.
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
		std::string file;     /* of its code */
		place call;
		long outer; /* the index of what the call itself was inlined of; -1: nothing */
	};
	class Writer;

	std::vector<inlined> all;
	std::map<std::tuple<std::string, std::string, const llvm::DILocation *>, long> known;

	long find(const llvm::DILocation *L);
};

#endif
