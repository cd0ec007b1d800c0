/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Description of a name: clang parses up to the name, or into the arguments of a call, and looks it
 * up as the parser would. Nothing is listed, so that only what has this name is read from the
 * precompiled header.
 */
#include "compiler/clang/clang-cursor.hh"
#include "compiler/clang/job/clang-job.hh"
#include "compiler/clang/tree/clang-comment.hh"
#include "compiler/clang/tree/clang-types.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/CodeCompleteConsumer.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>

using namespace clang;

namespace
{

/* More overloads than these are counted. */
constexpr size_t overloads_shown = 12;
/* A longer type is shown by its first line. */
constexpr size_t type_lines_shown = 40;

std::string text_of(const SourceManager &SM, const LangOptions &options, SourceRange range)
{
	bool failed = false;
	StringRef text = Lexer::getSourceText(
		CharSourceRange::getTokenRange(SM.getExpansionLoc(range.getBegin()),
					       SM.getExpansionRange(range.getEnd()).getEnd()),
		SM, options, &failed);

	return failed ? "" : text.str();
}

std::string source_of(const NamedDecl *N)
{
	const ASTContext &C = N->getASTContext();
	const auto *F = N->getAsFunction();
	const auto *tag = dyn_cast<TagDecl>(N);
	const FunctionDecl *body = nullptr;
	const Decl *definition = N;

	if (F && F->hasBody(body))
		definition = body;
	else if (tag && tag->getDefinition())
		definition = tag->getDefinition();
	if (const TemplateDecl *T = definition->getDescribedTemplate())
		definition = T;
	return text_of(C.getSourceManager(), C.getLangOpts(), definition->getSourceRange());
}

/* Returns the declaration alone, without the body of a function. */
std::string code_of(const NamedDecl *N)
{
	const ASTContext &C = N->getASTContext();
	PrintingPolicy policy(C.getLangOpts());
	std::string text, source;
	llvm::raw_string_ostream stream(text);

	if (const auto *F = dyn_cast<FunctionDecl>(N); F && !C.getLangOpts().CPlusPlus)
		return clang_signature(F, clang_type_policy(C));
	policy.TerseOutput = policy.PolishForDeclaration = true;
	policy.ConstantsAsWritten = true;
	policy.SuppressUnwrittenScope = true;
	if (isa<TagDecl>(N) || isa<ClassTemplateDecl>(N)) {
		source = source_of(N);
		if (!source.empty() && (size_t)StringRef(source).count('\n') < type_lines_shown)
			return source;
	}
	N->print(stream, policy);
	return StringRef(stream.str()).rtrim().str();
}

/* Returns the class or enum that it is a part of; "": none. */
std::string parent_of(const NamedDecl *N)
{
	const auto *tag = dyn_cast<TagDecl>(N->getDeclContext());

	return tag ? clang_type_shown(N->getASTContext().getTagDeclType(tag).getAsString(
			     clang_type_policy(N->getASTContext())))
		   : "";
}

std::string kind_of(const NamedDecl *N)
{
	if (isa<FieldDecl>(N) || isa<IndirectFieldDecl>(N))
		return "member";
	if (isa_and_nonnull<CXXMethodDecl>(N->getAsFunction()))
		return "member function";
	if (N->getAsFunction())
		return N->getAsFunction()->hasAttr<CUDAGlobalAttr>() ? "CUDA kernel" : "function";
	if (isa<ParmVarDecl>(N))
		return "parameter";
	if (const auto *V = dyn_cast<VarDecl>(N))
		return V->isLocalVarDecl() ? "local variable" : "variable";
	if (isa<EnumConstantDecl>(N))
		return "constant";
	if (isa<TypedefNameDecl>(N))
		return "typedef";
	if (isa<NamespaceDecl>(N) || isa<NamespaceAliasDecl>(N))
		return "namespace";
	if (isa<ConceptDecl>(N))
		return "concept";
	if (isa<TypeDecl>(N) || isa<TemplateDecl>(N))
		return "type";
	return "name";
}

/* Answers one question: by a name, or by the call whose arguments the cursor is in. */
class DescriptionConsumer : public CodeCompleteConsumer
{
      public:
	DescriptionConsumer(const clang_job *job, StringRef name,
			    void (*found)(void *, const clang_description *))
	    : CodeCompleteConsumer(without_lists()), job(job), name(name), found(found),
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
					CodeCompletionResult *, unsigned) override
	{
		if (name.empty())
			return;
		std::vector<const NamedDecl *> all = look_up(S, context);

		if (!all.empty())
			describe(all);
		else if (context.getBaseType().isNull() && !context.getCXXScopeSpecifier())
			describe_macro(S);
	}

	void ProcessOverloadCandidates(Sema &S, unsigned argument, OverloadCandidate *candidates,
				       unsigned n, SourceLocation, bool braced) override
	{
		for (unsigned i = 0; name.empty() && i < n && i < overloads_shown; i++)
			describe_call(S, candidates[i], argument, braced);
	}

      private:
	const clang_job *job;
	StringRef name;
	void (*found)(void *, const clang_description *);
	CodeCompletionTUInfo info;

	/* What can stand at the place is not asked for; reading its names from the precompiled
	 * header takes 30 ms. */
	static CodeCompleteOptions without_lists()
	{
		CodeCompleteOptions options;

		options.IncludeGlobals = options.IncludeNamespaceLevelDecls = 0;
		options.LoadExternal = 0;
		return options;
	}

	std::vector<const NamedDecl *> look_up(Sema &S, CodeCompletionContext &context)
	{
		std::vector<const NamedDecl *> all;
		IdentifierInfo *id = &S.PP.getIdentifierTable().get(name);

		for (Sema::LookupNameKind kind :
		     { Sema::LookupOrdinaryName, Sema::LookupTagName, Sema::LookupMemberName,
		       Sema::LookupNestedNameSpecifierName }) {
			LookupResult R(S, id, SourceLocation(), kind);

			R.suppressDiagnostics();
			look_up_in(S, context, R);
			for (const NamedDecl *N : R)
				all.push_back(N->getUnderlyingDecl());
			if (!all.empty())
				break;
		}
		return all;
	}

	/* Looks into the class behind `.` and `->`, into what is in front of `::`, or outwards from
	 * the place. */
	static void look_up_in(Sema &S, CodeCompletionContext &context, LookupResult &R)
	{
		QualType base = context.getBaseType();

		if (auto scope = context.getCXXScopeSpecifier()) {
			CXXScopeSpec copy(**scope);

			if (DeclContext *D = S.computeDeclContext(copy, true))
				S.LookupQualifiedName(R, D);
		} else if (base.isNull()) {
			S.LookupName(R, S.getCurScope());
		} else {
			if (const auto *P = base->getAs<PointerType>())
				base = P->getPointeeType();
			if (const auto *T = base->getAs<RecordType>())
				S.LookupQualifiedName(R, T->getDecl());
		}
	}

	void place(const Decl *D, clang_description *ret)
	{
		const SourceManager &SM = D->getASTContext().getSourceManager();
		PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(D->getLocation()));

		ret->file = P.isValid() ? P.getFilename() : "";
		ret->line = P.isValid() ? P.getLine() : 0;
	}

	/* Describes the first one; further overloads are lines of `code`. */
	void describe(const std::vector<const NamedDecl *> &all)
	{
		std::string kind = kind_of(all[0]), parent = parent_of(all[0]), code, comment,
			    source = source_of(all[0]);
		clang_description d = {};

		d.clang = &all[0]->getASTContext();
		for (size_t i = 0; i < all.size() && i < overloads_shown; i++) {
			code += (i ? "\n" : "") + code_of(all[i]);
			if (comment.empty())
				comment = clang_comment_text(all[i]);
		}
		if (all.size() > overloads_shown)
			code += "\n// and " + std::to_string(all.size() - overloads_shown) +
				" more overloads";
		d.kind = kind.c_str();
		d.parent = parent.c_str();
		d.code = code.c_str();
		d.n_overloads = all.size();
		d.comment = comment.c_str();
		d.source = source.c_str();
		d.parameter = -1;
		place(all[0], &d);
		found(job->context, &d);
	}

	void describe_macro(Sema &S)
	{
		const MacroInfo *M = S.PP.getMacroInfo(&S.PP.getIdentifierTable().get(name));

		if (!M || M->isBuiltinMacro())
			return;
		SourceRange range(M->getDefinitionLoc(), M->getDefinitionEndLoc());
		std::string code = "#define " + text_of(S.SourceMgr, S.getLangOpts(), range);
		PresumedLoc P = S.SourceMgr.getPresumedLoc(M->getDefinitionLoc());
		clang_description d = {};

		d.clang = &S.Context;
		d.kind = "macro";
		d.parent = "";
		d.code = d.source = code.c_str();
		d.n_overloads = 1;
		d.comment = "";
		d.file = P.isValid() ? P.getFilename() : "";
		d.line = P.isValid() ? P.getLine() : 0;
		d.parameter = -1;
		found(job->context, &d);
	}

	void describe_call(Sema &S, OverloadCandidate &candidate, unsigned argument, bool braced)
	{
		const FunctionDecl *F = candidate.getFunction();
		CodeCompletionString *string = candidate.CreateSignatureString(
			argument, S, getAllocator(), info, false, braced);
		std::string code, kind, parent, comment, called;
		clang_description d = {};

		if (!string || (F && F->isImplicit()))
			return; /* C declares a function that it does not know by its call */
		add_chunks(*string, code, &d);
		d.clang = &S.Context;
		kind = F ? kind_of(F) : "call";
		parent = F ? parent_of(F) : "";
		comment = F ? clang_comment_text(F) : "";
		called = F ? F->getNameAsString() : "";
		d.kind = kind.c_str();
		d.parent = parent.c_str();
		d.code = code.c_str();
		d.n_overloads = 1;
		d.comment = comment.c_str();
		d.source = "";
		d.name = called.c_str();
		d.parameter = argument;
		d.file = "";
		if (F)
			place(F, &d);
		found(job->context, &d);
	}

	static void add_chunks(const CodeCompletionString &string, std::string &code,
			       clang_description *d)
	{
		for (const CodeCompletionString::Chunk &chunk : string) {
			size_t at = code.size();

			if (chunk.Kind == CodeCompletionString::CK_Optional) {
				add_chunks(*chunk.Optional, code, d);
				continue;
			}
			code += chunk.Text ? chunk.Text : "";
			if (chunk.Kind == CodeCompletionString::CK_ResultType && !code.empty() &&
			    code.back() != '*' && code.back() != '&')
				code += " ";
			if (chunk.Kind == CodeCompletionString::CK_CurrentParameter) {
				d->mark_begin = (unsigned)at;
				d->mark_end = (unsigned)code.size();
			}
		}
	}
};

} // namespace

void clang_shim_describe(const struct clang_job *job, const char *name, unsigned line,
			 unsigned column,
			 void (*found)(void *context, const struct clang_description *d))
{
	clang_parse_to(job, line, column, CLANG_WITHOUT_BODIES,
		       new DescriptionConsumer(job, name, found));
}

void clang_shim_comment(const struct clang_description *d, const char *text, size_t len,
			void *context, void (*found)(void *context, const char *comment))
{
	auto *C = static_cast<ASTContext *>(d->clang);

	found(context, clang_comment_text(*C, StringRef(text, len)).c_str());
}
