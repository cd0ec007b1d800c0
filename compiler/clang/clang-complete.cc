/* SPDX-License-Identifier: Apache-2.0 */
/* Completion: clang parses up to the cursor and reports the candidates there. */
#include "compiler/clang/cells/clang-turns.hh"
#include "compiler/clang/job/clang-job.hh"

#include <clang/Frontend/FrontendActions.h>
#include <clang/Sema/CodeCompleteConsumer.h>
#include <clang/Sema/Sema.h>

using namespace clang;

namespace
{

class CompletionConsumer : public CodeCompleteConsumer
{
      public:
	CompletionConsumer(const clang_job *job, const char *prefix,
			   const CodeCompleteOptions &options,
			   void (*found)(void *, const clang_completion *))
	    : CodeCompleteConsumer(options), job(job), prefix(prefix), found(found),
	      info(std::make_shared<GlobalCodeCompletionAllocator>())
	{
	}

	CodeCompletionAllocator &getAllocator() override
	{
		return info.getAllocator();
	}

	CodeCompletionTUInfo &getCodeCompletionTUInfo() override
	{
		return info;
	}

	void ProcessCodeCompleteResults(Sema &S, CodeCompletionContext context,
					CodeCompletionResult *results, unsigned n) override
	{
		for (unsigned i = 0; i < n; i++) {
			CodeCompletionResult &R = results[i];

			if (R.Availability != CXAvailability_Available &&
			    R.Availability != CXAvailability_Deprecated)
				continue;
			if (R.Kind == CodeCompletionResult::RK_Pattern ||
			    !name_of(R).starts_with(prefix))
				continue;
			report(S, context, R);
		}
	}

      private:
	const clang_job *job;
	StringRef prefix;
	void (*found)(void *, const clang_completion *);
	CodeCompletionTUInfo info;

	static StringRef name_of(const CodeCompletionResult &R)
	{
		switch (R.Kind) {
		case CodeCompletionResult::RK_Declaration:
			return R.Declaration->getIdentifier() ? R.Declaration->getName() : "";
		case CodeCompletionResult::RK_Macro:
			return R.Macro->getName();
		case CodeCompletionResult::RK_Keyword:
			return R.Keyword;
		default:
			return "";
		}
	}

	static const char *kind_of(const CodeCompletionResult &R)
	{
		if (R.Kind == CodeCompletionResult::RK_Macro)
			return "macro";
		if (R.Kind == CodeCompletionResult::RK_Keyword)
			return "keyword";
		if (isa<FieldDecl>(R.Declaration) || isa<IndirectFieldDecl>(R.Declaration))
			return "member";
		if (R.Declaration->getAsFunction())
			return "function";
		return isa<TypeDecl, TemplateDecl, NamespaceDecl>(R.Declaration) ? "type"
										 : "variable";
	}

	void report(Sema &S, const CodeCompletionContext &context, CodeCompletionResult &R)
	{
		CodeCompletionString *string =
			R.CreateCodeCompletionString(S, context, getAllocator(), info, true);
		std::string name = name_of(R).str(), type, signature;
		clang_completion c = {};

		for (const CodeCompletionString::Chunk &chunk : *string) {
			if (chunk.Kind == CodeCompletionString::CK_ResultType) {
				type = chunk.Text;
				signature += type + (type.empty() || type.back() == '*' ? "" : " ");
			} else if (chunk.Kind == CodeCompletionString::CK_Optional) {
				signature += "...";
			} else if (chunk.Text) {
				signature += chunk.Text;
			}
		}
		c.text = name.c_str();
		c.kind = kind_of(R);
		c.type = type.c_str();
		c.signature = signature.c_str();
		c.comment = string->getBriefComment() ? string->getBriefComment() : "";
		c.priority = R.Priority;
		found(job->context, &c);
	}
};

/* Parses a C cell, which has statements at file scope. */
class CompleteAction : public SyntaxOnlyAction
{
      public:
	explicit CompleteAction(const clang_job *job) : job(job)
	{
	}

      protected:
	void ExecuteAction() override
	{
		CompilerInstance &CI = getCompilerInstance();
		clang_turns turns;

		if (CI.getLangOpts().CPlusPlus) {
			SyntaxOnlyAction::ExecuteAction();
			return;
		}
		CI.createCodeCompletionConsumer();
		CI.createSema(getTranslationUnitKind(), &CI.getCodeCompletionConsumer());
		clang_turns_parse(CI.getSema(), job, &turns, [](FunctionDecl *, bool) {});
	}

      private:
	const clang_job *job;
};

} /* namespace */

void clang_shim_complete(const struct clang_job *job, const char *prefix, unsigned line,
			 unsigned column,
			 void (*found)(void *context, const struct clang_completion *c))
{
	CompleteAction action(job);

	clang_execute(job, action, [&](CompilerInstance &CI) {
		CodeCompleteOptions options;
		auto *buffer = llvm::MemoryBuffer::getMemBufferCopy(StringRef(job->text, job->len),
								    "cell.c")
				       .release();

		options.IncludeMacros = 0;
		options.IncludeGlobals = 1;
		/* C names of headers are known without clang; members of namespaces are not. */
		options.LoadExternal = job->options->language != Language::C;
		options.IncludeBriefComments = 1;
		CI.getFrontendOpts().ProgramAction = frontend::ParseSyntaxOnly;
		CI.getPreprocessorOpts().addRemappedFile("cell.c", buffer);
		CI.getFrontendOpts().Inputs = { FrontendInputFile(
			"cell.c", InputKind(job->options->language)) };
		CI.getFrontendOpts().CodeCompletionAt = { "cell.c", line, column };
		CI.getFrontendOpts().CodeCompleteOpts = options;
		CI.setCodeCompletionConsumer(new CompletionConsumer(job, prefix, options, found));
	});
}
