/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a compilation gets its precompiled header for little: mapped once for all, read once for
 * each, with nothing in it that would have to be looked at again. For compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_HEADER_HH
#define CGPU_COMPILER_CLANG_HEADER_HH

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>
#include <clang/Serialization/InMemoryModuleCache.h>
#include <llvm/Support/MemoryBuffer.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <sys/stat.h>

/* The text, which must live as long as CI, is to become a precompiled header in the file at path.
 */
inline void clang_make_header(clang::CompilerInstance &CI, clang::Language language,
			      llvm::MemoryBufferRef text, const char *path)
{
	clang::FrontendOptions &O = CI.getFrontendOpts();

	O.ProgramAction = clang::frontend::GeneratePCH;
	O.OutputFile = path;
	O.IncludeTimestamps = false;
	O.Inputs = { clang::FrontendInputFile(text, clang::InputKind(language).getHeader()) };
}

/* Before a header is written. */
void clang_forget_warnings(clang::Sema &S);

/*
 * Behind the last declaration of a header: the virtual tables that its text needs. Otherwise each
 * unit that has it in front looks for them, and reads dozens of classes with all their functions.
 */
void clang_define_virtual_tables(clang::Sema &S);

/*
 * Before there is a Sema. For a member that is misspelt clang guesses among those of its class
 * whose place in the class is known, and of a class of the header that is read only when something
 * asks for all of its members: this asks, for such a class.
 */
void clang_read_members_to_guess(clang::CompilerInstance &CI);

/*
 * One mapping of the file for all that use it, which must live as long as CI; it stays until
 * another file is mapped, since to map it again and again takes a tenth of a small cell. nullptr:
 * clang opens the file itself. The two halves of a cell may come here at once.
 */
inline std::shared_ptr<llvm::MemoryBuffer> clang_load_header(clang::CompilerInstance &CI)
{
	struct mapping {
		std::shared_ptr<llvm::MemoryBuffer> bytes;
		ino_t version; /* another file takes its place when the header is made again */
	};
	static std::map<std::string, mapping> all;
	static std::mutex lock;
	const std::string &path = CI.getPreprocessorOpts().ImplicitPCHInclude;
	struct stat st;

	if (path.empty() || stat(path.c_str(), &st))
		return nullptr;
	std::lock_guard<std::mutex> guard(lock);
	std::shared_ptr<llvm::MemoryBuffer> loaded = all[path].bytes;

	if (!loaded || all[path].version != st.st_ino) {
		auto file = llvm::MemoryBuffer::getFile(path, false, false);

		loaded = file ? std::move(*file) : nullptr;
		for (auto at = all.begin(); at != all.end();)
			at = at->second.bytes.use_count() < 2 ? all.erase(at) : std::next(at);
		all[path] = { loaded, st.st_ino };
	}
	if (loaded)
		CI.getModuleCache().addPCM(
			path, llvm::MemoryBuffer::getMemBuffer(loaded->getMemBufferRef(), false));
	return loaded;
}

/*
 * With a precompiled header: the preprocessor is made without it and without what the compiler
 * defines, both of which takes long and is replaced by what the header has of it. That has the
 * options' own macros, too: it was made with these options. To define them again clang would read
 * and unpack the text that they were defined in.
 */
template <typename Action> class HeaderLater : public Action
{
      public:
	void leave_header(clang::CompilerInstance &CI)
	{
		clang::PreprocessorOptions &P = CI.getPreprocessorOpts();

		left = P.UsePredefines && !P.ImplicitPCHInclude.empty();
		if (!left)
			return;
		P.ImplicitPCHInclude.swap(header);
		P.UsePredefines = false;
		P.Macros.clear();
	}

      protected:
	/* The preprocessor is there, the syntax tree is not. */
	bool BeginSourceFileAction(clang::CompilerInstance &CI) override
	{
		if (left) {
			CI.getPreprocessorOpts().ImplicitPCHInclude.swap(header);
			CI.getPreprocessorOpts().UsePredefines = true;
		}
		return Action::BeginSourceFileAction(CI);
	}

      private:
	std::string header;
	bool left = false;
};

#endif
