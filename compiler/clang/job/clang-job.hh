/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that every run of clang over a job needs: the parsed options, and diagnostics for the
 * job's callback. For clang-*.cc alone. */
#ifndef CGPU_COMPILER_CLANG_JOB_HH
#define CGPU_COMPILER_CLANG_JOB_HH

#include "compiler/clang/job/clang-diagnostic.hh"
#include "compiler/clang/job/clang-files.hh"
#include "compiler/clang/job/clang-hints.hh"
#include "compiler/clang/job/clang-includes.hh"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/clang/job/clang-std.hh"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>
#include <vector>

struct clang_options {
	std::shared_ptr<clang::CompilerInvocation> invocation;
	clang::Language language;
	bool own; /* clang_options_are_own() */
	std::vector<std::string> cc1;
};

/* Passes diagnostics to the callback. */
class CallbackDiagnostics : public clang::DiagnosticConsumer
{
      public:
	explicit CallbackDiagnostics(const clang_job *job) : job(job)
	{
	}

	void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
			      const clang::Diagnostic &info) override
	{
		clang::DiagnosticConsumer::HandleDiagnostic(level, info);
		if (!job || !job->diagnostic || level == clang::DiagnosticsEngine::Ignored ||
		    level == clang::DiagnosticsEngine::Remark)
			return;
		llvm::SmallString<256> message;
		std::string option =
			clang::DiagnosticIDs::getWarningOptionForDiag(info.getID()).str();
		std::string flag = option.empty() ? "" : "-W" + option;
		clang_diagnostic d = {};

		if (info.getID() == clang::diag::ext_return_has_expr && clang_is_run(info))
			message = "a cell should not return a value";
		else
			info.FormatDiagnostic(message);
		d.severity = level == clang::DiagnosticsEngine::Note      ? CLANG_NOTE
			     : level == clang::DiagnosticsEngine::Warning ? CLANG_WARNING
									  : CLANG_ERROR;
		d.kind = clang_kind_of(info.getID());
		std::string name = clang_name_of(info), incomplete = clang_incomplete_of(info),
			    guess = clang_guess_of(info);

		d.name = name.empty() ? nullptr : name.c_str();
		d.guess = guess.empty() ? nullptr : guess.c_str();
		d.incomplete = incomplete.empty() ? nullptr : incomplete.c_str();
		d.wanted = clang_wanted_of(info);
		d.in_syntax = clang_is_of_parser(info.getID());
		d.flag = flag.c_str();
		d.file = "";
		d.offset = d.range_begin = d.range_end = -1;
		std::string source, header = level >= clang::DiagnosticsEngine::Error
						     ? clang_std_header(info)
						     : "";

		/* The header of the name is known, so clang's guess among declared names is
		 * wrong. */
		if (!header.empty())
			message = clang_text_without_guess(info);
		std::string hint = clang_hint(info), macro;

		d.message = message.c_str();
		d.header = header.empty() ? nullptr : header.c_str();
		d.hint = hint.empty() ? nullptr : hint.c_str();
		if (info.hasSourceManager() && info.getLocation().isValid()) {
			place(info, &d);
			macro = outer_macro(info.getSourceManager(), info.getLocation());
			d.macro = macro.empty() ? nullptr : macro.c_str();
			d.is_of_flags = is_of_flags(info.getSourceManager(), info.getLocation());
			source = place_include(info.getSourceManager(), info.getLocation(), &d);
			d.source = d.include_file ? source.c_str() : nullptr;
		}
		job->diagnostic(job->context, &d);
	}

      private:
	const clang_job *job;

	/* Returns the macro whose text contains this place, as the cell spells it; "": none, or the
	 * place is in an argument. */
	static std::string outer_macro(const clang::SourceManager &SM, clang::SourceLocation L)
	{
		std::string name;

		for (; L.isMacroID(); L = SM.getImmediateMacroCallerLoc(L))
			name = SM.isMacroArgExpansion(L) ? ""
							 : clang::Lexer::getImmediateMacroName(
								   L, SM, clang::LangOptions())
								   .str();
		return name;
	}

	/* Returns the offset in the main text: a place in the arguments of a macro is where it is
	 * written, one in the macro's text is where the macro is used. */
	static long main_offset(const clang::SourceManager &SM, clang::SourceLocation L)
	{
		auto where = SM.getDecomposedLoc(SM.getFileLoc(L));

		return where.first == SM.getMainFileID() ? (long)where.second : -1;
	}

	void place(const clang::Diagnostic &info, clang_diagnostic *d)
	{
		const clang::SourceManager &SM = info.getSourceManager();
		clang::PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(info.getLocation()));

		if (P.isValid()) {
			d->file = P.getFilename();
			d->line = P.getLine();
			d->column = P.getColumn();
		}
		d->in_system_header = SM.isInSystemHeader(SM.getFileLoc(info.getLocation()));
		d->offset = main_offset(SM, info.getLocation());
		if (info.getNumRanges() && info.getRange(0).isValid()) {
			clang::CharSourceRange R = info.getRange(0);
			clang::SourceLocation end =
				SM.isMacroArgExpansion(R.getEnd())
					? SM.getFileLoc(R.getEnd())
					: SM.getExpansionRange(R.getEnd()).getEnd();

			d->range_begin = main_offset(SM, R.getBegin());
			d->range_end = main_offset(SM, end);
			if (d->range_end >= 0 && R.isTokenRange() && job->options)
				d->range_end += clang::Lexer::MeasureTokenLength(
					end, SM, clang::LangOptions());
		}
	}
};

/* Combines two consumers: the first one sees each declaration before the second one, which
 * generates code. */
inline std::unique_ptr<clang::ASTConsumer>
clang_in_front(std::unique_ptr<clang::ASTConsumer> first,
	       std::unique_ptr<clang::ASTConsumer> second)
{
	std::vector<std::unique_ptr<clang::ASTConsumer>> both;

	both.push_back(std::move(first));
	both.push_back(std::move(second));
	return std::make_unique<clang::MultiplexConsumer>(std::move(both));
}

/*
 * Makes a file of a text in memory, which must live as long as SM. Without one, clang 19 crashes
 * over `#embed` and `__has_embed` in it, since both are looked for beside the file, and over checks
 * of memory, which name it.
 */
inline clang::FileID clang_file_of_text(clang::SourceManager &SM, llvm::MemoryBufferRef text)
{
	clang::FileEntryRef file = SM.getFileManager().getVirtualFileRef(
		text.getBufferIdentifier(), (off_t)text.getBufferSize(), 0);

	SM.overrideFileContents(file, text);
	return SM.createFileID(file, clang::SourceLocation(), clang::SrcMgr::C_User);
}

/* Turns a token, which the preprocessor's watcher has just got, into the end of the text: what the
 * parser reads next is turned likewise. */
inline void clang_end_text(const clang::Token &T)
{
	auto &end = const_cast<clang::Token &>(T);
	clang::SourceLocation at = T.getLocation();

	end.startToken();
	end.setKind(clang::tok::eof);
	end.setLocation(at);
}

/* Sets up what every run of clang needs: the options, the destination of diagnostics, the input. */
inline void clang_set_up(clang::CompilerInstance &CI, CallbackDiagnostics &diagnostics,
			 const clang_options *options, llvm::MemoryBufferRef text)
{
	CI.setInvocation(std::make_shared<clang::CompilerInvocation>(*options->invocation));
#if CLANG_VERSION_MAJOR >= 20
	CI.createDiagnostics(*llvm::vfs::getRealFileSystem(), &diagnostics, false);
#else
	CI.createDiagnostics(&diagnostics, false);
#endif
	CI.createFileManager(clang_files());
	CI.setVerboseOutputStream(llvm::nulls());
	CI.getFrontendOpts().Inputs = { clang::FrontendInputFile(
		text, clang::InputKind(options->language)) };
}

/* Gives CI the job's text as a file, see clang_file_of_text(). */
inline void clang_read_file(clang::CompilerInstance &CI, const clang_job *job)
{
	auto text = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(job->text, job->len),
						     job->name, false);

	CI.getPreprocessorOpts().addRemappedFile(job->name, text.release());
	CI.getFrontendOpts().Inputs = { clang::FrontendInputFile(
		job->name, clang::InputKind(job->options->language)) };
}

/* Runs clang over the job's text. prepare() may change the options of this run. */
template <typename Prepare>
int clang_execute(const clang_job *job, clang::FrontendAction &action, Prepare prepare)
{
	clang::CompilerInstance CI;
	CallbackDiagnostics diagnostics(job);

	clang_set_up(CI, diagnostics, job->options,
		     { llvm::StringRef(job->text, job->len), job->name });
	clang_read_file(CI, job);
	if (job->header)
		CI.getPreprocessorOpts().ImplicitPCHInclude = job->header;
	prepare(CI);
	bool ok = CI.ExecuteAction(action) && !CI.getDiagnostics().hasErrorOccurred();

	return ok ? 0 : -1;
}

#endif
