/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers which declarations cells read of their precompiled header, since most cells read the
 * same ones; a compilation that is begun ahead reads them before there is a cell. For clang-shim.cc
 * alone.
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

#include "compiler/clang/headers/clang-header.hh"

/* The reads of one compilation. */
class HeaderReads : public clang::ASTDeserializationListener
{
      public:
#if CLANG_VERSION_MAJOR >= 19
	using id = clang::GlobalDeclID;
#else
	using id = clang::serialization::DeclID;
#endif

	/* Begins a compilation with this header. */
	void begin(const std::string &header, const clang_header_version &version);
	/* Reads some of the remembered declarations ahead. False: none is left. */
	bool read_ahead(clang::CompilerInstance &CI);
	/* Ends reading ahead: from here on the cell causes the reads. */
	void stop();
	/*
	 * Remembers, after code generation of M, what the cell has read, with the bodies of
	 * functions. Starts over when most of `given` (clang_job) did not exist when the list
	 * began, since earlier cells have read what was needed to compile that.
	 */
	void keep(const llvm::Module &M, clang::CodeGenerator &declarations, llvm::StringRef given);

	void DeclRead(id ID, const clang::Decl *D) override;

      private:
	bool by_cell = false;
	size_t n_ahead = 0; /* number of declarations that were read ahead */
	std::vector<id> read;
};

#endif
