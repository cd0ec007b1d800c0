/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A header may be chained to another one, which clang reads with it: both are mapped, and read
 * where they are. Instances of templates are written to a separate header, chained to the one with
 * the templates: clang instantiates them for a text that contains nothing else, and writes what is
 * new.
 */
#include "compiler/clang/headers/clang-header.hh"

#include "compiler/clang/headers/clang-instance-keys.hh"
#include "compiler/clang/job/clang-job.hh"
#include "compiler/clang/job/clang-shim.h"

#include <clang/AST/DeclCXX.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Sema/TypoCorrection.h>
#include <clang/Serialization/ASTReader.h>
#include <clang/Serialization/InMemoryModuleCache.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include <map>
#include <mutex>

#include <unistd.h>

#include "compiler/cache/sealed-file.h"

using namespace clang;

/*
 * Clears the lists that clang examines at the end of a unit for warnings: declarations with
 * diagnostics that wait until it is known whether host or device code is generated for them; unused
 * functions and variables; `delete` expressions that may not match a `new`. Each cell would read
 * thousands of them from the header, which took half of the time of a C++ cell of one line. Those
 * that a cell uses are examined from the cell. Clang has no interface for it: an explicit
 * instantiation may name private members.
 */
template <auto Waiting, auto Deleting> struct Reach {
	friend void forget_warnings(Sema &S)
	{
		(S.*Waiting).clear();
		(S.*Deleting).clear();
		S.UnusedFileScopedDecls.erase(S.UnusedFileScopedDecls.begin(nullptr),
					      S.UnusedFileScopedDecls.end());
	}
};
template struct Reach<&Sema::DeclsToCheckForDeferredDiags, &Sema::DeleteExprs>;
void forget_warnings(Sema &S);

/* A friend is an inline function, which other files cannot call. */
void clang_forget_warnings(Sema &S)
{
	forget_warnings(S);
}

namespace
{

/* Finds the header that one is chained to. */
class FindBase : public ASTReaderListener
{
      public:
	std::string path; /* "": there is none */

	bool needsImportVisitation() const override
	{
		return true;
	}

	void visitImport(StringRef, StringRef imported) override
	{
		path = imported.str();
	}
};

void give(InMemoryModuleCache &cache, const std::string &path, const clang_header &header)
{
	cache.addPCM(path,
		     llvm::MemoryBuffer::getMemBuffer(
			     { header.bytes->getBufferStart(), header.content }, path, false));
}

std::string base_of(const std::string &path, const clang_header &header)
{
	llvm::IntrusiveRefCntPtr<InMemoryModuleCache> cache(new InMemoryModuleCache);
	FileManager files{ FileSystemOptions(), clang_files() };
	RawPCHContainerReader reader;
	FindBase base;

	give(*cache, path, header);
	ASTReader::readASTFileControlBlock(path, files, *cache, reader, false, base, false);
	return base.path;
}

/* The headers that are mapped, by their paths. */
class Mapped
{
      public:
	clang_header get(const std::string &path)
	{
		struct stat st;
		int fd = path.empty() ? -1 : sealed_file_open(path.c_str(), &st);

		if (fd < 0)
			return {};
		clang_header header = all[path];

		if (!header.bytes ||
		    !(header.version == clang_header_version{ st.st_ino, st.st_mtim })) {
			header = map(fd, path, st);
			drop_unused();
			all[path] = header;
		}
		close(fd);
		return header;
	}

      private:
	std::map<std::string, clang_header> all;

	clang_header map(int fd, const std::string &path, const struct stat &st)
	{
		auto file = llvm::MemoryBuffer::getOpenFile(fd, path, (uint64_t)st.st_size, false);
		clang_header header = { file ? std::move(*file) : nullptr,
					0,
					{ st.st_ino, st.st_mtim } };

		if (header.bytes)
			header.content = sealed_file_content(header.bytes->getBufferStart(),
							     header.bytes->getBufferSize());
		if (header.content)
			header.base_path = base_of(path, header);
		if (header.content && !header.base_path.empty()) {
			header.base = std::make_shared<clang_header>(get(header.base_path));
			if (!header.base->bytes)
				header.content = 0;
		}
		if (!header.content)
			header.bytes = nullptr;
		return header;
	}

	void drop_unused()
	{
		for (auto at = all.begin(); at != all.end();)
			at = at->second.bytes.use_count() < 2 ? all.erase(at) : std::next(at);
	}
};

} // namespace

clang_header clang_map_header(const std::string &path)
{
	static Mapped mapped;
	static std::mutex lock;
	std::lock_guard<std::mutex> guard(lock);

	return mapped.get(path);
}

clang_header clang_load_header(CompilerInstance &CI)
{
	std::string &path = CI.getPreprocessorOpts().ImplicitPCHInclude;
	clang_header loaded = clang_map_header(path);

	if (loaded.bytes)
		give(CI.getModuleCache(), path, loaded);
	else if (!path.empty())
		path += "/damaged";
	for (const clang_header *h = &loaded; h->base; h = h->base.get())
		give(CI.getModuleCache(), h->base_path, *h->base);
	return loaded;
}

void clang_define_virtual_tables(Sema &S)
{
	S.DefineUsedVTables();
	S.PerformPendingInstantiations();
}

namespace
{

/* Reads the classes that clang is going to examine; it makes no guesses itself. */
class Guesses : public ExternalSemaSource
{
      public:
	TypoCorrection CorrectTypo(const DeclarationNameInfo &, int, Scope *, CXXScopeSpec *,
				   CorrectionCandidateCallback &, DeclContext *of, bool,
				   const ObjCObjectPointerType *) override
	{
		auto *R = dyn_cast_or_null<CXXRecordDecl>(of);

		if (of)
			of->decls_begin();
		if (R && R->hasDefinition())
			for (const CXXBaseSpecifier &base : R->bases())
				if (const CXXRecordDecl *B = base.getType()->getAsCXXRecordDecl())
					B->decls_begin();
		return TypoCorrection();
	}
};

} // namespace

void clang_read_members_to_guess(CompilerInstance &CI)
{
	CI.setExternalSemaSource(new Guesses());
}

namespace
{

class InstanceConsumer : public SemaConsumer
{
      public:
	explicit InstanceConsumer(const clang_job *job) : job(job)
	{
	}

	void InitializeSema(Sema &S) override
	{
		sema = &S;
	}

	/* Declarations of the header in front. */
	void HandleInterestingDecl(DeclGroupRef) override
	{
	}

	/* Declarations of the text, and instances. */
	bool HandleTopLevelDecl(DeclGroupRef) override
	{
		if (begun)
			return true;
		begun = true;
		instantiate();
		return true;
	}

	void HandleTranslationUnit(ASTContext &) override
	{
		clang_forget_warnings(*sema);
	}

      private:
	const clang_job *job;
	Sema *sema = nullptr;
	bool begun = false;

	void instantiate()
	{
		ASTNameGenerator symbols(sema->Context);
		llvm::SmallVector<llvm::StringRef, 0> keys;
		SourceManager &SM = sema->getSourceManager();
		SourceLocation L = SM.getLocForStartOfFile(SM.getMainFileID());

		llvm::StringRef(job->text, job->len).split(keys, '\n', -1, false);
		for (llvm::StringRef key : keys) {
			unsigned before = sema->getDiagnostics().getClient()->getNumErrors();
			FunctionDecl *F = clang_instance_find(*sema, key, symbols);

			if (F && !F->isDefined() && !F->isDeleted() && !F->isImmediateFunction()) {
				sema->MarkFunctionReferenced(L, F);
				sema->PerformPendingInstantiations();
			}
			if (!F || sema->getDiagnostics().getClient()->getNumErrors() != before)
				job->refused(job->context, key.str().c_str());
		}
		clang_define_virtual_tables(*sema);
	}
};

class InstanceAction : public GeneratePCHAction
{
      public:
	explicit InstanceAction(const clang_job *job) : job(job)
	{
	}

      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
						       StringRef file) override
	{
		auto writer = GeneratePCHAction::CreateASTConsumer(CI, file);

		return writer ? clang_in_front(std::make_unique<InstanceConsumer>(job),
					       std::move(writer))
			      : nullptr;
	}

      private:
	const clang_job *job;
};

} // namespace

int clang_shim_build_instances(const clang_job *job, const char *path)
{
	static const char text[] = "struct cgpu_instances;";
	InstanceAction action(job);

	return clang_execute(job, action, [&](CompilerInstance &CI) {
		clang_make_header(CI, job->options->language, { text, job->name }, path);
		CI.getDiagnosticOpts().ErrorLimit = 0;
	});
}
