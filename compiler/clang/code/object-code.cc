/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of the target machine that clang derives from its options are derived here for the
 * options that cells have by default; see clang's BackendUtil.cpp. The target machine, which takes
 * long to set up for a processor, is used for one module after another, and so are the machine code
 * passes without optimisation. Other passes keep their results (AssignmentTrackingAnalysis), and
 * must be destroyed before the module. Passes and their analyses refer to each other, so the order
 * of the members is the order of construction.
 *
 * Code of short loops is simplified, gets simple instructions, and keeps its values in registers:
 * the latter is what makes a loop fast, at a tenth of the cost of the other passes. That is done to
 * a copy, since clang's passes must start from clang's output if the loops turn out not to be
 * short.
 */
#include "compiler/clang/code/object-code.hh"

#include "compiler/clang/code/short-loops.hh"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace clang;

/* In instructions of LLVM as clang has made them; a call with an argument is three. */
#define LONG_STATEMENTS 200

enum Code {
	CODE_PLAIN,
	CODE_IN_REGISTERS, /* plain, but values need not go through memory at each jump */
	CODE_SHARED,
	CODE_OPTIMISED = CODE_SHARED
};

namespace
{

/* Sets an option of LLVM for a while; its pass managers and passes have no other interface for
 * it. */
class Told
{
      public:
	Told(bool on, const char *name, const char *value)
	    : option(on ? llvm::cl::getRegisteredOptions().lookup(name) : nullptr)
	{
		if (option)
			option->addOccurrence(0, name, value);
	}

	~Told()
	{
		if (option)
			option->reset();
	}

      private:
	llvm::cl::Option *option;
};

} // namespace

/* Compiles optimised modules to objects, one after another. */
struct ObjectCode::Machine {
	Machine(Code kind, const std::string &key, std::unique_ptr<llvm::TargetMachine> made)
	    : kind(kind), key(key), target(std::move(made)), library(target->getTargetTriple()),
	      out(object)
	{
	}

	bool add_passes()
	{
		Told registers(kind == CODE_IN_REGISTERS, "optimize-regalloc", "true");

		if (codegen)
			return true;
		codegen = std::make_unique<llvm::legacy::PassManager>();
		codegen->add(
			llvm::createTargetTransformInfoWrapperPass(target->getTargetIRAnalysis()));
		codegen->add(new llvm::TargetLibraryInfoWrapperPass(library));
		return !target->addPassesToEmitFile(*codegen, out, nullptr,
						    llvm::CodeGenFileType::ObjectFile);
	}

	void make_code(llvm::Module &M)
	{
		/* A better order of instructions would take a tenth of the time. */
		Told order(kind == CODE_IN_REGISTERS, "enable-misched", "false");

		object.clear();
		codegen->run(M);
	}

	const Code kind;
	const std::string key; /* identifies what it was made for */
	std::unique_ptr<llvm::TargetMachine> target;
	llvm::TargetLibraryInfoImpl library;
	llvm::SmallString<0> object;
	llvm::raw_svector_ostream out;
	std::unique_ptr<llvm::legacy::PassManager> codegen;
};

/* The passes for one module. */
struct ObjectCode::Parts {
	explicit Parts(const llvm::TargetLibraryInfoImpl &library) : optnone(false)
	{
		optnone.registerCallbacks(callbacks);
		functions.registerPass([&library] { return llvm::TargetLibraryAnalysis(library); });
	}

	llvm::OptNoneInstrumentation optnone; /* __attribute__((optnone)) */
	llvm::PassInstrumentationCallbacks callbacks;
	llvm::LoopAnalysisManager loops;
	llvm::FunctionAnalysisManager functions;
	llvm::CGSCCAnalysisManager calls;
	llvm::ModuleAnalysisManager modules;
	llvm::ModulePassManager optimise;

	/* Must be called before another module may reuse addresses of this one. */
	void forget()
	{
		loops.clear();
		functions.clear();
		calls.clear();
		modules.clear();
	}
};

/* Machines that keep nothing of a module, for the next user. */
std::shared_ptr<ObjectCode::Machine> ObjectCode::shared[CODE_SHARED];
/* Machines that wait for their next module. */
std::unique_ptr<ObjectCode::Machine> ObjectCode::idle[CLANG_EFFORTS];

ObjectCode::ObjectCode(clang_effort effort) : effort(effort)
{
}

static bool has_loops(clang_effort effort)
{
	return effort == CLANG_LOOPS || effort == CLANG_NESTED || effort == CLANG_CPP;
}

ObjectCode::~ObjectCode()
{
	if (!reusable && shared[simple->kind] == simple)
		shared[simple->kind].reset();
	if (!reusable || !optimising)
		return;
	if (used == optimising.get())
		optimising->codegen.reset();
	idle[effort] = std::move(optimising);
}

const llvm::SmallString<0> &ObjectCode::object() const
{
	return used->object;
}

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
	to.EmitCallSiteInfo = from.EmitCallSiteInfo;
	to.EmitAddrsig = from.Addrsig;
	to.DebuggerTuning = from.getDebuggerTuning();
	to.MCOptions.MCUseDwarfDirectory = llvm::MCTargetOptions::EnableDwarfDirectory;
	to.MCOptions.ABIName = CI.getTargetOpts().ABI;
	return to;
}

std::string key_of(const CompilerInstance &CI)
{
	const TargetOptions &options = CI.getTargetOpts();

	return options.Triple + " " + options.CPU + " " + llvm::join(options.Features, ",");
}

std::unique_ptr<llvm::TargetMachine> target_machine(const CompilerInstance &CI, Code kind)
{
	const TargetOptions &options = CI.getTargetOpts();
	std::string error;
	const llvm::Target *target = llvm::TargetRegistry::lookupTarget(options.Triple, error);

	if (!target)
		return nullptr;
	return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
		options.Triple, options.CPU, llvm::join(options.Features, ","), target_options(CI),
		CI.getCodeGenOpts().RelocationModel, std::nullopt,
		kind == CODE_OPTIMISED ? llvm::CodeGenOptLevel::Default
				       : llvm::CodeGenOptLevel::None));
}

llvm::PipelineTuningOptions tuning_options(const CompilerInstance &CI)
{
	const CodeGenOptions &from = CI.getCodeGenOpts();
	llvm::PipelineTuningOptions to;

	to.LoopUnrolling = to.LoopInterleaving = from.UnrollLoops;
	to.LoopVectorization = from.VectorizeLoop;
	to.SLPVectorization = from.VectorizeSLP;
	return to;
}

/* Adds the passes of clang's -O2, or its -O0: always_inline functions of headers must be
 * inlined. */
void add_optimisations(llvm::ModulePassManager &passes, llvm::PassBuilder &builder,
		       clang_effort effort)
{
	/* Keeps the locations of variables in optimised loops. */
	if (has_loops(effort))
		builder.registerPipelineStartEPCallback(
			[](llvm::ModulePassManager &first, llvm::OptimizationLevel) {
				first.addPass(llvm::AssignmentTrackingPass());
			});
	if (effort != CLANG_ONCE && effort != CLANG_STEPS)
		passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
	else
		passes = builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
}

} // namespace

template <typename Pointer>
bool ObjectCode::make_ready(Pointer &machine, const CompilerInstance &CI, int kind)
{
	if (!machine || machine->key != key_of(CI)) {
		std::unique_ptr<llvm::TargetMachine> target = target_machine(CI, (Code)kind);

		machine = target ? std::make_unique<Machine>((Code)kind, key_of(CI),
							     std::move(target))
				 : nullptr;
	}
	return machine && machine->add_passes();
}

bool ObjectCode::take_machines(const CompilerInstance &CI)
{
	Code kind = has_loops(effort) ? CODE_IN_REGISTERS : CODE_PLAIN;

	if (!make_ready(shared[kind], CI, kind))
		return false;
	simple = shared[kind];
	used = simple.get();
	if (!has_loops(effort))
		return true;
	optimising = std::move(idle[effort]);
	if (!make_ready(optimising, CI, CODE_OPTIMISED))
		return false;
	used = optimising.get();
	return true;
}

std::unique_ptr<ObjectCode> ObjectCode::create(const CompilerInstance &CI, clang_effort effort)
{
	std::unique_ptr<ObjectCode> made(new ObjectCode(effort));

	if (!made->take_machines(CI))
		return nullptr;
	made->parts = std::make_unique<Parts>(made->used->library);
	Parts &p = *made->parts;

	llvm::PassBuilder builder(made->used->target.get(), tuning_options(CI), std::nullopt,
				  &p.callbacks);

	builder.registerModuleAnalyses(p.modules);
	builder.registerCGSCCAnalyses(p.calls);
	builder.registerFunctionAnalyses(p.functions);
	builder.registerLoopAnalyses(p.loops);
	builder.crossRegisterProxies(p.loops, p.functions, p.calls, p.modules);
	add_optimisations(p.optimise, builder, effort);
	made->reusable = true;
	return made;
}

bool ObjectCode::generate_short(const llvm::Module &M)
{
	if (!clang_may_have_short_loops(M))
		return false;
	std::unique_ptr<llvm::Module> copy = llvm::CloneModule(M);
	bool is_short = clang_simplify_short_loops(*copy, parts->modules);

	if (is_short) {
		used = simple.get();
		used->make_code(*copy);
	}
	parts->forget();
	return is_short;
}

/*
 * Leaves long statements that run once, and only once each, as they are: to optimise them, and to
 * put into them what they call, takes longer than it saves. Their calls go to code that is
 * optimised, and that later cells call, too. Few statements have what they call inlined: then a
 * report about memory that std::vector has taken names the line of the cell.
 */
static void leave_simple(llvm::Module &M)
{
	for (llvm::Function &F : M) {
		llvm::SmallVector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>>
			back;

		if (F.isDeclaration() || !clang_runs_once(F) ||
		    F.getInstructionCount() < LONG_STATEMENTS ||
		    F.hasFnAttribute(llvm::Attribute::AlwaysInline) || F.hasOptSize())
			continue;
		llvm::FindFunctionBackedges(F, back);
		if (!back.empty())
			continue;
		F.addFnAttr(llvm::Attribute::NoInline);
		F.addFnAttr(llvm::Attribute::OptimizeNone);
	}
}

void ObjectCode::generate(llvm::Module &M, Observer *observer)
{
	reusable = false;
	M.setDataLayout(used->target->createDataLayout());
	if (has_loops(effort) && generate_short(M))
		return;
	leave_simple(M);
	if (observer)
		observer->before(M);
	parts->optimise.run(M, parts->modules);
	if (observer)
		observer->optimised(M);
	used->make_code(M);
}

void ObjectCode::went_well()
{
	reusable = true;
}

#else

std::unique_ptr<ObjectCode> ObjectCode::create(const CompilerInstance &, clang_effort)
{
	return nullptr;
}

void ObjectCode::generate(llvm::Module &, Observer *)
{
}

void ObjectCode::went_well()
{
}

#endif
