/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts are copied from the cell. Only a variable is printed from the tree, since its declaration
 * may contain others and an initialiser. A namespace is split: each of its members is a piece in a
 * namespace of its own.
 */
#include "compiler/clang/cells/clang-pieces.hh"

#include "compiler/clang/cells/clang-own.hh"
#include "compiler/clang/cells/clang-parser.hh"
#include "compiler/clang/job/clang-includes.hh"
#include "compiler/clang/tree/clang-bindings.hh"
#include "compiler/clang/tree/clang-cuda.hh"
#include "compiler/clang/tree/clang-tree-walk.hh"
#include "compiler/clang/tree/clang-types.hh"
#include "compiler/text/own-names.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <cstring>
#include <set>

using namespace clang;

namespace
{

bool is_in_cell(const SourceManager &SM, SourceLocation L, const clang_job *job)
{
	SourceLocation at = SM.getExpansionLoc(L);

	if (at.isInvalid() || SM.getFileID(at) != SM.getMainFileID())
		return false;
	PresumedLoc P = SM.getPresumedLoc(at);

	return P.isValid() && is_own_name(job, P.getFilename());
}

/* Replaces blanks and line ends by one blank, for the key of a declaration without a name. */
std::string one_line(StringRef text)
{
	std::string out;

	for (char c : text) {
		bool blank = strchr(" \t\r\n", c);

		if (!blank)
			out += c;
		else if (!out.empty() && out.back() != ' ')
			out += ' ';
	}
	return out;
}

/* Returns the memory space of a device variable. */
const char *place_of(const VarDecl *V)
{
	return clang_cuda_is_managed(V)         ? "__managed__ "
	       : V->hasAttr<CUDAConstantAttr>() ? "__attribute__((constant)) "
	       : V->hasAttr<CUDASharedAttr>()   ? "__attribute__((shared)) "
	       : V->hasAttr<CUDADeviceAttr>()   ? "__attribute__((device)) "
						: "";
}

/* Tells whether the variable contains the address of a function, or of a device variable that
 * does. */
bool holds_functions(const VarDecl *V, unsigned depth = 0);

bool holds_functions(const APValue &value, unsigned depth)
{
	bool holds = false;

	if (value.isLValue()) {
		const auto *D = value.getLValueBase().dyn_cast<const ValueDecl *>();
		const auto *V = dyn_cast_or_null<VarDecl>(D);

		return isa_and_nonnull<FunctionDecl>(D) ||
		       (V && depth < 10 && holds_functions(V, depth + 1));
	}
	if (value.isArray()) {
		for (unsigned i = 0; i < value.getArrayInitializedElts() && !holds; i++)
			holds = holds_functions(value.getArrayInitializedElt(i), depth);
		return holds ||
		       (value.hasArrayFiller() && holds_functions(value.getArrayFiller(), depth));
	}
	if (value.isUnion())
		return holds_functions(value.getUnionValue(), depth);
	for (unsigned i = 0; value.isStruct() && i < value.getStructNumBases() && !holds; i++)
		holds = holds_functions(value.getStructBase(i), depth);
	for (unsigned i = 0; value.isStruct() && i < value.getStructNumFields() && !holds; i++)
		holds = holds_functions(value.getStructField(i), depth);
	return holds;
}

bool holds_functions(const VarDecl *V, unsigned depth)
{
	const APValue *value =
		V->hasInit() && clang_cuda_is_of_device(V) ? V->evaluateValue() : nullptr;

	return value && holds_functions(*value, depth);
}

/* Tells whether all of it is the text of one macro. */
bool is_of_macro(const SourceManager &SM, SourceLocation begin, SourceLocation end)
{
	return begin.isMacroID() && end.isMacroID() &&
	       SM.getExpansionLoc(begin) == SM.getExpansionLoc(end);
}

/* Prints the declaration from the tree, without a function's body if `only_head`. */
std::string printed(const Decl *D, const LangOptions &language, bool only_head)
{
	std::string text;
	llvm::raw_string_ostream out(text);
	PrintingPolicy policy(language);

	policy.TerseOutput = only_head;
	D->print(out, policy);
	return text;
}

class Directives : public PPCallbacks
{
      public:
	Directives(Preprocessor &PP, const clang_job *job, const clang_statements_place *place,
		   std::shared_ptr<std::vector<piece>> to)
	    : PP(PP), SM(PP.getSourceManager()), language(PP.getLangOpts()), job(job), place(place),
	      to(to)
	{
	}

	void MacroDefined(const Token &name, const MacroDirective *M) override
	{
		std::string word = name.getIdentifierInfo()->getName().str();
		SourceLocation end = M->getMacroInfo()->getDefinitionEndLoc();

		add(name.getLocation(), "macro " + word, word,
		    "#define " + text(name.getLocation(), end));
	}

	void MacroUndefined(const Token &name, const MacroDefinition &,
			    const MacroDirective *) override
	{
		std::string word = name.getIdentifierInfo()->getName().str();

		add(name.getLocation(), "macro " + word, word, "#undef " + word);
	}

	void InclusionDirective(SourceLocation hash, const Token &, StringRef file, bool angled,
				CharSourceRange, OptionalFileEntryRef found, StringRef, StringRef,
				const Module *, bool, SrcMgr::CharacteristicKind) override
	{
		std::string line = std::string("#include ") + (angled ? "<" : "\"") + file.str() +
				   (angled ? ">" : "\"");

		if (found)
			add(hash, line, "", line);
	}

	void PragmaDirective(SourceLocation L, PragmaIntroducerKind introducer) override
	{
		if (!place->is_inside && job->pragma && is_in_cell(SM, SM.getExpansionLoc(L), job))
			job->pragma(job->context, clang_pragma_text(PP, L, introducer).c_str());
	}

      private:
	Preprocessor &PP;
	const SourceManager &SM;
	const LangOptions &language;
	const clang_job *job;
	const clang_statements_place *place;
	std::shared_ptr<std::vector<piece>> to;

	std::string text(SourceLocation begin, SourceLocation end)
	{
		CharSourceRange range = CharSourceRange::getTokenRange(begin, end);

		return Lexer::getSourceText(range, SM, language).str();
	}

	void add(SourceLocation L, const std::string &key, const std::string &name,
		 const std::string &text)
	{
		if (is_in_cell(SM, L, job))
			to->push_back({ SM.getFileOffset(L), SM.getPresumedLineNumber(L), key, name,
					text });
	}
};

const NamedDecl *named(const Decl *D)
{
	if (auto *T = dyn_cast<TemplateDecl>(D))
		return T->getTemplatedDecl() ? T->getTemplatedDecl() : T;
	return dyn_cast<NamedDecl>(D);
}

/* Returns "n::f", with the arguments of a specialisation. */
std::string qualified(const NamedDecl *N)
{
	std::string name;
	llvm::raw_string_ostream out(name);
	PrintingPolicy policy(N->getASTContext().getLangOpts());

	N->getNameForDiagnostic(out, policy, true);
	return out.str();
}

std::string parameters(const FunctionDecl *F)
{
	PrintingPolicy policy(F->getASTContext().getLangOpts());
	std::string all = "(";

	for (const ParmVarDecl *P : F->parameters())
		all += (all.size() > 1 ? ", " : "") +
		       P->getType().getCanonicalType().getAsString(policy);
	return all + (F->isVariadic() ? ", ...)" : ")");
}

/* Returns the key: a later declaration with the same key replaces this one. */
std::string key_of(const Decl *D, const std::string &text)
{
	const NamedDecl *N = named(D);

	if (isa<TemplateDecl>(D) && N)
		return qualified(N) + " " + one_line(text.substr(0, text.find_first_of("{;")));
	if (auto *F = dyn_cast<FunctionDecl>(D))
		return qualified(F) + parameters(F);
	if (auto *T = dyn_cast<TagDecl>(D))
		return (T->isThisDeclarationADefinition() ? "type " : "declared type ") +
		       qualified(T);
	if (isa<VarDecl>(D) || isa<TypedefNameDecl>(D))
		return qualified(N);
	return one_line(text);
}

/* Returns the beginning, also of `void f(auto x)`, a template that begins without the keyword. */
SourceLocation begin_of(const Decl *D)
{
	const auto *T = dyn_cast<TemplateDecl>(D);

	if (T && T->getBeginLoc().isInvalid() && T->getTemplatedDecl())
		return T->getTemplatedDecl()->getBeginLoc();
	return D->getBeginLoc();
}

/* Tells whether the text of `outer` contains that of `inner`, which comes first: `typedef struct {
 * } A, *B;`. */
bool holds(const SourceManager &SM, const Decl *outer, const Decl *inner)
{
	return isa<TypedefNameDecl>(outer) &&
	       (isa<TagDecl>(inner) || isa<TypedefNameDecl>(inner)) &&
	       !SM.isBeforeInTranslationUnit(inner->getBeginLoc(), outer->getBeginLoc()) &&
	       !SM.isBeforeInTranslationUnit(outer->getEndLoc(), inner->getEndLoc());
}

const LambdaExpr *lambda_of(const VarDecl *V)
{
	const Expr *E = V->getInit() ? V->getInit()->IgnoreUnlessSpelledInSource() : nullptr;

	return dyn_cast_or_null<LambdaExpr>(E);
}

/* Finds weak variables, also those of templates that the unit has instantiated. */
class WeakVariables : public clang_tree_walk
{
      public:
	WeakVariables(ASTContext &C, const clang_job *job)
	    : clang_tree_walk(WITH_INSTANCES), C(C), job(job),
	      mangling(cast<ItaniumMangleContext>(C.createMangleContext()))
	{
	}

	bool VisitDecl(Decl *visited) override
	{
		auto *V = dyn_cast<VarDecl>(visited);
		/* A member of a template is defined elsewhere. */
		const VarDecl *D = V ? V->getDefinition() : nullptr;

		if (!D || !V->hasGlobalStorage() || !V->isExternallyVisible() ||
		    V->getDeclContext()->isDependentContext() || V->getType()->isDependentType())
			return true;
		GVALinkage linkage = C.GetGVALinkageForVariable(D);

		if (linkage != GVA_DiscardableODR && linkage != GVA_StrongODR)
			return true;
		std::string name, guard;
		llvm::raw_string_ostream to_name(name), to_guard(guard);

		if (auto *label = V->getAttr<AsmLabelAttr>())
			to_name << label->getLabel();
		else if (mangling->shouldMangleDeclName(V))
			mangling->mangleName(GlobalDecl(V), to_name);
		else
			to_name << V->getName();
		mangling->mangleStaticGuardVariable(V, to_guard);
		job->own_variable(job->context, to_name.str().c_str());
		job->own_variable(job->context, to_guard.str().c_str());
		return true;
	}

      private:
	ASTContext &C;
	const clang_job *job;
	std::unique_ptr<ItaniumMangleContext> mangling;
};

} /* namespace */

Pieces::Pieces(CompilerInstance &CI, const clang_job *job, const clang_statements_place *place)
    : SM(CI.getSourceManager()), language(CI.getLangOpts()), job(job), place(place),
      own(clang_own_names(CI)), found(std::make_shared<std::vector<piece>>())
{
	CI.getPreprocessor().addPPCallbacks(
		std::make_unique<Directives>(CI.getPreprocessor(), job, place, found));
}

bool Pieces::is_of_cell(SourceLocation L) const
{
	return is_in_cell(SM, L, job);
}

void Pieces::add(Decl *D)
{
	if (is_of_cell(D->getLocation()) ||
	    (isa<LinkageSpecDecl>(D) && is_of_cell(D->getBeginLoc()))) {
		auto where = SM.getDecomposedLoc(place->end);

		declarations.push_back(D);
		ends.push_back(place->end.isValid() && where.first == SM.getMainFileID()
				       ? (long)where.second
				       : -1);
	} else if (job->dependent && !declarations.empty() &&
		   SM.isWrittenInMainFile(SM.getExpansionLoc(D->getLocation()))) {
		dependents.push_back(D);
	}
}

void Pieces::report_dependent(Sema &S, const Decl *D) const
{
	PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(D->getLocation()));
	auto *V = dyn_cast<VarDecl>(D);

	/* The class of a variable that is only declared may be an instance that was not needed
	 * yet. */
	if (V && !V->getType()->isDependentType())
		(void)S.isCompleteType(V->getLocation(),
				       S.Context.getBaseElementType(V->getType()));

	if (isa<NamespaceDecl, LinkageSpecDecl>(D))
		for (const Decl *one : cast<DeclContext>(D)->decls())
			report_dependent(S, one);
	else if (P.isValid())
		job->dependent(job->context, P.getFilename(), clang_declaration_layout(D));
}

/* Returns the symbol of a variable. A header's function in the unit may have the same one, so the
 * variable has a prefix that is removed when the object is made. */
std::string Pieces::symbol_of(const VarDecl *V) const
{
	std::string name = V->getName().str();

	return own->count(name) ? OWN_PREFIX + name : name;
}

/* Returns the text from the first byte of one token to the first byte of the other. */
std::string Pieces::slice(SourceLocation begin, SourceLocation end) const
{
	StringRef text = SM.getBufferData(SM.getMainFileID());
	auto from = SM.getDecomposedLoc(SM.getExpansionLoc(begin)), to = SM.getDecomposedLoc(end);

	if (from.first != SM.getMainFileID() || to.first != from.first || to.second < from.second)
		return "";
	return text.slice(from.second, to.second).str();
}

std::string Pieces::slice_to_end(SourceLocation begin, const Decl *D) const
{
	SourceLocation last = SM.getExpansionRange(D->getEndLoc()).getEnd();

	return slice(begin, last.getLocWithOffset(Lexer::MeasureTokenLength(last, SM, language)));
}

std::string Pieces::whole(const Decl *D) const
{
	std::string text =
		is_one_of_many ? printed(D, language, false) : slice_to_end(begin_of(D), D);

	return text.empty() || text.back() == ';' ? text : text + ";";
}

/* Returns a declaration of the function that is defined there. */
std::string Pieces::head(const FunctionDecl *F) const
{
	SourceLocation body = F->getBody()->getBeginLoc();

	if (is_of_macro(SM, F->getBeginLoc(), body))
		return printed(F, language, true) + ";";
	return slice(F->getBeginLoc(), SM.getExpansionLoc(body)) + ";";
}

/* Returns the text with the body under a condition, which is a directive. */
std::string Pieces::with_body_if(const FunctionDecl *F, const std::string &condition,
				 const std::string &before) const
{
	SourceLocation body = SM.getExpansionLoc(F->getBody()->getBeginLoc());
	std::string line = "\n#line " + std::to_string(SM.getPresumedLineNumber(body)) + "\n";

	if (is_of_macro(SM, F->getBeginLoc(), F->getBody()->getBeginLoc()))
		return "\n" + condition + line + before + whole(F) + "\n#else\n" + before +
		       head(F) + "\n#endif\n";
	return before + slice(F->getBeginLoc(), body) + "\n" + condition + line +
	       slice_to_end(body, F) + "\n#else\n;\n#endif\n";
}

std::string Pieces::text_of_function(const FunctionDecl *F) const
{
	bool is_member = isa<CXXMethodDecl>(F) && F->isOutOfLine();

	if (F->isMain() || F->isTemplateInstantiation())
		return "";
	if (!F->doesThisDeclarationHaveABody())
		return whole(F);
	bool is_deduced = F->getDeclaredReturnType()->getContainedDeducedType();
	bool is_plain = !isa<CXXMethodDecl>(F) && !F->isConstexpr() && !is_deduced;

	if (F->isInlined() && F->isExternallyVisible() && is_plain &&
	    !F->getDeclContext()->isDependentContext())
		return with_body_if(F, "#ifndef " CLANG_DECLARED);
	if (F->isInlined() || !F->isExternallyVisible() ||
	    F->getDeclContext()->isDependentContext())
		return whole(F);
	/* Device code of a later cell is a separate program, which calls a copy. */
	if (F->hasAttr<CUDADeviceAttr>())
		return is_plain ? with_body_if(F, "#ifndef " CLANG_DECLARED, "inline ")
				: "inline " + whole(F);
	if (is_member)
		return "";
	/* The body is for a cell that redefines what the kernel calls. */
	if (F->hasAttr<CUDAGlobalAttr>())
		return with_body_if(F, "#ifdef " CLANG_ANEW);
	if (is_deduced)
		return "inline " + whole(F);
	return head(F);
}

/*
 * Returns the declaration of a variable that is a lambda. A lambda's class has no name; another
 * unit gets one with the same layout: its captures have the same types, whatever their initialisers
 * are. For extern "C" clang does not require a type with linkage.
 */
std::string Pieces::text_of_lambda(const VarDecl *V, const LambdaExpr *L) const
{
	SourceLocation behind =
		Lexer::getLocForEndOfToken(L->getIntroducerRange().getEnd(), 0, SM, language);
	SourceLocation end = Lexer::getLocForEndOfToken(L->getEndLoc(), 0, SM, language);
	std::string list, name = V->getNameAsString(), place = place_of(V);

	for (const LambdaCapture &one : L->captures()) {
		const ValueDecl *K = one.capturesVariable() ? one.getCapturedVar() : nullptr;

		if (!K)
			return "";
		bool by_reference = one.getCaptureKind() == LCK_ByRef;
		QualType T = K->getType().getNonReferenceType().getCanonicalType();

		list += (list.empty() ? "" : ", ") + std::string(by_reference ? "&" : "") +
			K->getNameAsString() + " = cgpu_value_of<" +
			T.getAsString(PrintingPolicy(language)) + (by_reference ? " &" : "") +
			">()";
	}
	return "extern \"C\" " + place + (V->getType().isConstQualified() ? "const " : "") +
	       "decltype([" + list + "]" + slice(behind, end) + ") " + name +
	       " __asm__(\"::" + name + "\");";
}

std::string Pieces::text_of_variable(const VarDecl *V) const
{
	PrintingPolicy policy(language);
	std::string name = V->getNameAsString();

	if (V->isInline() || V->getDeclContext()->isDependentContext() ||
	    isa<VarTemplateSpecializationDecl>(V))
		return whole(V);
	if (V->isStaticDataMember())
		return "";
	if (const LambdaExpr *L = lambda_of(V); L && L->capture_size())
		return text_of_lambda(V, L);
	if (clang_is_constant(V))
		return (clang_is_lambda(V->getType()) && V->getStorageClass() != SC_Static
				? "static "
				: "") +
		       whole(V);
	if (!V->isExternallyVisible())
		return "";
	QualType T = V->getType();

	/* `auto` may stand for a typedef of the class that it comes from. */
	(T->getContainedDeducedType() ? T.getCanonicalType() : T).getAsStringInternal(name, policy);
	if (name.find('(') != std::string::npos && name.find("(unnamed ") != std::string::npos)
		return "";
	std::string thread = V->getTLSKind() != VarDecl::TLS_None ? "thread_local " : "",
		    known = place_of(V) + thread + name;

	/* Each kernel's block has its own. */
	if (V->hasAttr<CUDASharedAttr>() && !V->hasExternalStorage())
		return "static " + known + ";";
	if (holds_functions(V))
		return text_of_table(V, known);
	return "extern " + known + ";";
}

/*
 * Returns the text of a table with addresses of functions. These are valid only in their own
 * module, and not in the next worker, so the device code of each cell has its own table, which is
 * no variable of the session.
 */
std::string Pieces::text_of_table(const VarDecl *V, const std::string &known) const
{
	SourceRange value = V->getInit()->getSourceRange();
	SourceLocation last = SM.getExpansionRange(value.getEnd()).getEnd();
	std::string text =
		slice(value.getBegin(), Lexer::getLocForEndOfToken(last, 0, SM, language));

	return "\n#ifdef __CUDA_ARCH__\nstatic __attribute__((internal_linkage)) " + known + " = " +
	       text + ";\n#else\n" + "extern " + known + ";\n#endif\n";
}

/* Returns the text of a declaration; "": later cells do not see it. */
std::string Pieces::text_of(const Decl *D) const
{
	auto *V = dyn_cast<VarDecl>(D);

	if (isa<DecompositionDecl, BindingDecl>(D) ||
	    (D->isImplicit() && !(V && clang_bindings_made(V))))
		return "";
	if (D->isInvalidDecl() || isa<EmptyDecl>(D) || isa<FileScopeAsmDecl>(D) ||
	    isa<StaticAssertDecl>(D) || isa<TopLevelStmtDecl>(D))
		return "";
	if (auto *S = dyn_cast<ClassTemplateSpecializationDecl>(D))
		if (S->getSpecializationKind() != TSK_ExplicitSpecialization)
			return "";
	if (isa<CXXDeductionGuideDecl>(D))
		return whole(D);
	if (auto *F = dyn_cast<FunctionDecl>(D))
		return text_of_function(F);
	if (V)
		return text_of_variable(V);
	if (auto *T = dyn_cast<TagDecl>(D))
		if (!T->getIdentifier() && !isa<EnumDecl>(T))
			return "";
	return whole(D);
}

/* Returns the packing that the class was declared under; 0: none. */
unsigned packing_of(const Decl *D)
{
	const auto *T = dyn_cast_or_null<ClassTemplateDecl>(D);
	const Decl *R = T ? T->getTemplatedDecl() : D;
	const auto *A = isa<CXXRecordDecl>(R) ? R->getAttr<MaxFieldAlignmentAttr>() : nullptr;

	return A ? A->getAlignment() / 8 : 0;
}

/* Tells whether it is a declaration of a C cell, or extern "C" elsewhere, which need not be
 * repeated. */
static bool is_c_by_another(const Decl *D)
{
	const auto *F = dyn_cast<FunctionDecl>(D);

	return F && F->isExternC() && !F->isMain() &&
	       !isa<LinkageSpecDecl>(F->getLexicalDeclContext());
}

/* Removes the directive that is in the middle of the cell's text; the piece begins with it. */
static void remove_own(std::string &text)
{
	for (size_t at; (at = text.find("_Pragma(\"" CLANG_OWN " ")) != std::string::npos;)
		text.erase(at, text.find(") ", at) + 2 - at);
}

/* Tells whether a header has a function with the name of this class, which the name alone would
 * mean. */
static bool is_hidden_class(const NamedDecl *N)
{
	const auto *T = dyn_cast<TagDecl>(N);

	if (!T || !T->isThisDeclarationADefinition())
		return false;
	for (const NamedDecl *other :
	     T->getASTContext().getTranslationUnitDecl()->lookup(T->getDeclName()))
		if (other->isFromASTFile() && !isa<TagDecl>(other))
			return true;
	return false;
}

/* Returns the directives that make the names declared at file scope the session's. */
std::string Pieces::own_names_of(const Decl *D, unsigned line) const
{
	const NamedDecl *N = named(D);
	std::vector<const NamedDecl *> all;
	std::string text;

	if (!D->getDeclContext()->getRedeclContext()->isTranslationUnit())
		return "";
	if (N)
		all.push_back(N);
	if (auto *E = dyn_cast<EnumDecl>(D); E && !E->isScoped())
		all.insert(all.end(), E->enumerator_begin(), E->enumerator_end());
	for (const NamedDecl *one : all)
		if (one->getIdentifier() &&
		    (own->count(one->getName().str()) || is_hidden_class(one)))
			text += "#pragma " CLANG_OWN " " + one->getName().str() + "\n";
	return text.empty() ? "" : text + "#line " + std::to_string(line) + "\n";
}

void Pieces::add_one(Decl *D, const std::string &before, const std::string &after)
{
	std::string text = text_of(D);
	const NamedDecl *N = named(D);

	remove_own(text);
	if (text.empty() || text == ";")
		return;
	if (is_c_by_another(D))
		text = "extern \"C\" { " + text + " }";
	std::string key = key_of(D, text);

	if (unsigned packing = packing_of(D))
		text = "_Pragma(\"pack(push, " + std::to_string(packing) + ")\") " + text +
		       " _Pragma(\"pack(pop)\")";
	SourceLocation begin = SM.getExpansionLoc(begin_of(D));
	unsigned line = SM.getPresumedLineNumber(begin);

	found->push_back({ SM.getFileOffset(begin), line, key,
			   N && N->getIdentifier() ? N->getNameAsString() : "",
			   own_names_of(D, line) + before + text + after,
			   clang_declaration_layout(D), clang_written_at(D), end });
}

/* Tells whether a macro makes several declarations, so that its text cannot be the text of each. */
bool Pieces::shares_macro(const std::vector<Decl *> &list, size_t i) const
{
	SourceLocation begin = begin_of(list[i]);

	return is_of_macro(SM, begin, list[i]->getEndLoc()) &&
	       ((i && is_of_macro(SM, begin, begin_of(list[i - 1]))) ||
		(i + 1 < list.size() && is_of_macro(SM, begin, begin_of(list[i + 1]))));
}

void Pieces::add_all(const std::vector<Decl *> &list, const std::string &before,
		     const std::string &after)
{
	for (size_t i = 0; i < list.size(); i++) {
		Decl *D = list[i];

		if (&list == &declarations)
			end = ends[i];
		if (auto *L = dyn_cast<LinkageSpecDecl>(D)) {
			bool is_c = L->getLanguage() == LinkageSpecLanguageIDs::C;

			add_all({ L->decls_begin(), L->decls_end() },
				before + (is_c ? "extern \"C\" { " : ""),
				(is_c ? " }" : "") + after);
		} else if (auto *N = dyn_cast<NamespaceDecl>(D)) {
			std::string head = std::string(N->isInline() ? "inline " : "") +
					   "namespace " + N->getNameAsString();

			add_all({ N->decls_begin(), N->decls_end() }, before + head + " { ",
				" }" + after);
		} else if (i + 1 == list.size() || !holds(SM, list[i + 1], D)) {
			is_one_of_many = shares_macro(list, i);
			add_one(D, before, after);
			is_one_of_many = false;
		}
	}
}

/* Collects the declarations and the directives between them, in the order of the text, each with a
 * unique key. */
void Pieces::find_all()
{
	std::set<std::string> keys;

	add_all(declarations, "", "");
	std::stable_sort(found->begin(), found->end(),
			 [](const piece &a, const piece &b) { return a.offset < b.offset; });
	for (piece &p : *found) {
		std::string key = p.key;

		for (int n = 2; !keys.insert(p.key).second; n++)
			p.key = key + " #" + std::to_string(n);
	}
}

void Pieces::report(Sema &S)
{
	if (job->own_variable)
		for (Decl *D : declarations)
			WeakVariables(S.Context, job).TraverseDecl(D);
	for (const Decl *D : dependents)
		report_dependent(S, D);
	if (!job->piece)
		return;
	find_all();
	for (piece &p : *found) {
		char layout[48];

		snprintf(layout, sizeof(layout), "\n" CLANG_LAYOUT, p.layout);
		p.text += p.layout ? layout : "";
		clang_piece given = { p.key.c_str(),   p.name.c_str(), p.text.c_str(),
				      p.written.begin, p.written.end,  p.line };

		job->piece(job->context, &given);
	}
}

void Pieces::report_definitions()
{
	find_all();
	for (const piece &p : *found) {
		clang_definition given = { p.key.c_str(), p.name.c_str(), p.layout, p.end };

		if (p.end >= 0)
			job->definition(job->context, &given);
	}
}
