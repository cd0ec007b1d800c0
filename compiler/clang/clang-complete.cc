/* SPDX-License-Identifier: Apache-2.0 */
/* Completion: clang parses up to the cursor and reports the candidates there. */
#include "compiler/clang/clang-cursor.hh"
#include "compiler/clang/job/clang-job.hh"

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
			R.CreateCodeCompletionString(S, context, getAllocator(), info, false);
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
		c.priority = R.Priority;
		found(job->context, &c);
	}
};

} /* namespace */

void clang_shim_complete(const struct clang_job *job, const char *prefix, unsigned line,
			 unsigned column,
			 void (*found)(void *context, const struct clang_completion *c))
{
	CodeCompleteOptions options;

	options.IncludeMacros = 0;
	options.IncludeGlobals = 1;
	/* C names of headers are known without clang; members of namespaces are not. */
	options.LoadExternal = job->options->language != Language::C;
	clang_parse_to(job, line, column, new CompletionConsumer(job, prefix, options, found));
}
