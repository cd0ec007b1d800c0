/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances of templates are written to a separate header, chained to the one with the templates:
 * clang instantiates them for a text that contains nothing else, and writes what is new.
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
