/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device compilation of a C++ cell: the same text as the host's, compiled for NVPTX. Statements
 * at file scope are parsed as there, because they determine the instantiations of device templates;
 * no code is generated for them.
 */
#include "compiler/clang/job/clang-shim.h"

#include "compiler/clang/cells/clang-own.hh"
#include "compiler/clang/cells/clang-statements.hh"
#include "compiler/clang/device/clang-annotations.hh"
#include "compiler/clang/device/clang-inlined.hh"
#include "compiler/clang/device/clang-launches.hh"
#include "compiler/clang/device/clang-refused.hh"
#include "compiler/clang/headers/clang-header.hh"
#include "compiler/clang/job/clang-includes.hh"
#include "compiler/clang/job/clang-job.hh"
#include "compiler/clang/tree/clang-pass.hh"

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
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <cstdlib>
#include <cstring>

#include "common/launch-glue.h"

using namespace clang;

namespace
{

/* Tells whether a file belongs to the system, by its folder: the source manager would read each
 * file's entry of the precompiled header for that. */
bool is_of_system(const CompilerInstance &CI, const std::string &path)
{
	for (const auto &folder : CI.getHeaderSearchOpts().UserEntries)
		if (folder.Group >= frontend::System && StringRef(path).starts_with(folder.Path))
			return true;
	return false;
}

/*
 * Gives code that is inlined from a system header the line of the user's call: otherwise a report
 * would name the functions behind atomicAdd() and the like.
 */
void leave_system_lines(const CompilerInstance &CI, llvm::Module &M)
{
	for (llvm::Function &F : M)
		if (const llvm::DISubprogram *place = F.getSubprogram();
		    place && is_of_system(CI, clang_path_of(place)))
			llvm::stripDebugInfo(F);
}

/* Keeps reads of shared memory that no kernel of the unit writes: its content is undefined, and a
 * read of it must be reported instead of being optimised away. */
void keep_shared_reads(llvm::Module &M)
{
	static const unsigned shared = 3; /* NVPTX address space */

	for (llvm::GlobalVariable &V : M.globals())
		if (V.getAddressSpace() == shared)
			V.setExternallyInitialized(true);
}

/* Sets the alignment of stack variables: LLVM 19 writes an alignment of 0 for the default, which is
 * invalid PTX. */
void align_allocas(llvm::Module &M)
{
	for (llvm::Function &F : M)
		for (llvm::BasicBlock &B : F)
			for (llvm::Instruction &I : B)
				if (auto *A = llvm::dyn_cast<llvm::AllocaInst>(&I);
				    A && !A->isStaticAlloca())
					A->setAlignment(std::max(A->getAlign(), llvm::Align(32)));
}

/* Makes each call of the cells' own functions one that a debugger sees, as nvcc's -G does. */
void keep_calls(llvm::Module &M)
{
	for (llvm::Function &F : M)
		if (F.getSubprogram())
			F.removeFnAttr(llvm::Attribute::AlwaysInline);
}

/*
 * Puts the variables of functions without lines, those of system headers, into registers, where
 * nothing else is optimised. Otherwise threadIdx and its kin would be variables of the unit, since
 * their members are functions of objects that do not exist.
 */
class SystemInRegisters : public llvm::PassInfoMixin<SystemInRegisters>
{
      public:
	llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &analyses)
	{
		if (F.getSubprogram())
			return llvm::PreservedAnalyses::all();
		return llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(F, analyses);
	}

	static bool isRequired()
	{
		return true;
	}
};

void add_debugger_passes(llvm::ModulePassManager &passes)
{
	passes.addPass(clang_pass(keep_calls));
	passes.addPass(llvm::createModuleToFunctionPassAdaptor(SystemInRegisters()));
}

void add_passes(llvm::PassBuilder &builder, CompilerInstance &CI, const clang_job *job,
		Annotations &annotations, InlinedPlaces &places)
{
	bool steps = job->effort == CLANG_STEPS;

	builder.registerPipelineStartEPCallback(
		[&, job, steps](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
			passes.addPass(clang_pass([&, job](llvm::Module &M) {
				clang_refuse_writes(M, CI, job);
				annotations.apply(M);
				leave_system_lines(CI, M);
				keep_shared_reads(M);
				align_allocas(M);
				clang_launches_lower(M);
			}));
			if (steps)
				add_debugger_passes(passes);
		});
	builder.registerOptimizerLastEPCallback(
		[&, job, steps](llvm::ModulePassManager &passes, llvm::OptimizationLevel, auto...) {
			passes.addPass(clang_pass([&, job](llvm::Module &M) {
				clang_refuse_writes(M, CI, job);
				clang_refuse_calls(M, CI, job);
				places.mark(M);
			}));
			if (steps)
				passes.addPass(llvm::GlobalDCEPass());
		});
}

/*
 * A debugger of device code finds each variable in local memory when nothing is optimised, and its
 * place in the sections of debugging information, which cuda-gdb reads too: DWARF 2.
 */
void compile_for_debugger(CodeGenOptions &o)
{
	o.OptimizationLevel = 0;
	o.setDebugInfo(llvm::codegenoptions::LimitedDebugInfo);
	o.DwarfVersion = 2;
}

/* Turns a variable of a file that an earlier cell has included into a declaration: it exists
 * already, with its current value. */
class Declarer : public ASTConsumer
{
      public:
	Declarer(const clang_job *job, CompilerInstance &CI) : job(job), CI(CI)
	{
	}

	bool HandleTopLevelDecl(DeclGroupRef group) override
	{
		for (Decl *D : group)
			if (isa<VarDecl>(D) &&
			    is_of_earlier_cell(CI.getSourceManager(), D->getLocation(), job))
				make_declaration(D);
		clang_launches_allow(CI.getSema());
		return true;
	}

	/* Clears the kernels and device variables of other cells that the host uses: they are in
	 * their own modules, and nothing links this one. */
	void HandleTranslationUnit(ASTContext &C) override
	{
		C.CUDAExternalDeviceDeclODRUsedByHost.clear();
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
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
						       StringRef file) override
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
		clang_statements_parse(
			CI.getSema(), job->statements, [](FunctionDecl *, bool) {}, &place,
			job->behind);
	}

      private:
	clang_statements_place place;
	const clang_job *job;
};

} // namespace

int clang_shim_compile_device(const struct clang_job *job, char **ret_ptx, size_t *ret_len)
{
	llvm::SmallString<0> ptx;
	clang_header loaded;
	llvm::SmallString<256> folder; /* for reports, which read the lines of the user's files */
	Annotations annotations;
	InlinedPlaces places;
	DeviceAction action(job);
	int failed = clang_execute(job, action, [&](CompilerInstance &CI) {
		CI.getFrontendOpts().ProgramAction = frontend::EmitAssembly;
		if (!llvm::sys::fs::current_path(folder))
			CI.getCodeGenOpts().DebugCompilationDir = folder.str().str();
		/* It has the symbols of inlined functions. */
		CI.getCodeGenOpts().DebugInfoForProfiling = true;
		if (job->effort == CLANG_STEPS)
			compile_for_debugger(CI.getCodeGenOpts());
		CI.getCodeGenOpts().PassBuilderCallbacks.push_back([&](llvm::PassBuilder &builder) {
			add_passes(builder, CI, job, annotations, places);
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
