/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device's half of a C++ cell: the same text as the host's, compiled for NVPTX. Statements at file scope are parsed as there,
 * since it is they that say for which types a template of device code is wanted; no code is made of them.
 */
#include "compiler/clang-shim.h"

#include "compiler/clang-annotations.hh"
#include "compiler/clang-header.hh"
#include "compiler/clang-includes.hh"
#include "compiler/clang-inlined.hh"
#include "compiler/clang-job.hh"
#include "compiler/clang-launches.hh"
#include "compiler/clang-own.hh"
#include "compiler/clang-statements.hh"

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FileSystem.h>

#include <cstdlib>
#include <cstring>

#include "common/launch-glue.h"

using namespace clang;

namespace
{

struct ApplyAnnotations : llvm::PassInfoMixin<ApplyAnnotations> {
	explicit ApplyAnnotations(Annotations &annotations) : annotations(annotations)
	{
	}

	llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &)
	{
		annotations.apply(M);
		return llvm::PreservedAnalyses::all();
	}

      private:
	Annotations &annotations;
};

/*
 * What is inlined of a header of the system has the line of the user's call: the functions behind atomicAdd() and its like are
 * what a report would name otherwise.
 */
struct LeaveSystemLines : llvm::PassInfoMixin<LeaveSystemLines> {
	explicit LeaveSystemLines(CompilerInstance &CI) : CI(CI)
	{
	}

	llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &)
	{
		for (llvm::Function &F : M)
			if (const llvm::DISubprogram *place = F.getSubprogram(); place && is_of_system(clang_path_of(place)))
				llvm::stripDebugInfo(F);
		return llvm::PreservedAnalyses::all();
	}

      private:
	CompilerInstance &CI;

	/* By its folder: the source manager would read each file's entry of the precompiled header to find this one. */
	bool is_of_system(StringRef path)
	{
		for (const auto &folder : CI.getHeaderSearchOpts().UserEntries)
			if (folder.Group >= frontend::System && path.starts_with(folder.Path))
				return true;
		return false;
	}
};

/* Content that no kernel of the unit writes is what it happens to be, and a read of it is told: it is not optimised away. */
struct KeepSharedReads : llvm::PassInfoMixin<KeepSharedReads> {
	llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &)
	{
		static const unsigned shared = 3; /* NVPTX address space */

		for (llvm::GlobalVariable &V : M.globals())
			if (V.getAddressSpace() == shared)
				V.setExternallyInitialized(true);
		return llvm::PreservedAnalyses::all();
	}
};

struct MarkInlined : llvm::PassInfoMixin<MarkInlined> {
	explicit MarkInlined(InlinedPlaces &places) : places(places)
	{
	}

	llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &)
	{
		places.mark(M);
		return llvm::PreservedAnalyses::all();
	}

      private:
	InlinedPlaces &places;
};

/* LLVM 19 writes an alignment of 0 for what a stack has anyway, which is no PTX. */
struct AlignAllocas : llvm::PassInfoMixin<AlignAllocas> {
	llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &)
	{
		for (llvm::Function &F : M)
			for (llvm::BasicBlock &B : F)
				for (llvm::Instruction &I : B)
					if (auto *A = llvm::dyn_cast<llvm::AllocaInst>(&I); A && !A->isStaticAlloca())
						A->setAlignment(std::max(A->getAlign(), llvm::Align(32)));
		return llvm::PreservedAnalyses::all();
	}

	static bool isRequired()
	{
		return true;
	}
};

void add_passes(llvm::PassBuilder &builder, CompilerInstance &CI, Annotations &annotations, InlinedPlaces &places)
{
	auto at_end = [&places](llvm::ModulePassManager &passes, llvm::OptimizationLevel, auto...) {
		passes.addPass(MarkInlined(places));
	};

	builder.registerOptimizerLastEPCallback(at_end);
	builder.registerPipelineStartEPCallback([&CI, &annotations](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
		passes.addPass(ApplyAnnotations(annotations));
		passes.addPass(LeaveSystemLines(CI));
		passes.addPass(KeepSharedReads());
		passes.addPass(AlignAllocas());
		clang_launches_add_pass(passes);
	});
}

/* A variable of a file that an earlier cell has included is there already, with what has been done to it. */
class Declarer : public ASTConsumer
{
      public:
	Declarer(const clang_job *job, CompilerInstance &CI) : job(job), CI(CI)
	{
	}

	bool HandleTopLevelDecl(DeclGroupRef group) override
	{
		for (Decl *D : group)
			if (isa<VarDecl>(D) && is_of_earlier_cell(CI.getSourceManager(), D->getLocation(), job))
				make_declaration(D);
		clang_launches_allow(CI.getSema());
		return true;
	}

      private:
	const clang_job *job;
	CompilerInstance &CI;
};

class DeviceAction : public HeaderLater<EmitAssemblyAction>
{
      public:
	explicit DeviceAction(const clang_job *job) : job(job)
	{
	}

      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef file) override
	{
		auto generator = EmitAssemblyAction::CreateASTConsumer(CI, file);

		if (!generator)
			return nullptr;
		clang_own_names(CI);
		return clang_in_front(std::make_unique<Declarer>(job, CI), std::move(generator));
	}

	void ExecuteAction() override
	{
		CompilerInstance &CI = getCompilerInstance();

		CI.createSema(getTranslationUnitKind(), nullptr);
		clang_statements_parse(CI.getSema(), job->statements, [](FunctionDecl *, bool) {}, &depth, job->behind);
	}

      private:
	unsigned depth = 0; /* of open brackets */
	const clang_job *job;
};

} // namespace

int clang_shim_compile_device(const struct clang_job *job, char **ret_ptx, size_t *ret_len)
{
	llvm::SmallString<0> ptx;
	std::shared_ptr<llvm::MemoryBuffer> loaded;
	llvm::SmallString<256> folder; /* reports read the lines of the user's files */
	Annotations annotations;
	InlinedPlaces places;
	DeviceAction action(job);
	int failed = clang_execute(job, action, [&](CompilerInstance &CI) {
		CI.getFrontendOpts().ProgramAction = frontend::EmitAssembly;
		if (!llvm::sys::fs::current_path(folder))
			CI.getCodeGenOpts().DebugCompilationDir = folder.str().str();
		CI.getCodeGenOpts().DebugInfoForProfiling = true; /* it has the symbols of functions that are inlined */
		CI.getCodeGenOpts().PassBuilderCallbacks.push_back([&](llvm::PassBuilder &builder) {
			add_passes(builder, CI, annotations, places);
		});
		CI.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(ptx));
		loaded = clang_load_header(CI);
		action.leave_header(CI);
	});

	if (failed)
		return -1;
	std::string text = annotations.rewrite(places.rewrite(ptx.str()));

	*ret_ptx = strdup(text.c_str());
	*ret_len = text.size();
	return *ret_ptx ? 0 : -1;
}
