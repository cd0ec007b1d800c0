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

class ConsumerOfBodies : public ASTConsumer
{
      public:
	bool shouldSkipFunctionBody(Decl *) override
	{
		return false;
	}
};

/* Parses a C cell, which has statements at file scope. */
class CursorAction : public SyntaxOnlyAction
{
      public:
	CursorAction(const clang_job *job, clang_bodies bodies) : job(job), bodies(bodies)
	{
	}

      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
						       StringRef file) override
	{
		return bodies == CLANG_WITH_BODIES ? std::make_unique<ConsumerOfBodies>()
						   : SyntaxOnlyAction::CreateASTConsumer(CI, file);
	}

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
	clang_bodies bodies;
};

} // namespace

void clang_parse_to(const clang_job *job, unsigned line, unsigned column, clang_bodies bodies,
		    CodeCompleteConsumer *consumer)
{
	CursorAction action(job, bodies);

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
