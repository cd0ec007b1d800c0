/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clang derives from its options for a target machine is derived here for those that a cell is compiled with by
 * default; see clang's BackendUtil.cpp. Passes and their analyses hold references to each other, so the order of the members
 * is that in which they are made.
 */
#include "compiler/object-code.hh"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

using namespace clang;

struct ObjectCode::Parts {
	Parts(std::unique_ptr<llvm::TargetMachine> target, const llvm::TargetLibraryInfoImpl &library)
	    : machine(std::move(target)), library(library)
	{
	}

	std::unique_ptr<llvm::TargetMachine> machine;
	llvm::TargetLibraryInfoImpl library;
	llvm::LoopAnalysisManager loops;
	llvm::FunctionAnalysisManager functions;
	llvm::CGSCCAnalysisManager calls;
	llvm::ModuleAnalysisManager modules;
	llvm::ModulePassManager optimise;
	std::unique_ptr<llvm::raw_svector_ostream> out;
	llvm::legacy::PassManager codegen;
};

ObjectCode::ObjectCode() = default;
ObjectCode::~ObjectCode() = default;

#if CLANG_VERSION_MAJOR >= 18 && CLANG_VERSION_MAJOR <= 20

namespace
{

llvm::TargetOptions target_options(const CompilerInstance &CI)
{
	const CodeGenOptions &from = CI.getCodeGenOpts();
	llvm::TargetOptions to;

	to.ThreadModel = llvm::ThreadModel::POSIX;
	to.AllowFPOpFusion = llvm::FPOpFusion::Standard;
	to.UseInitArray = from.UseInitArray;
	to.FunctionSections = from.FunctionSections;
	to.DataSections = from.DataSections;
	to.UniqueSectionNames = from.UniqueSectionNames;
	to.EmulatedTLS = from.EmulatedTLS;
	to.DebuggerTuning = from.getDebuggerTuning();
	to.MCOptions.MCUseDwarfDirectory = llvm::MCTargetOptions::EnableDwarfDirectory;
	to.MCOptions.ABIName = CI.getTargetOpts().ABI;
	return to;
}

std::unique_ptr<llvm::TargetMachine> target_machine(const CompilerInstance &CI)
{
	const TargetOptions &options = CI.getTargetOpts();
	std::string error;
	const llvm::Target *target = llvm::TargetRegistry::lookupTarget(options.Triple, error);

	if (!target)
		return nullptr;
	return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
		options.Triple, options.CPU, llvm::join(options.Features, ","), target_options(CI),
		CI.getCodeGenOpts().RelocationModel, std::nullopt, llvm::CodeGenOptLevel::None));
}

/* As clang's -O2, or its -O0: always_inline functions of headers must be inlined. */
void add_optimisations(llvm::ModulePassManager &passes, llvm::PassBuilder &builder, bool optimised)
{
	if (optimised)
		passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
	else
		passes = builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
}

} // namespace

std::unique_ptr<ObjectCode> ObjectCode::create(const CompilerInstance &CI, bool optimised)
{
	std::unique_ptr<llvm::TargetMachine> machine = target_machine(CI);

	if (!machine)
		return nullptr;
	std::unique_ptr<ObjectCode> made(new ObjectCode);
	llvm::TargetLibraryInfoImpl library(machine->getTargetTriple());
	llvm::PipelineTuningOptions tuning;

	made->parts = std::make_unique<Parts>(std::move(machine), library);
	Parts &p = *made->parts;

	tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopUnrolling = tuning.LoopInterleaving = false;
	llvm::PassBuilder builder(p.machine.get(), tuning);

	p.functions.registerPass([&p] { return llvm::TargetLibraryAnalysis(p.library); });
	builder.registerModuleAnalyses(p.modules);
	builder.registerCGSCCAnalyses(p.calls);
	builder.registerFunctionAnalyses(p.functions);
	builder.registerLoopAnalyses(p.loops);
	builder.crossRegisterProxies(p.loops, p.functions, p.calls, p.modules);
	add_optimisations(p.optimise, builder, optimised);

	p.out = std::make_unique<llvm::raw_svector_ostream>(made->object);
	p.codegen.add(llvm::createTargetTransformInfoWrapperPass(p.machine->getTargetIRAnalysis()));
	p.codegen.add(new llvm::TargetLibraryInfoWrapperPass(p.library));
	if (p.machine->addPassesToEmitFile(p.codegen, *p.out, nullptr, llvm::CodeGenFileType::ObjectFile))
		return nullptr;
	return made;
}

void ObjectCode::generate(llvm::Module &M)
{
	M.setDataLayout(parts->machine->createDataLayout());
	parts->optimise.run(M, parts->modules);
	parts->codegen.run(M);
}

#else

std::unique_ptr<ObjectCode> ObjectCode::create(const CompilerInstance &, bool)
{
	return nullptr;
}

void ObjectCode::generate(llvm::Module &)
{
}

#endif
