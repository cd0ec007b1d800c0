/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang's frontend and code generator in this process. A compilation copies the parsed options,
 * reads the text from memory and writes the object to memory; a consumer that sits before clang's
 * code generator sees each file-scope declaration first: it reports names and types, and turns the
 * displayed expression into a call. Differences between clang versions are kept to the few #if
 * below.
 */
#include "compiler/clang-shim.h"

#include "compiler/clang-types.hh"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/Stack.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Frontend/Utils.h> /* DependencyCollector, createInvocation() */
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/CodeCompleteConsumer.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>

using namespace clang;

struct clang_options {
	std::shared_ptr<CompilerInvocation> invocation;
	Language language;
	std::vector<std::string> cc1;
};

namespace
{

/* Diagnostics to the callback. */
class CallbackDiagnostics : public DiagnosticConsumer
{
      public:
	explicit CallbackDiagnostics(const clang_job *job) : job(job)
	{
	}

	void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) override
	{
		DiagnosticConsumer::HandleDiagnostic(level, info);
		if (!job || !job->diagnostic || level == DiagnosticsEngine::Ignored ||
		    level == DiagnosticsEngine::Remark)
			return;
		llvm::SmallString<256> message;
		std::string option = DiagnosticIDs::getWarningOptionForDiag(info.getID()).str();
		std::string flag = option.empty() ? "" : "-W" + option;
		clang_diagnostic d = {};

		info.FormatDiagnostic(message);
		d.severity = level == DiagnosticsEngine::Note	   ? CLANG_NOTE
			     : level == DiagnosticsEngine::Warning ? CLANG_WARNING
								   : CLANG_ERROR;
		d.message = message.c_str();
		d.flag = flag.c_str();
		d.file = "";
		d.offset = d.range_begin = d.range_end = -1;
		if (info.hasSourceManager() && info.getLocation().isValid())
			place(info, &d);
		job->diagnostic(job->context, &d);
	}

      private:
	const clang_job *job;

	static long main_offset(const SourceManager &SM, SourceLocation L)
	{
		auto where = SM.getDecomposedExpansionLoc(L);

		return where.first == SM.getMainFileID() ? (long)where.second : -1;
	}

	void place(const Diagnostic &info, clang_diagnostic *d)
	{
		const SourceManager &SM = info.getSourceManager();
		PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(info.getLocation()));

		if (P.isValid()) {
			d->file = P.getFilename();
			d->line = P.getLine();
			d->column = P.getColumn();
		}
		d->offset = main_offset(SM, info.getLocation());
		if (info.getNumRanges() && info.getRange(0).isValid()) {
			CharSourceRange R = info.getRange(0);
			SourceLocation end = SM.getExpansionRange(R.getEnd()).getEnd();

			d->range_begin = main_offset(SM, R.getBegin());
			d->range_end = main_offset(SM, end);
			if (d->range_end >= 0 && R.isTokenRange() && job->options)
				d->range_end += Lexer::MeasureTokenLength(end, SM, LangOptions());
		}
	}
};

/* Sees each file-scope declaration before clang's code generator does. */
class CellConsumer : public SemaConsumer
{
      public:
	CellConsumer(const clang_job *job, clang_result *result, bool is_header = false)
	    : job(job), result(result), is_header(is_header)
	{
	}

	void InitializeSema(Sema &S) override
	{
		sema = &S;
	}

	void ForgetSema() override
	{
		sema = nullptr;
	}

	/* Of a precompiled header: nothing of the cell's. */
	void HandleInterestingDecl(DeclGroupRef) override
	{
	}

	bool HandleTopLevelDecl(DeclGroupRef group) override
	{
		for (Decl *D : group) {
			auto *F = dyn_cast<FunctionDecl>(D);

			if (sema->getLangOpts().CPlusPlus)
				declare_cpp(D);
			else if (F && job->run && F->hasBody() && F->getName() == job->run) {
				run = F;
				if (job->display && !sema->getDiagnostics().hasErrorOccurred())
					display(F);
			} else if (auto *N = dyn_cast<NamedDecl>(D)) {
				declared.push_back(N);
			}
		}
		return true;
	}

	void HandleTranslationUnit(ASTContext &C) override
	{
		/* After errors the tree has holes; a parse that asks for names takes what is whole.
		 */
		if (!job->symbol || (result && C.getDiagnostics().hasErrorOccurred()))
			return;
		for (NamedDecl *N : declared) {
			if (is_header)
				report_header(C, N);
			else if (!C.getLangOpts().CPlusPlus || is_for_c(N))
				report(C, N, false);
		}
		if (run)
			for (Decl *D : run->decls())
				if (auto *V = dyn_cast<VarDecl>(D))
					report(C, V, true);
	}

      private:
	const clang_job *job;
	clang_result *result;
	bool is_header;
	Sema *sema = nullptr;
	FunctionDecl *run = nullptr;
	std::vector<NamedDecl *> declared;

	static bool is_whole(const NamedDecl *N)
	{
		const auto *V = dyn_cast<ValueDecl>(N);

		if (N->isInvalidDecl())
			return false;
		return !V || (!V->getType().isNull() && !V->getType()->isDependentType() &&
			      !V->getType()->containsErrors() && !V->getType()->isUndeducedType());
	}

	void report_name(clang_symbol_kind kind, const NamedDecl *N, const std::string &declaration)
	{
		std::string name = N->getNameAsString();
		clang_symbol s = {};

		if (name.empty())
			return;
		s.kind = kind;
		s.name = name.c_str();
		s.type = s.type_code = "";
		s.declaration = declaration.c_str();
		job->symbol(job->context, &s);
	}

	/* "int printf(const char *format, ...)" */
	static std::string signature(const FunctionDecl *F, const PrintingPolicy &policy)
	{
		std::string s = F->getReturnType().getAsString(policy);

		s += (s.back() == '*' ? "" : " ") + F->getNameAsString() + "(";
		for (const ParmVarDecl *P : F->parameters()) {
			std::string parameter = P->getNameAsString();
			bool reserved = parameter.rfind("__", 0) == 0;

			if (reserved)
				parameter.erase(0, 2);
			P->getOriginalType().getAsStringInternal(parameter, policy);
			s += (P->getFunctionScopeIndex() ? ", " : "") + parameter;
		}
		return s + (F->isVariadic() ? ", ...)" : F->getNumParams() ? ")" : "void)");
	}

	void report_header(ASTContext &C, NamedDecl *N)
	{
		PrintingPolicy policy = clang_type_policy(C);
		std::string text = N->getNameAsString();

		if (auto *F = dyn_cast<FunctionDecl>(N)) {
			report_name(CLANG_FUNCTION, N, signature(F, policy));
		} else if (auto *V = dyn_cast<VarDecl>(N)) {
			V->getType().getAsStringInternal(text, policy);
			report_name(CLANG_VARIABLE, N, text);
		} else if (auto *T = dyn_cast<TypedefNameDecl>(N)) {
			T->getUnderlyingType().getAsStringInternal(text, policy);
			report_name(CLANG_TYPEDEF, N, "typedef " + text);
		} else if (auto *D = dyn_cast<TagDecl>(N)) {
			report_name(CLANG_TAG, N, std::string(D->getKindName()) + " " + text);
			if (auto *E = dyn_cast<EnumDecl>(N))
				for (const EnumConstantDecl *K : E->enumerators())
					report_name(CLANG_CONSTANT, K,
						    text.empty() ? "enum constant"
								 : "enum " + text);
		}
	}

	void report(ASTContext &C, NamedDecl *N, bool is_local)
	{
		const SourceManager &SM = C.getSourceManager();
		PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(N->getLocation()));
		clang_symbol s = {};

		if (P.isInvalid() || !N->getIdentifier() || !is_whole(N))
			return;
		s.in_cell = !strcmp(P.getFilename(), job->name);
		s.is_local = is_local;
		s.line = P.getLine();
		s.column = P.getColumn();
		if (auto *T = dyn_cast<TypedefNameDecl>(N))
			report_typed(C, N, CLANG_TYPEDEF, T->getUnderlyingType(), &s);
		else if (!s.in_cell)
			return;
		else if (auto *V = dyn_cast<VarDecl>(N))
			report_variable(C, V, &s);
		else if (auto *F = dyn_cast<FunctionDecl>(N)) {
			s.is_definition = F->isThisDeclarationADefinition();
			report_typed(C, N, CLANG_FUNCTION, F->getType(), &s);
		}
	}

	void report_variable(ASTContext &C, VarDecl *V, clang_symbol *s)
	{
		s->is_definition = V->isThisDeclarationADefinition() != VarDecl::DeclarationOnly;
		s->is_thread_local = V->getTLSKind() != VarDecl::TLS_None;
		if (!V->getType()->isIncompleteType() && !V->getType()->isVariablyModifiedType())
			s->size = C.getTypeSizeInChars(V->getType()).getQuantity();
		report_typed(C, V, CLANG_VARIABLE, V->getType(), s);
	}

	void report_typed(ASTContext &C, NamedDecl *N, clang_symbol_kind kind, QualType T,
			  clang_symbol *s)
	{
		PrintingPolicy policy = clang_type_policy(C);
		std::string name = N->getNameAsString(), declaration = name, type, code;

		s->kind = kind;
		s->name = name.c_str();
		if (s->in_cell) {
			type = T.getAsString(policy);
			/* An expression inside the type may name what later cells do not have. */
			if (kind == CLANG_FUNCTION && C.getLangOpts().CPlusPlus)
				T = C.getFunctionTypeWithExceptionSpec(T, EST_None);
			if (C.getLangOpts().CPlusPlus || type.find("typeof") != std::string::npos ||
			    type.find("auto") != std::string::npos)
				T = T.getCanonicalType(), type = T.getAsString(policy);
			T.getAsStringInternal(declaration, policy);
			if (kind == CLANG_VARIABLE)
				code = clang_type_code(C, T);
		}
		type = clang_type_shown(type);
		s->type = type.c_str();
		s->declaration = declaration.c_str();
		s->type_code = code.c_str();
		job->symbol(job->context, s);
	}

	/* A variable's name is not mangled: without a label it would be a C cell's variable of that name. */
	void declare_cpp(Decl *D)
	{
		auto *V = dyn_cast<VarDecl>(D);

		if (auto *L = dyn_cast<LinkageSpecDecl>(D)) {
			for (Decl *inner : L->decls())
				declare_cpp(inner);
			return;
		}
		if (V && V->getDeclContext()->isTranslationUnit() && V->isExternallyVisible() && !V->isExternC() &&
		    !V->hasAttr<AsmLabelAttr>())
			V->addAttr(AsmLabelAttr::CreateImplicit(sema->Context, ("::" + V->getName()).str(), true));
		if (auto *N = dyn_cast<NamedDecl>(D))
			declared.push_back(N);
	}

	/* Of a C++ unit: what C cells may see. */
	static bool is_for_c(const NamedDecl *N)
	{
		if (auto *F = dyn_cast<FunctionDecl>(N))
			return F->isExternC() || F->isMain();
		if (auto *V = dyn_cast<VarDecl>(N))
			return V->isExternC() && V->isExternallyVisible();
		return true;
	}

	/* What the user wrote, without the conversions of an expression statement. */
	static Expr *written(Expr *E)
	{
		while (auto *I = dyn_cast<ImplicitCastExpr>(E)) {
			CastKind K = I->getCastKind();

			if (K != CK_LValueToRValue && K != CK_ArrayToPointerDecay &&
			    K != CK_FunctionToPointerDecay)
				break;
			E = I->getSubExpr();
		}
		return E;
	}

	Expr *text_literal(ASTContext &C, const std::string &text, SourceLocation L)
	{
		QualType T = C.getStringLiteralArrayType(C.CharTy, text.size());
#if CLANG_VERSION_MAJOR >= 18
		auto kind = StringLiteralKind::Ordinary;
#else
		auto kind = StringLiteral::Ordinary;
#endif
		return StringLiteral::Create(C, text, kind, false, T, L);
	}

	/* Replaces the last statement of the body, `E;`, by cgpu_display_value(type, code, &copy of
	 * E, size). */
	void display(FunctionDecl *F)
	{
		ASTContext &C = sema->getASTContext();
		auto *body = dyn_cast_or_null<CompoundStmt>(F->getBody());
		if (!body || body->body_empty())
			return;
		llvm::SmallVector<Stmt *, 32> statements(body->body_begin(), body->body_end() - 1);
		Stmt *last = body->body_back();

		/* `end: x`: the label keeps its place, in front of what is made of x. */
		llvm::SmallVector<LabelStmt *, 2> labels;

		while (auto *label = dyn_cast<LabelStmt>(last)) {
			labels.push_back(label);
			last = label->getSubStmt();
		}
		auto *E = dyn_cast<Expr>(last);

		if (!E || E->containsErrors() || E->getType()->isDependentType() ||
		    E->getType()->isVoidType() || E->getType()->isVariablyModifiedType())
			return;
		for (LabelStmt *label : labels) {
			label->setSubStmt(new (C) NullStmt(label->getIdentLoc()));
			statements.push_back(label);
		}
		E = written(E);
		SourceLocation L = E->getBeginLoc();
		QualType T = E->getType();

		bool in_place = E->isLValue() && E->getObjectKind() == OK_Ordinary &&
				(T->isArrayType() || T->isRecordType());
		if (!in_place) {
			ExprResult R = sema->DefaultFunctionArrayLvalueConversion(E);

			if (R.isInvalid())
				return;
			E = temporary(F, R.get(), L, statements);
			T = R.get()->getType().getAtomicUnqualifiedType();
		}
		ExprResult address = sema->CreateBuiltinUnaryOp(L, UO_AddrOf, E);
		LookupResult found(*sema, &C.Idents.get("cgpu_display_value"), L,
				   Sema::LookupOrdinaryName);

		if (address.isInvalid() || !sema->LookupName(found, sema->TUScope))
			return;
		std::string type = clang_type_shown(T.getAsString(clang_type_policy(C))),
			    code = clang_type_code(C, T);
		uint64_t size = C.getTypeSizeInChars(T).getQuantity();
		Expr *arguments[] = {
			text_literal(C, type, L),
			text_literal(C, code, L),
			address.get(),
			IntegerLiteral::Create(C, llvm::APInt(64, size), C.UnsignedLongTy, L),
		};
		CXXScopeSpec scope;
		ExprResult callee = sema->BuildDeclarationNameExpr(scope, found, false);
		ExprResult call = sema->BuildCallExpr(nullptr, callee.get(), L, arguments, L);

		if (call.isInvalid())
			return;
		statements.push_back(call.get());
		F->setBody(CompoundStmt::Create(C, statements, FPOptionsOverride(),
						body->getLBracLoc(), body->getRBracLoc()));
		result->display_type = strdup(type.c_str());
		result->display_type_code = strdup(code.c_str());
	}

	/* A local variable that holds E; the reference to it. */
	Expr *temporary(FunctionDecl *F, Expr *E, SourceLocation L,
			llvm::SmallVectorImpl<Stmt *> &statements)
	{
		ASTContext &C = sema->getASTContext();
		QualType T = E->getType().getAtomicUnqualifiedType();
		VarDecl *V = VarDecl::Create(C, F, L, L, &C.Idents.get("cgpu_displayed"), T,
					     C.getTrivialTypeSourceInfo(T, L), SC_None);

		V->setInit(E);
		V->setIsUsed();
		statements.push_back(new (C) DeclStmt(DeclGroupRef(V), L, L));
		return sema->BuildDeclRefExpr(V, T, VK_LValue, L);
	}
};

std::unique_ptr<ASTConsumer> in_front(std::unique_ptr<ASTConsumer> first,
				      std::unique_ptr<ASTConsumer> second)
{
	std::vector<std::unique_ptr<ASTConsumer>> both;

	both.push_back(std::move(first));
	both.push_back(std::move(second));
	return std::make_unique<MultiplexConsumer>(std::move(both));
}

class CompileAction : public EmitObjAction
{
      public:
	CompileAction(const clang_job *job, clang_result *result) : job(job), result(result)
	{
	}

      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
						       StringRef file) override
	{
		auto generator = EmitObjAction::CreateASTConsumer(CI, file);

		if (!generator)
			return nullptr;
		return in_front(std::make_unique<CellConsumer>(job, result), std::move(generator));
	}

      private:
	const clang_job *job;
	clang_result *result;
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
		return in_front(std::make_unique<CellConsumer>(job, nullptr, true),
				std::move(writer));
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

/* One run of clang over the job's text. prepare() may change the options of this run. */
template <typename Prepare>
int execute(const clang_job *job, FrontendAction &action, Prepare prepare)
{
	CompilerInstance CI;
	CallbackDiagnostics diagnostics(job);
	auto invocation = std::make_shared<CompilerInvocation>(*job->options->invocation);
	llvm::MemoryBufferRef text(StringRef(job->text, job->len), job->name);

	CI.setInvocation(std::move(invocation));
#if CLANG_VERSION_MAJOR >= 20
	CI.createDiagnostics(*llvm::vfs::getRealFileSystem(), &diagnostics, false);
#else
	CI.createDiagnostics(&diagnostics, false);
#endif
	CI.setVerboseOutputStream(llvm::nulls());
	CI.getFrontendOpts().Inputs = { FrontendInputFile(text, InputKind(job->options->language)) };
	if (job->header)
		CI.getPreprocessorOpts().ImplicitPCHInclude = job->header;
	prepare(CI);
	bool ok = CI.ExecuteAction(action) && !CI.getDiagnostics().hasErrorOccurred();

	return ok ? 0 : -1;
}

char *copy_of(StringRef text)
{
	auto *p = (char *)malloc(text.size() + 1);

	if (p) {
		memcpy(p, text.data(), text.size());
		p[text.size()] = 0;
	}
	return p;
}

/*
 * A compilation in two steps. Begun, it has all but the text: options, the precompiled header, the code generator. That
 * takes as long as the rest of a small cell, so one is begun ahead while nothing else is to do.
 */
class Compilation
{
      public:
	Compilation(const clang_options *options, bool once, const char *header)
	    : options(options), once(once), diagnostics(&job), action(&job, &result)
	{
		job.options = options;
		CI.setInvocation(std::make_shared<CompilerInvocation>(*options->invocation));
#if CLANG_VERSION_MAJOR >= 20
		CI.createDiagnostics(*llvm::vfs::getRealFileSystem(), &diagnostics, false);
#else
		CI.createDiagnostics(&diagnostics, false);
#endif
		CI.setVerboseOutputStream(llvm::nulls());
		CI.getFrontendOpts().Inputs = { FrontendInputFile(llvm::MemoryBufferRef("", "cell"),
								  InputKind(options->language)) };
		CI.getFrontendOpts().ProgramAction = frontend::EmitObj;
		if (header)
			CI.getPreprocessorOpts().ImplicitPCHInclude = header;
		if (once)
			CI.getCodeGenOpts().OptimizationLevel = 0;
		CI.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
		begun = CI.createTarget() && action.BeginSourceFile(CI, CI.getFrontendOpts().Inputs[0]);
	}

	~Compilation()
	{
		if (begun)
			action.EndSourceFile();
		clang_result_release(&result);
	}

	bool fits(const clang_job *other) const
	{
		return begun && options == other->options && once == other->once && !other->header;
	}

	int finish(const clang_job *given, clang_result *ret)
	{
		job = *given;
		if (!begun)
			return -1;
		SourceManager &SM = CI.getSourceManager();

		SM.setMainFileID(SM.createFileID(llvm::MemoryBufferRef(StringRef(job.text, job.len), job.name)));
		noteBottomOfStack();
		consumeError(action.Execute());
		if (CI.getDiagnostics().hasErrorOccurred())
			return -1;
		result.object = copy_of(object);
		result.object_len = object.size();
		if (!result.object)
			return -1;
		*ret = result;
		result = {};
		return 0;
	}

	const clang_options *const options;
	const bool once;

      private:
	clang_job job = {}; /* what the parts below look at */
	clang_result result = {};
	llvm::SmallString<0> object;
	CallbackDiagnostics diagnostics;
	CompilerInstance CI;
	CompileAction action;
	bool begun;
};

/* By `once`. */
Compilation *ahead[2];
/* The last one; taking it down takes time too. */
Compilation *spent;

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
		if (isa<FunctionDecl>(R.Declaration))
			return "function";
		return isa<TypeDecl>(R.Declaration) ? "type" : "variable";
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

} /* namespace */

void clang_shim_init(void)
{
	llvm::InitializeNativeTarget();
	llvm::InitializeNativeTargetAsmPrinter();
	llvm::InitializeNativeTargetAsmParser();
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
	/* Made for a process that ends after one compilation; this one goes on. */
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
	if ((ahead[false] && ahead[false]->options == o) || (ahead[true] && ahead[true]->options == o))
		clang_shim_rest(nullptr);
	delete o;
}

void clang_options_set_header(struct clang_options *o, const char *path)
{
	o->invocation->getPreprocessorOpts().ImplicitPCHInclude = path;
}

void clang_options_set_macros(struct clang_options *o, const char *text)
{
	static const char name[] = "/cgpu/flags.h"; /* absolute: looked for nowhere else */
	PreprocessorOptions &P = o->invocation->getPreprocessorOpts();

	/* The options hold the text, for every compilation. */
	P.RetainRemappedFileBuffers = true;
	P.addRemappedFile(name, llvm::MemoryBuffer::getMemBufferCopy(text, name).release());
	P.Includes.push_back(name);
}

char *clang_options_describe(const struct clang_options *o)
{
	std::string all;

	for (const std::string &argument : o->cc1)
		all += argument + "\n";
	return copy_of(all);
}

int clang_shim_build_header(const struct clang_job *job, const char *path)
{
	HeaderAction action(job);
	auto files = std::make_shared<AllDependencies>();
	int failed = execute(job, action, [&](CompilerInstance &CI) {
		CI.addDependencyCollector(files);
		CI.getFrontendOpts().ProgramAction = frontend::GeneratePCH;
		CI.getFrontendOpts().OutputFile = path;
		CI.getFrontendOpts().IncludeTimestamps = false;
		CI.getFrontendOpts().Inputs = { FrontendInputFile(
			llvm::MemoryBufferRef(StringRef(job->text, job->len), job->name),
			InputKind(job->options->language).getHeader()) };
		CI.getPreprocessorOpts().ImplicitPCHInclude.clear();
	});

	for (const std::string &path : files->getDependencies())
		if (job->file)
			job->file(job->context, path.c_str());
	return failed;
}

int clang_shim_compile(const struct clang_job *job, struct clang_result *ret)
{
	Compilation *&waiting = ahead[job->once];

	delete spent;
	if (waiting && waiting->fits(job)) {
		spent = waiting;
		waiting = nullptr;
	} else {
		spent = new Compilation(job->options, job->once, job->header);
	}
	return spent->finish(job, ret);
}

void clang_shim_rest(const struct clang_options *options)
{
	delete spent;
	spent = nullptr;
	for (bool once : { false, true }) {
		if (ahead[once] && ahead[once]->options == options)
			continue;
		delete ahead[once];
		ahead[once] = options ? new Compilation(options, once, nullptr) : nullptr;
	}
}

int clang_shim_parse(const struct clang_job *job)
{
	ParseAction action(job);

	return execute(job, action, [&](CompilerInstance &CI) {
		CI.getFrontendOpts().ProgramAction = frontend::ParseSyntaxOnly;
	});
}

void clang_result_release(struct clang_result *r)
{
	free(r->object);
	free(r->display_type);
	free(r->display_type_code);
	*r = {};
}

void clang_shim_complete(const struct clang_job *job, const char *prefix, unsigned line,
			 unsigned column,
			 void (*found)(void *context, const struct clang_completion *c))
{
	SyntaxOnlyAction action;

	execute(job, action, [&](CompilerInstance &CI) {
		CodeCompleteOptions options;
		auto *buffer = llvm::MemoryBuffer::getMemBufferCopy(StringRef(job->text, job->len),
								    "cell.c")
				       .release();

		options.IncludeMacros = 0;
		options.IncludeGlobals = 1;
		/* C names of headers are known without clang; members of namespaces are not. */
		options.LoadExternal = job->options->language == Language::CXX;
		options.IncludeBriefComments = 1;
		CI.getFrontendOpts().ProgramAction = frontend::ParseSyntaxOnly;
		CI.getPreprocessorOpts().addRemappedFile("cell.c", buffer);
		CI.getFrontendOpts().Inputs = {
			FrontendInputFile("cell.c", InputKind(job->options->language))
		};
		CI.getFrontendOpts().CodeCompletionAt = { "cell.c", line, column };
		CI.getFrontendOpts().CodeCompleteOpts = options;
		CI.setCodeCompletionConsumer(new CompletionConsumer(job, prefix, options, found));
	});
}
