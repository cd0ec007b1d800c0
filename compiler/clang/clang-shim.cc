/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang's frontend and code generator in this process. A compilation copies the parsed options,
 * reads the text from memory and writes the object to memory; a consumer that sits before clang's
 * code generator sees each file-scope declaration first: it reports names and types, and turns the
 * displayed expression into a call. Differences between clang versions are kept to the few #if
 * below.
 */
#include "compiler/clang/job/clang-shim.h"

#include "compiler/clang/cells/clang-captures.hh"
#include "compiler/clang/cells/clang-pieces.hh"
#include "compiler/clang/cells/clang-statements.hh"
#include "compiler/clang/cells/clang-turns.hh"
#include "compiler/clang/code/object-code.hh"
#include "compiler/clang/device/clang-launches.hh"
#include "compiler/clang/headers/clang-header.hh"
#include "compiler/clang/headers/clang-instances.hh"
#include "compiler/clang/headers/clang-nodebug.hh"
#include "compiler/clang/headers/clang-reads.hh"
#include "compiler/clang/job/clang-complaints.hh"
#include "compiler/clang/job/clang-includes.hh"
#include "compiler/clang/job/clang-job.hh"
#include "compiler/clang/tree/clang-constants.hh"
#include "compiler/clang/tree/clang-cuda.hh"
#include "compiler/clang/tree/clang-display.hh"
#include "compiler/clang/tree/clang-publish.hh"
#include "compiler/clang/tree/clang-symbols.hh"
#include "compiler/clang/tree/clang-types.hh"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/Stack.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Frontend/Utils.h> /* DependencyCollector, createInvocation() */
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>
#include <functional>
#include <new>

#include <sys/stat.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "common/protocol/compiler-protocol.h"

using namespace clang;

namespace
{

/* Sees each file-scope declaration before clang's code generator does. */
class CellConsumer : public SemaConsumer
{
      public:
	CellConsumer(const clang_job *job, clang_result *result, bool is_header = false)
	    : job(job), result(result), is_header(is_header)
	{
	}

	/* Creates the consumer of a C++ cell. */
	CellConsumer(const clang_job *job, clang_result *result, std::unique_ptr<Pieces> pieces,
		     clang_symbol_of symbol_of)
	    : job(job), result(result), is_header(false), pieces(std::move(pieces)),
	      symbol_of(std::move(symbol_of))
	{
	}

	void InitializeSema(Sema &S) override
	{
		sema = &S;
	}

	/*
	 * Handles a function made of statements at file scope, which comes next; the value of the
	 * last statement is shown. In C++ main() runs before that.
	 */
	void take_statements(FunctionDecl *F, bool has_value)
	{
		const SourceManager &SM = sema->getSourceManager();

		statements = F;
		with_lambdas.push_back(F);
		result->has_run = !sema->getLangOpts().CPlusPlus;
		if (!has_whole_body(F))
			return;
		clang_cuda_check_variables(F->getBody(), *sema, has_value);
		clang_cuda_mark_results(F->getBody(), *sema);
		if (!has_value)
			return;
		result->display_offset = SM.getFileOffset(SM.getFileLoc(
			cast<CompoundStmt>(F->getBody())->body_back()->getBeginLoc()));
		if (sema->getLangOpts().CPlusPlus)
			result->has_run = job->run && clang_display_call_before(*sema, F, job->run);
		take(clang_display_body(*sema, F));
	}

	/* The result of parsing a C cell. */
	clang_turns turns;
	HeaderReads *reads = nullptr; /* borrowed */

	ASTDeserializationListener *GetASTDeserializationListener() override
	{
		return reads;
	}

	void ForgetSema() override
	{
		sema = nullptr;
	}

	/* Declarations of a precompiled header, not of the cell. */
	void HandleInterestingDecl(DeclGroupRef) override
	{
	}

	bool HandleTopLevelDecl(DeclGroupRef group) override
	{
		for (Decl *D : group) {
			auto *F = dyn_cast<FunctionDecl>(D);

			if (isa<TopLevelStmtDecl>(D) || (F && F == statements))
				continue;
			if (is_header && !sema->getLangOpts().CPlusPlus)
				clang_publish_inline(D, sema->getSourceManager());
			if (is_header && is_end_of_header(D))
				clang_define_virtual_tables(*sema);
			if (pieces) {
				if (is_of_earlier_cell(sema->getSourceManager(), D->getLocation(),
						       job))
					make_declaration(D);
				if (!is_of_earlier_cell(sema->getSourceManager(), D->getLocation(),
							job))
					with_lambdas.push_back(D);
				pieces->add(D);
				find_device_code(D);
				refuse_merged_array(D);
			}
			if (pieces && is_written_here(D)) {
				clang_cuda_check_host_code(D, *sema);
				clang_publish_references(D);
			} else if (F && !is_header && has_whole_body(F)) {
				if (!clang_cuda_is_for_device(F))
					clang_cuda_check_variables(F->getBody(), *sema, false);
				clang_cuda_mark_results(F->getBody(), *sema);
			}
			if (sema->getLangOpts().CPlusPlus && !is_header && !(F && is_run(F)))
				clang_publish_replaceable(D);
			if (sema->getLangOpts().CPlusPlus)
				declare_cpp(D);
			else if (auto *N = dyn_cast<NamedDecl>(D))
				declared.push_back(N);
		}
		return true;
	}

	void HandleTranslationUnit(ASTContext &C) override
	{
		if (is_header && sema) {
			clang_forget_warnings(*sema);
			clang_mark_nodebug(C);
		}
		if (job->edit && sema)
			for (Decl *D : with_lambdas) {
				clang_captures_report(C, D, job);
				clang_launches_report(C, D, job);
			}
		if (pieces && job->definition && C.getDiagnostics().hasErrorOccurred())
			pieces->report_definitions();
		/* After errors the tree is incomplete; a parse for names reports the complete
		 * declarations. */
		if (!job->symbol || (result && C.getDiagnostics().hasErrorOccurred()))
			return;
		if (pieces && sema) {
			pieces->report(*sema);
			report_entries();
		}
		auto values = clang_computed_constants(declared, turns.computed);

		for (NamedDecl *N : declared) {
			clang_turn turn = { turns.waiting.count(N) != 0,
					    turns.computed.count(N) != 0,
					    values.count(N) ? values[N] : "", "" };

			if (auto *tag = dyn_cast<TagDecl>(N); tag && !is_header && !pieces)
				turn.text = clang_turns_text(turns, tag, sema->getPreprocessor());
			if (is_header)
				clang_report_of_header(job, N);
			else
				clang_report_symbol(job, N, symbol_of, turn);
			if (pieces && job->function)
				clang_report_functions(job, N, symbol_of);
		}
	}

      private:
	const clang_job *job;
	clang_result *result;
	bool is_header;
	std::unique_ptr<Pieces> pieces; /* null: pieces are not asked for */
	clang_symbol_of symbol_of;      /* in the object that is made */
	Sema *sema = nullptr;
	FunctionDecl *statements = nullptr;
	std::vector<FunctionDecl *> entries;
	/* Declarations that may have lambdas which use variables of the session. */
	std::vector<Decl *> with_lambdas;
	std::vector<NamedDecl *> declared;

	static bool is_end_of_header(const Decl *D)
	{
		auto *R = dyn_cast<RecordDecl>(D);

		return R && R->getIdentifier() && R->getName() == CLANG_HEADER_END;
	}

	bool is_run(const FunctionDecl *F) const
	{
		return job->run && F->getDeclName().isIdentifier() && F->getName() == job->run;
	}

	/*
	 * Refuses `int a[] = { 1 };` behind the declaration of an earlier `a[5]`, whose size it
	 * would get: it is another variable, as one of another type is.
	 */
	void refuse_merged_array(Decl *D)
	{
		const SourceManager &SM = sema->getSourceManager();
		auto *V = dyn_cast<VarDecl>(D);
		const VarDecl *before = V && V->getInit() ? V->getPreviousDecl() : nullptr;

		if (!before || !isa<IncompleteArrayType>(V->getTypeSourceInfo()->getType()) ||
		    is_own_name(job, SM.getPresumedLoc(SM.getExpansionLoc(before->getLocation()))
					     .getFilename()))
			return;
		sema->Diag(V->getLocation(), diag::err_redefinition) << V;
		sema->Diag(before->getLocation(), diag::note_previous_definition);
	}

	/* Ignores definitions of earlier cells, but not new instances of their templates. */
	void find_device_code(Decl *D)
	{
		auto *F = dyn_cast<FunctionDecl>(D);
		size_t n = entries.size();
		bool is_instance = F && F->isTemplateInstantiation();
		bool found = (is_instance ||
			      is_of_cell(sema->getSourceManager(), D->getLocation(), job)) &&
			     clang_cuda_find_device_code(D, &entries);

		if (found && !result->has_device_code && job->device_code)
			job->device_code(job->context);
		result->has_device_code |= found;
		/* The line of a launch is that of the call of the stub. */
		for (; n < entries.size(); n++) {
			entries[n]->addAttr(NoInlineAttr::CreateImplicit(sema->Context));
			clang_cuda_check_entry(entries[n], *sema);
		}
	}

	void report_entries()
	{
		for (FunctionDecl *F : entries) {
			std::string stub = symbol_of(GlobalDecl(F, KernelReferenceKind::Stub)),
				    name = symbol_of(GlobalDecl(F, KernelReferenceKind::Kernel));
			PresumedLoc P = sema->getSourceManager().getPresumedLoc(F->getLocation());
			clang_kernel e = { name.c_str(), stub.c_str(),
					   P.isValid() ? P.getLine() : 0 };

			job->kernel(job->context, &e);
		}
	}

	/* Restricts work to the cell, since headers of C++ have thousands of functions. After an
	 * error the tree is incomplete. */
	bool is_written_here(const Decl *D) const
	{
		const SourceManager &SM = sema->getSourceManager();

		if (!result || D->isInvalidDecl() || sema->getDiagnostics().hasErrorOccurred())
			return false;
		PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(D->getLocation()));

		return P.isValid() && is_own_name(job, P.getFilename());
	}

	/* Tells whether it is a function of the cell with a valid body. */
	bool has_whole_body(const FunctionDecl *F) const
	{
		return F->doesThisDeclarationHaveABody() && F->getBody() &&
		       !F->isDependentContext() &&
		       (is_written_here(F) ||
			(is_run(F) && !sema->getDiagnostics().hasErrorOccurred()));
	}

	/*
	 * Gives a variable at file scope its plain name as symbol, as in C: clang would mangle
	 * some, as a std::string is marked with its ABI. Clang names the stand-ins of device
	 * variables.
	 */
	void declare_cpp(Decl *D)
	{
		auto *V = dyn_cast<VarDecl>(D);

		if (auto *L = dyn_cast<LinkageSpecDecl>(D)) {
			for (Decl *inner : L->decls())
				declare_cpp(inner);
			return;
		}
		if (V && !is_header)
			clang_publish_lambda(V);
		if (V && V->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
		    V->isExternallyVisible() && !V->hasAttr<AsmLabelAttr>() &&
		    !clang_cuda_is_of_device(V) && V->getIdentifier()) {
			std::string symbol = pieces ? pieces->symbol_of(V) : V->getName().str();

			if (!V->isExternC() || symbol != V->getName())
				V->addAttr(
					AsmLabelAttr::CreateImplicit(sema->Context, symbol, true));
		}
		if (auto *N = dyn_cast<NamedDecl>(D))
			declared.push_back(N);
	}

	void take(const clang_display &shown)
	{
		if (!shown.shows)
			return;
		result->display_type = strdup(shown.type.c_str());
		result->display_type_code = strdup(shown.type_code.c_str());
	}
};

/* Reads a cell and passes it to clang's code generator. */
class CellReader
{
      public:
	CellReader(const clang_job *job, clang_result *result, HeaderReads *reads)
	    : job(job), result(result), reads(reads)
	{
	}

	/* The job may be set later. */
	std::unique_ptr<ASTConsumer> in_front_of(std::unique_ptr<ASTConsumer> generator,
						 CompilerInstance &CI, clang_symbol_of symbol_of)
	{
		std::unique_ptr<Pieces> pieces;

		if (CI.getLangOpts().CPlusPlus)
			pieces = std::make_unique<Pieces>(CI, job, &place);
		auto cell = std::make_unique<CellConsumer>(job, result, std::move(pieces),
							   std::move(symbol_of));

		consumer = cell.get();
		cell->reads = reads;
		return clang_in_front(std::move(cell), std::move(generator));
	}

	void read(CompilerInstance &CI, TranslationUnitKind kind)
	{
		clang_read_members_to_guess(CI);
		CI.createSema(kind, nullptr);
		auto each = [this](FunctionDecl *F, bool has_value) {
			consumer->take_statements(F, has_value);
		};

		if (CI.getLangOpts().CPlusPlus)
			clang_statements_parse(CI.getSema(), job->statements, each, &place,
					       job->behind);
		else
			clang_turns_parse(CI.getSema(), job, &consumer->turns, each);
	}

      private:
	const clang_job *job;
	clang_result *result;
	HeaderReads *reads;
	CellConsumer *consumer = nullptr; /* owned by the compiler instance */
	clang_statements_place place;
};

class CompileAction : public HeaderLater<EmitObjAction>
{
      public:
	CompileAction(const clang_job *job, clang_result *result) : reader(job, result, nullptr)
	{
	}

      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
						       StringRef file) override
	{
		if (CI.getLangOpts().CPlusPlus)
			clang_publish_structors(CI.getCodeGenOpts());
		auto generator = EmitObjAction::CreateASTConsumer(CI, file);

		if (!generator)
			return nullptr;
		return reader.in_front_of(std::move(generator), CI, [this](GlobalDecl D) {
			return getCodeGenerator()->GetMangledName(D).str();
		});
	}

	void ExecuteAction() override
	{
		reader.read(getCompilerInstance(), getTranslationUnitKind());
	}

      private:
	CellReader reader;
};

/* An action that ends with an LLVM module, for ObjectCode. */
class ModuleAction : public HeaderLater<ASTFrontendAction>
{
      public:
	ModuleAction(const clang_job *job, clang_result *result, HeaderReads *reads)
	    : reader(job, result, reads)
	{
	}

	llvm::Module *module()
	{
		return generator ? generator->GetModule() : nullptr;
	}

	/* Declarations for module(), as long as that exists. */
	CodeGenerator &declarations()
	{
		return *generator;
	}

      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
						       StringRef file) override
	{
		context.setDiscardValueNames(CI.getCodeGenOpts().DiscardValueNames);
		context.setDiagnosticHandler(
			std::make_unique<clang_complaints>(CI.getDiagnostics()));
		generator = CreateLLVMCodeGen(CI.getDiagnostics(), file, &CI.getVirtualFileSystem(),
					      CI.getHeaderSearchOpts(), CI.getPreprocessorOpts(),
					      CI.getCodeGenOpts(), context);
		return reader.in_front_of(
			std::unique_ptr<ASTConsumer>(generator), CI,
			[this](GlobalDecl D) { return generator->GetMangledName(D).str(); });
	}

	void ExecuteAction() override
	{
		reader.read(getCompilerInstance(), getTranslationUnitKind());
	}

      private:
	CellReader reader;
	llvm::LLVMContext context;
	CodeGenerator *generator = nullptr; /* owned by the compiler instance */
};

class ParseAction : public SyntaxOnlyAction
{
      public:
	explicit ParseAction(const clang_job *job) : job(job)
	{
	}

      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, StringRef) override
	{
		return std::make_unique<CellConsumer>(job, nullptr);
	}

      private:
	const clang_job *job;
};

class HeaderAction : public GeneratePCHAction
{
      public:
	explicit HeaderAction(const clang_job *job) : job(job)
	{
	}

      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
						       StringRef file) override
	{
		auto writer = GeneratePCHAction::CreateASTConsumer(CI, file);

		if (!writer)
			return nullptr;
		return clang_in_front(std::make_unique<CellConsumer>(job, nullptr, true),
				      std::move(writer));
	}

	/* A fatal error, as of an include that is not there, ends the header: clang would parse on,
	 * and over the templates of the C++ library its parser then crashes. */
	void ExecuteAction() override
	{
		CompilerInstance &CI = getCompilerInstance();

		CI.getPreprocessor().setTokenWatcher([&CI](const Token &T) {
			if (CI.getDiagnostics().hasFatalErrorOccurred())
				clang_end_text(T);
		});
		GeneratePCHAction::ExecuteAction();
	}

	void EndSourceFileAction() override
	{
		if (job->symbol)
			report_macros(getCompilerInstance().getPreprocessor());
		GeneratePCHAction::EndSourceFileAction();
	}

      private:
	const clang_job *job;

	void report_macros(Preprocessor &PP)
	{
		for (const auto &entry : PP.macros(false)) {
			const MacroInfo *M = PP.getMacroInfo(entry.first);
			std::string body;
			clang_symbol s = {};

			if (!M)
				continue;
			if (M->getNumTokens())
				body = PP.getSpelling(*M->tokens_begin());
			s.kind = CLANG_MACRO;
			s.name = entry.first->getNameStart();
			s.type = body.c_str();
			s.declaration = s.type_code = "";
			job->symbol(job->context, &s);
		}
	}
};

class AllDependencies : public DependencyCollector
{
	bool needSystemDependencies() override
	{
		return true;
	}
};

char *copy_of(StringRef text)
{
	auto *p = (char *)malloc(text.size() + 1);

	if (p) {
		memcpy(p, text.data(), text.size());
		p[text.size()] = 0;
	}
	return p;
}

/* Enables AddressSanitizer's instrumentation with calls for all checks: its run-time is in the
 * worker. */
void use_checks(CompilerInstance &CI)
{
	static bool set;

	if (!set) {
		std::string shadow = "-asan-mapping-offset=" + std::to_string(SHADOW_BASE);
		const char *options[] = { "cgpu-compiler",
					  shadow.c_str(),
					  "-asan-instrumentation-with-call-threshold=0",
					  "-asan-max-inline-poisoning-size=0",
					  "-asan-globals=0",
					  "-asan-guard-against-version-mismatch=0" };

		llvm::cl::ParseCommandLineOptions(std::size(options), options);
		set = true;
	}
	CI.getLangOpts().Sanitize.set(SanitizerKind::Address, true);
	/* A block that is only written and freed would otherwise be optimised away, with its
	 * errors. */
	for (const char *name :
	     { "malloc", "calloc", "realloc", "aligned_alloc", "strdup", "free" })
		CI.getLangOpts().NoBuiltinFuncs.push_back(name);
	CI.getCodeGenOpts().SanitizeRecover.set(SanitizerKind::Address, true);
	CI.getCodeGenOpts().SanitizeAddressUseAfterScope = true;
	CI.getCodeGenOpts().DiscardValueNames = false; /* reports name locals */
	CI.getCodeGenOpts().setSanitizeAddressUseAfterReturn(
		llvm::AsanDetectStackUseAfterReturnMode::Never);
}

/*
 * A compilation in two steps. When begun, it has everything but the text: options, the precompiled
 * header, the code generator. That takes as long as the rest of a small cell, so one is begun ahead
 * in idle time.
 */
class Compilation
{
      public:
	/* given: the job that it is begun for, which hears why the header cannot be read; nullptr:
	 * it is begun ahead. */
	Compilation(const clang_options *options, clang_effort effort, const char *header,
		    const clang_job *given = nullptr)
	    : options(options), effort(effort), diagnostics(&job)
	{
		if (given)
			job = *given;
		job.options = options;
		clang_set_up(CI, diagnostics, options, { "", "cell" });
		CI.getFrontendOpts().ProgramAction = frontend::EmitObj;
		if (header)
			CI.getPreprocessorOpts().ImplicitPCHInclude = this->header = header;
		if (effort == CLANG_ONCE || effort == CLANG_STEPS)
			CI.getCodeGenOpts().OptimizationLevel = 0;
		/* Classes are described where they are used, also when no constructor of them is
		 * made here. */
		if (CI.getCodeGenOpts().getDebugInfo() ==
		    llvm::codegenoptions::DebugInfoConstructor)
			CI.getCodeGenOpts().setDebugInfo(llvm::codegenoptions::LimitedDebugInfo);
		if (effort == CLANG_NESTED)
			CI.getCodeGenOpts().VectorizeLoop = CI.getCodeGenOpts().VectorizeSLP =
				CI.getCodeGenOpts().UnrollLoops = true;
		if (given && given->checked)
			use_checks(CI);
		CI.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
		if (!CI.createTarget())
			return;
		path = CI.getPreprocessorOpts().ImplicitPCHInclude;
		loaded = clang_load_header(CI);
		choose_action();
		begun = action->BeginSourceFile(CI, CI.getFrontendOpts().Inputs[0]);
		if (effort == CLANG_CPP)
			reads.begin(this->header, loaded.version);
	}

	/* Reads ahead, before there is a cell. False: all that cells usually need is read. */
	bool read_ahead()
	{
		return begun && effort == CLANG_CPP && reads.read_ahead(CI);
	}

	~Compilation()
	{
		code.reset();
		if (begun)
			action->EndSourceFile();
		clang_result_release(&result);
	}

	bool fits(const clang_job *other) const
	{
		return begun && !CI.getDiagnostics().hasErrorOccurred() &&
		       effort == other->effort && !other->checked &&
		       fits(other->options, other->header);
	}

	bool fits(const clang_options *other, const char *other_header) const
	{
		return options == other && header == (other_header ? other_header : "") &&
		       loaded.version == clang_header_version_of(path);
	}

	int finish(const clang_job *given, clang_result *ret)
	{
		job = *given;
		if (!begun)
			return -1;
		reads.stop();
		SourceManager &SM = CI.getSourceManager();

		SM.setMainFileID(
			clang_file_of_text(SM, { StringRef(job.text, job.len), job.name }));
		if (code && job.instance) {
			instances = std::make_unique<Instances>(
				&job, static_cast<ModuleAction *>(action.get())->declarations());
			instances->watch(CI.getASTContext());
		}
		noteBottomOfStack();
		consumeError(action->Execute());
		if (code && !CI.getDiagnostics().hasErrorOccurred())
			make_code(*static_cast<ModuleAction *>(action.get()));
		if (CI.getDiagnostics().hasErrorOccurred())
			return -1;
		if (code)
			code->went_well();
		const llvm::SmallString<0> &made = code ? code->object() : object;

		result.object = copy_of(made);
		result.object_len = made.size();
		if (!result.object)
			return -1;
		*ret = result;
		result = {};
		return 0;
	}

	const clang_options *const options;
	const clang_effort effort;

      private:
	std::string header; /* of the job, "" for none */
	/* The precompiled header in use: that of the job, or the options' own one. */
	std::string path;
	clang_header loaded;

	clang_job job = {}; /* for the parts below */
	clang_result result = {};
	llvm::SmallString<0> object;
	CallbackDiagnostics diagnostics;
	HeaderReads reads;
	std::unique_ptr<Instances> instances;   /* null for a cell that shares no code */
	std::unique_ptr<FrontendAction> action; /* owns what the module lives in */
	CompilerInstance CI;
	std::unique_ptr<ObjectCode> code; /* null for clang's own pipeline */
	bool begun = false;

	void make_code(ModuleAction &made)
	{
		llvm::Module &M = *made.module();

		if (CI.getLangOpts().CPlusPlus)
			clang_publish_module(M);
		if (effort == CLANG_CPP)
			reads.keep(M, made.declarations(), job.given);
		if (instances)
			instances->take(M);
		code->generate(M, instances.get());
	}

	void choose_action()
	{
		if (effort != CLANG_FULL && options->own)
			code = ObjectCode::create(CI, effort);
		if (code)
			action = left_header(std::make_unique<ModuleAction>(&job, &result, &reads));
		else
			action = left_header(std::make_unique<CompileAction>(&job, &result));
	}

	template <typename Action> std::unique_ptr<Action> left_header(std::unique_ptr<Action> made)
	{
		made->leave_header(CI);
		return made;
	}
};

Compilation *ahead[CLANG_EFFORTS];
/* The last compilation; destroying it takes time too. */
Compilation *spent;

/* Begins a compilation ahead; options NULL: none. */
void begin_ahead(clang_effort effort, const clang_options *options, const char *header)
{
	Compilation *&waiting = ahead[effort];

	if (waiting && waiting->fits(options, header))
		return;
	delete waiting;
	waiting = options ? new Compilation(options, effort, header) : nullptr;
}

} /* namespace */

/* A text of a cell may be larger than any memory once its macros are expanded. */
static void on_no_memory(void)
{
	static const char text[] =
		"cgpu-compiler: the text of a cell needs more memory than there may be\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(COMPILER_EXIT_MEMORY);
}

void clang_shim_init(void)
{
	std::set_new_handler(on_no_memory);
	llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { on_no_memory(); });
	llvm::InitializeNativeTarget();
	llvm::InitializeNativeTargetAsmPrinter();
	llvm::InitializeNativeTargetAsmParser();
	LLVMInitializeNVPTXTargetInfo();
	LLVMInitializeNVPTXTarget();
	LLVMInitializeNVPTXTargetMC();
	LLVMInitializeNVPTXAsmPrinter();
}

const char *clang_shim_version(void)
{
	return CLANG_VERSION_STRING;
}

struct clang_options *clang_options_new(const char *const *argv, size_t n, char *text, size_t size)
{
	auto options = std::make_unique<clang_options>();
	TextDiagnosticBuffer complaints;
	IntrusiveRefCntPtr<DiagnosticOptions> diagnostic_options = new DiagnosticOptions();
	IntrusiveRefCntPtr<DiagnosticsEngine> diagnostics =
		new DiagnosticsEngine(new DiagnosticIDs(), diagnostic_options, &complaints, false);
	CreateInvocationOptions how;

	how.Diags = diagnostics;
	how.CC1Args = &options->cc1;
	std::unique_ptr<CompilerInvocation> invocation =
		createInvocation(llvm::ArrayRef(argv, n), how);
	if (!invocation || diagnostics->hasErrorOccurred()) {
		std::string all;

		for (auto it = complaints.err_begin(); it != complaints.err_end(); ++it)
			all += (all.empty() ? "" : "; ") + it->second;
		snprintf(text, size, "%s",
			 all.empty() ? "clang does not accept these options" : all.c_str());
		return nullptr;
	}
	/* Clang's default is for a process that ends after one compilation; this one goes on. */
	invocation->getFrontendOpts().DisableFree = false;
	invocation->getCodeGenOpts().DisableFree = false;
	invocation->getPreprocessorOpts().DisablePCHOrModuleValidation =
		DisableValidationForModuleKind::All;
	invocation->getPreprocessorOpts().AllowPCHWithCompilerErrors = false;
	invocation->getDiagnosticOpts().ShowCarets = false;
	options->language = invocation->getFrontendOpts().Inputs[0].getKind().getLanguage();
	options->invocation = std::move(invocation);
	return options.release();
}

void clang_options_free(struct clang_options *o)
{
	for (const Compilation *begun : ahead)
		if (begun && begun->options == o) {
			clang_shim_rest(nullptr, nullptr);
			clang_shim_rest_cpp(nullptr, nullptr);
		}
	delete o;
}

void clang_options_are_own(struct clang_options *o)
{
	o->own = true;
}

bool clang_shim_header_is_whole(const char *path)
{
	return clang_map_header(path).bytes != nullptr;
}

size_t clang_shim_header_chain(const char *path, void (*tell)(const char *path))
{
	clang_header header = clang_map_header(path);
	size_t n = 0;

	for (const clang_header *h = &header; h->base; h = h->base.get(), n++)
		if (tell)
			tell(h->base_path.c_str());
	return n;
}

const char *clang_options_header(const struct clang_options *o)
{
	return o->invocation->getPreprocessorOpts().ImplicitPCHInclude.c_str();
}

void clang_options_set_header(struct clang_options *o, const char *path)
{
	o->invocation->getPreprocessorOpts().ImplicitPCHInclude = path;
}

void clang_options_set_macros(struct clang_options *o, const char *text)
{
	static const char name[] =
		"/cgpu/flags.h"; /* absolute: not searched for in other folders */
	PreprocessorOptions &P = o->invocation->getPreprocessorOpts();

	/* The options keep the text, for every compilation. */
	P.RetainRemappedFileBuffers = true;
	P.addRemappedFile(name, llvm::MemoryBuffer::getMemBufferCopy(text, name).release());
	P.Includes.push_back(name);
}

char *clang_options_describe(const struct clang_options *o)
{
	std::string all;

	for (const StringRef argument : o->cc1)
		if (!argument.starts_with("-fdebug-compilation-dir=") &&
		    !argument.starts_with("-fcoverage-compilation-dir="))
			all += argument.str() + "\n";
	return copy_of(all);
}

int clang_shim_build_header(const struct clang_job *job, const char *path)
{
	HeaderAction action(job);
	auto files = std::make_shared<AllDependencies>();
	clang_header base;
	int failed = clang_execute(job, action, [&](CompilerInstance &CI) {
		CI.addDependencyCollector(files);
		clang_make_header(CI, job->options->language,
				  { StringRef(job->text, job->len), job->name }, path);
		CI.getPreprocessorOpts().ImplicitPCHInclude = job->header ? job->header : "";
		base = clang_load_header(CI);
	});

	for (const std::string &path : files->getDependencies())
		if (job->file)
			job->file(job->context, path.c_str());
	return failed;
}

int clang_shim_compile(const struct clang_job *job, struct clang_result *ret)
{
	Compilation *&waiting = ahead[job->effort];

	delete spent;
	if (waiting && waiting->fits(job)) {
		spent = waiting;
		waiting = nullptr;
	} else {
		spent = new Compilation(job->options, job->effort, job->header, job);
	}
	return spent->finish(job, ret);
}

void clang_shim_rest(const struct clang_options *options, const char *header)
{
	delete spent;
	spent = nullptr;
	for (int effort = CLANG_FULL + 1; effort < CLANG_CPP; effort++)
		begin_ahead((clang_effort)effort, options, header);
}

bool clang_shim_rest_cpp(const struct clang_options *options, const char *header)
{
	begin_ahead(CLANG_CPP, options, header);
	return ahead[CLANG_CPP] && ahead[CLANG_CPP]->read_ahead();
}

int clang_shim_parse(const struct clang_job *job)
{
	ParseAction action(job);

	return clang_execute(job, action, [&](CompilerInstance &CI) {
		CI.getFrontendOpts().ProgramAction = frontend::ParseSyntaxOnly;
		/* A caller that asks for names wants no similar ones. */
		CI.getLangOpts().SpellChecking = false;
		CI.getDiagnosticOpts().ErrorLimit = 0;
	});
}

void clang_result_release(struct clang_result *r)
{
	free(r->object);
	free(r->display_type);
	free(r->display_type_code);
	*r = {};
}
