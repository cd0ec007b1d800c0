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
		bool in_path = context.getKind() == CodeCompletionContext::CCC_IncludedFile;
		StringRef word = in_path ? split_path().second : prefix;

		if (in_path)
			add_cuda_headers(S);
		for (unsigned i = 0; i < n; i++) {
			CodeCompletionResult &R = results[i];

			if (R.Availability != CXAvailability_Available &&
			    R.Availability != CXAvailability_Deprecated)
				continue;
			if (name_of(R).empty() || !name_of(R).starts_with(word))
				continue;
			report(S, context, R);
		}
	}

      private:
	const clang_job *job;
	StringRef prefix;
	void (*found)(void *, const clang_completion *);
	CodeCompletionTUInfo info;

	/* Splits the path of an #include: the folder with its slash, without the bracket in front,
	 * and the rest. */
	std::pair<StringRef, StringRef> split_path() const
	{
		StringRef path = prefix.drop_front();
		size_t slash = path.rfind('/'), at = slash == StringRef::npos ? 0 : slash + 1;

		return { path.substr(0, at), path.substr(at) };
	}

	/* Adds headers of CUDA C++, which clang does not take for headers. */
	void add_cuda_headers(Sema &S)
	{
		bool quoted = prefix.starts_with("\"");

		if (quoted)
			add_cuda_headers_in(S, ".", "\"");
		for (const DirectoryLookup &one : S.PP.getHeaderSearchInfo().search_dir_range())
			if (one.isNormalDir())
				add_cuda_headers_in(S, one.getName(), quoted ? "\"" : ">");
	}

	void add_cuda_headers_in(Sema &S, StringRef root, StringRef close)
	{
		auto [folder, word] = split_path();
		llvm::SmallString<128> path(root);
		std::error_code problem;

		llvm::sys::path::append(path, folder);
		llvm::vfs::FileSystem &files =
			S.getSourceManager().getFileManager().getVirtualFileSystem();
		for (auto at = files.dir_begin(path, problem),
			  end = llvm::vfs::directory_iterator();
		     !problem && at != end; at.increment(problem)) {
			StringRef name = llvm::sys::path::filename(at->path());
			std::string text = (name + close).str();
			clang_completion c = { text.c_str(), "file", "", text.c_str(),
					       CCP_CodePattern };

			if (name.ends_with(".cuh") && name.starts_with(word))
				found(job->context, &c);
		}
	}

	static StringRef name_of(const CodeCompletionResult &R)
	{
		switch (R.Kind) {
		case CodeCompletionResult::RK_Declaration:
			return R.Declaration->getIdentifier() ? R.Declaration->getName() : "";
		case CodeCompletionResult::RK_Macro:
			return R.Macro->getName();
		case CodeCompletionResult::RK_Keyword:
			return R.Keyword;
		case CodeCompletionResult::RK_Pattern:
			return R.Pattern->getTypedText() ? R.Pattern->getTypedText() : "";
		}
		return "";
	}

	/* A pattern is a statement or an operator with what belongs to it, or a header. */
	static const char *kind_of(const CodeCompletionContext &context,
				   const CodeCompletionResult &R)
	{
		if (context.getKind() == CodeCompletionContext::CCC_IncludedFile)
			return name_of(R).ends_with("/") ? "folder" : "file";
		if (R.Kind == CodeCompletionResult::RK_Pattern)
			return "keyword";
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
			} else if (chunk.Kind == CodeCompletionString::CK_VerticalSpace ||
				   chunk.Kind == CodeCompletionString::CK_HorizontalSpace) {
				signature += StringRef(signature).ends_with(" ") ? "" : " ";
			} else if (chunk.Text) {
				signature += chunk.Text;
			}
		}
		c.text = name.c_str();
		c.kind = kind_of(context, R);
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
	options.IncludeCodePatterns = 1; /* such as `while`, which it has no other entry for */
	options.IncludeGlobals = 1;
	/* C names of headers are known without clang; members of namespaces are not. */
	options.LoadExternal = job->options->language != Language::C;
	clang_parse_to(job, line, column, CLANG_WITHOUT_BODIES,
		       new CompletionConsumer(job, prefix, options, found));
}
