/* SPDX-License-Identifier: Apache-2.0 */
/* Clang's code completion ends the text at a place; the consumer is called there with the parser's
 * state. */
#include "compiler/clang/clang-cursor.hh"

#include "compiler/clang/cells/clang-turns.hh"
#include "compiler/clang/job/clang-job.hh"

#include <clang/Frontend/FrontendActions.h>
#include <clang/Sema/Sema.h>

using namespace clang;

namespace
{

/* Parses a C cell, which has statements at file scope. */
class CursorAction : public SyntaxOnlyAction
{
      public:
	explicit CursorAction(const clang_job *job) : job(job)
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

} // namespace

void clang_parse_to(const clang_job *job, unsigned line, unsigned column,
		    CodeCompleteConsumer *consumer)
{
	CursorAction action(job);

	clang_execute(job, action, [&](CompilerInstance &CI) {
		auto *buffer = llvm::MemoryBuffer::getMemBufferCopy(StringRef(job->text, job->len),
								    "cell.c")
				       .release();

		CI.getFrontendOpts().ProgramAction = frontend::ParseSyntaxOnly;
		CI.getPreprocessorOpts().addRemappedFile("cell.c", buffer);
		CI.getFrontendOpts().Inputs = { FrontendInputFile(
			"cell.c", InputKind(job->options->language)) };
		CI.getFrontendOpts().CodeCompletionAt = { "cell.c", line, column };
		CI.setCodeCompletionConsumer(consumer);
	});
}
