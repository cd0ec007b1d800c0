/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads the precompiled header of a compilation cheaply: it is mapped once for all compilations,
 * read once for each, and contains nothing that must be examined again. For compiler/clang/ alone.
 */
#ifndef CGPU_COMPILER_CLANG_HEADER_HH
#define CGPU_COMPILER_CLANG_HEADER_HH

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>

#include <sys/stat.h>

/* Tells one file of a name from the next: a header that is made anew is another file. The number
 * of a file alone does not, because the system gives it to the next one. */
struct clang_header_version {
	ino_t number = 0;
	timespec written = {};

	bool operator==(const clang_header_version &other) const
	{
		return number == other.number && written.tv_sec == other.written.tv_sec &&
		       written.tv_nsec == other.written.tv_nsec;
	}
};

/* Returns the version of the file at this path; all zero: there is none. */
inline clang_header_version clang_header_version_of(const std::string &path)
{
	struct stat st;

	return path.empty() || stat(path.c_str(), &st)
		       ? clang_header_version()
		       : clang_header_version{ st.st_ino, st.st_mtim };
}

/* A mapped header. */
struct clang_header {
	std::shared_ptr<llvm::MemoryBuffer> bytes; /* null: there is no whole header */
	size_t content = 0;                        /* the length, without the seal */
	clang_header_version version = {};
	std::string base_path = {}; /* of the header that it is chained to; "": none */
	std::shared_ptr<const clang_header> base = {}; /* null: there is none */
};

/* Sets CI up to write the text, which must live as long as CI, as a precompiled header to the file
 * at path. */
inline void clang_make_header(clang::CompilerInstance &CI, clang::Language language,
			      llvm::MemoryBufferRef text, const char *path)
{
	clang::FrontendOptions &O = CI.getFrontendOpts();

	O.ProgramAction = clang::frontend::GeneratePCH;
	O.OutputFile = path;
	O.IncludeTimestamps = false;
	O.Inputs = { clang::FrontendInputFile(text, clang::InputKind(language).getHeader()) };
}

/* Drops pending warnings before a header is written. */
void clang_forget_warnings(clang::Sema &S);

/*
 * Defines, behind the last declaration of a header, the virtual tables that its text needs.
 * Otherwise each unit that uses it looks for them, and reads dozens of classes with all their
 * functions.
 */
void clang_define_virtual_tables(clang::Sema &S);

/*
 * Helps clang's guesses for misspelt members; called before there is a Sema. Clang only considers
 * members whose layout is known, and reads the layout of a header's class only when all of its
 * members are requested: this requests them for the class in question.
 */
void clang_read_members_to_guess(clang::CompilerInstance &CI);

/*
 * Maps the header file once for all users, with those that it is chained to, and checks their
 * seals: if one is not whole, it is none of them. It stays mapped until another file is, since
 * mapping it again takes a tenth of the time of a small cell. The host and device compilations may
 * call it concurrently.
 */
clang_header clang_map_header(const std::string &path);

/* Gives CI its header, which must live as long as CI. One that is not whole is no file for clang,
 * which would open it, and wait, whatever it is. */
clang_header clang_load_header(clang::CompilerInstance &CI);

/*
 * An action with a precompiled header. The preprocessor is created without the header and without
 * the compiler's built-in macros, both of which take long and are replaced by the header's. The
 * header also has the macros of the options, with which it was made: to define them again clang
 * would have to unpack their text.
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
	/* At this point the preprocessor exists, the syntax tree does not. */
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
