/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cells read of their precompiled header, they mostly read again and again. It is remembered,
 * and a compilation that is begun ahead reads it before there is a cell. For clang-shim.cc alone.
 */
#ifndef CGPU_COMPILER_CLANG_READS_HH
#define CGPU_COMPILER_CLANG_READS_HH

#include <clang/Basic/Version.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Serialization/ASTDeserializationListener.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include <sys/types.h>

/* Of one compilation. */
class HeaderReads : public clang::ASTDeserializationListener
{
      public:
#if CLANG_VERSION_MAJOR >= 19
	using id = clang::GlobalDeclID;
#else
	using id = clang::serialization::DeclID;
#endif

	/* The compilation is begun, with this header. */
	void begin(const std::string &header, ino_t version);
	/* Reads some of what is remembered. False: nothing is left. */
	bool read_ahead(clang::CompilerInstance &CI);
	/* There is a cell: what is read from here on is the cell's doing. */
	void stop();
	/*
	 * Its code is made, in M. Remembers what it has read, with the bodies of functions. Begins
	 * anew when most of what is given (clang_job) was not yet when it began: earlier cells have
	 * read what it takes to make that.
	 */
	void keep(const llvm::Module &M, clang::CodeGenerator &declarations, llvm::StringRef given);

	void DeclRead(id ID, const clang::Decl *D) override;

      private:
	bool by_cell = false;
	size_t n_ahead = 0; /* so many are read */
	std::vector<id> read;
};

#endif
