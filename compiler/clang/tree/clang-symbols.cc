/* SPDX-License-Identifier: Apache-2.0 */
/* Converts clang's declarations to texts for C: each symbol is reported with its type and, for
 * later cells, its declaration. */
#include "compiler/clang/tree/clang-symbols.hh"

#include "compiler/clang/job/clang-includes.hh"
#include "compiler/clang/tree/clang-cuda.hh"
#include "compiler/clang/tree/clang-types.hh"
#include "compiler/clang/tree/clang-written.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/raw_ostream.h>

using namespace clang;

namespace
{

class Report
{
      public:
	Report(const clang_job *job, bool is_header, const clang_symbol_of &symbol_of,
	       const clang_turn &turn = {})
	    : job(job), is_header(is_header), symbol_of(symbol_of), turn(turn)
	{
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

	void report_header(ASTContext &C, NamedDecl *N)
	{
		PrintingPolicy policy = clang_type_policy(C);
		std::string text = N->getNameAsString();

		if (auto *F = dyn_cast<FunctionDecl>(N)) {
			report_name(CLANG_FUNCTION, N, clang_signature(F, policy));
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

	void report(ASTContext &C, NamedDecl *N)
	{
		const SourceManager &SM = C.getSourceManager();
		PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(N->getLocation()));
		auto *R = dyn_cast<RecordDecl>(N);
		bool has_name =
			N->getIdentifier() || R || (isa<EnumDecl>(N) && !C.getLangOpts().CPlusPlus);
		clang_symbol s = {};

		if (P.isInvalid() || !has_name || !is_whole(N))
			return;
		s.in_cell = is_own_name(job, P.getFilename());
		s.line = P.getLine();
		s.column = P.getColumn();
		clang_written written = clang_written_at(N);

		s.written_begin = written.begin;
		s.written_end = written.end;
		bool from_file = !s.in_cell && !is_header && !C.getLangOpts().CPlusPlus;

		if (unsigned line = from_file ? defined_by_include(SM, N, job) : 0) {
			s.in_include = true;
			s.line = line;
			s.column = 1;
		}
		if (auto *T = dyn_cast<TypedefNameDecl>(N))
			report_typed(C, N, CLANG_TYPEDEF, T->getUnderlyingType(), &s);
		else if (!s.in_cell && !s.in_include)
			return;
		else if (auto *E = dyn_cast<EnumDecl>(N))
			report_enum(E, &s);
		else if (R && C.getLangOpts().CPlusPlus)
			report_class(C, cast<CXXRecordDecl>(R), &s);
		else if (R && s.in_cell)
			report_record(C, R, &s);
		else if (auto *V = dyn_cast<VarDecl>(N))
			report_variable(C, V, &s);
		else if (auto *F = dyn_cast<FunctionDecl>(N)) {
			s.is_definition = F->isThisDeclarationADefinition();
			s.is_c = F->isExternC();
			s.is_entry = F->hasAttr<CUDAGlobalAttr>();
			s.has_label = C.getLangOpts().CPlusPlus && symbol_for_c(F) != F->getName();
			report_typed(C, N, CLANG_FUNCTION, F->getType(), &s);
		}
	}

	/*
	 * Reports "enum color { RED = 0, GREEN = 5 };"; in C with the cell's text, or with the
	 * typedef that names it. An enum without a name is known by its first constant. type: the
	 * last one.
	 */
	void report_enum(EnumDecl *E, clang_symbol *s)
	{
		const bool is_c = !E->getASTContext().getLangOpts().CPlusPlus;
		const TypedefNameDecl *T = is_c ? typedef_of(E) : nullptr;
		std::string name = E->getNameAsString(), text = "enum " + name, last;

		if (!E->isThisDeclarationADefinition()) {
			if (is_c)
				report_tag(E, name, turn.text, s);
			return;
		}
		if (E->isFixed())
			text += " : " + E->getIntegerType().getCanonicalType().getAsString(
						clang_type_policy(E->getASTContext()));
		text += " {";
		for (const EnumConstantDecl *K : E->enumerators()) {
			llvm::SmallString<24> value;

			K->getInitVal().toString(value, 10);
			last = K->getNameAsString();
			if (is_c && !T && name.empty())
				name = "enum " + last;
			text += (text.back() == '{' ? " " : ", ") + last + " = " +
				value.str().str();
		}
		text += T ? " } " + T->getNameAsString() + ";" : " };";
		text = T ? "typedef " + text : text;
		s->is_definition = true;
		s->type = last.c_str();
		report_tag(E, T ? T->getNameAsString() : name, turn.text.empty() ? text : turn.text,
			   s);
	}

	/* Reports "struct s { int a; };" with the cell's text, or printed from the tree, with the
	 * packing in force. */
	void report_record(ASTContext &C, RecordDecl *R, clang_symbol *s)
	{
		const TypedefNameDecl *T = typedef_of(R), *first = R->getTypedefNameForAnonDecl();
		std::string name = first ? first->getNameAsString() : R->getNameAsString(),
			    text = turn.text;
		llvm::raw_string_ostream stream(text);

		if (!R->isThisDeclarationADefinition()) {
			report_tag(R, R->getNameAsString(), text, s);
			return;
		}
		if (const auto *A = R->getAttr<MaxFieldAlignmentAttr>())
			s->size = A->getAlignment() / C.getCharWidth();
		if (text.empty() || (first && !T)) {
			text.clear();
			stream << (first ? "typedef " : "");
			R->print(stream, clang_type_policy(C));
			stream << (first ? " " + name + ";" : ";");
		}
		s->is_definition = true;
		report_tag(R, name, stream.str(), s);
	}

	/* Returns the typedef that alone names the type; null: it has a name, or none. */
	static const TypedefNameDecl *typedef_of(const TagDecl *tag)
	{
		return tag->getIdentifier() ? nullptr : tag->getTypedefNameForAnonDecl();
	}

	/* Reports a tag, also `struct s;`; in front of a variable that declares nothing. */
	void report_tag(const TagDecl *tag, const std::string &name, const std::string &text,
			clang_symbol *s)
	{
		if (name.empty() || text.empty() || (!s->is_definition && !tag->isFreeStanding()))
			return;
		s->kind = CLANG_TAG;
		s->name = name.c_str();
		s->declaration = text.c_str();
		s->type = s->type ? s->type : "";
		s->type_code = "";
		job->symbol(job->context, s);
	}

	/* Reports a class to C: with its members, or at least its name. */
	void report_class(ASTContext &C, CXXRecordDecl *R, clang_symbol *s)
	{
		std::string name = R->getNameAsString(), text,
			    type = (R->isUnion() ? "union " : "struct ") + name;

		if (name.empty() || isa<ClassTemplateSpecializationDecl>(R) ||
		    R->isInjectedClassName())
			return;
		if (R->isThisDeclarationADefinition())
			text = clang_type_c_record(R);
		if (!text.empty())
			s->size = C.getTypeSizeInChars(C.getRecordType(R)).getQuantity();
		else
			text = type;
		s->kind = CLANG_TAG;
		s->is_definition = true;
		s->name = name.c_str();
		s->type = type.c_str();
		s->type_code = "";
		s->declaration = text.c_str();
		job->symbol(job->context, s);
	}

	void report_variable(ASTContext &C, VarDecl *V, clang_symbol *s)
	{
		s->is_definition = turn.is_computed ||
				   V->isThisDeclarationADefinition() != VarDecl::DeclarationOnly;
		s->waits = turn.waits;
		s->is_thread_local = V->getTLSKind() != VarDecl::TLS_None;
		s->is_c = V->isExternC();
		s->is_on_device = clang_cuda_is_of_device(V) && !clang_cuda_is_managed(V);
		std::string value = turn.is_computed ? turn.value : clang_constant_value(V);

		s->value = value.empty() ? nullptr : value.c_str();
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
		if (s->in_cell || s->in_include) {
			type = T.getAsString(policy);
			/* An expression inside the type may use names that later cells lack. */
			if (kind == CLANG_FUNCTION && C.getLangOpts().CPlusPlus)
				T = C.getFunctionTypeWithExceptionSpec(T, EST_None);
			if (C.getLangOpts().CPlusPlus || type.find("typeof") != std::string::npos ||
			    type.find("auto") != std::string::npos)
				T = T.getCanonicalType(), type = T.getAsString(policy);
			T.getAsStringInternal(declaration, policy);
			if (!C.getLangOpts().CPlusPlus)
				declaration += clang_attributes(N);
			else if (s->has_label)
				declaration +=
					" __asm__(\"" + symbol_for_c(cast<FunctionDecl>(N)) + "\")";
			if (kind == CLANG_VARIABLE)
				code = clang_type_code(C, T);
			if (kind != CLANG_TYPEDEF && !C.getLangOpts().CPlusPlus)
				s->layout = clang_type_layout(C, T);
		}
		if (C.getLangOpts().CPlusPlus && kind == CLANG_VARIABLE)
			type = cast<VarDecl>(N)->getType().getAsString(
				PrintingPolicy(C.getLangOpts()));
		type = clang_type_shown(type);
		s->type = type.c_str();
		s->declaration = declaration.c_str();
		s->type_code = code.c_str();
		job->symbol(job->context, s);
	}

	/* Returns the symbol in the object. The host calls the stub of a kernel. */
	std::string symbol_for_c(const FunctionDecl *F)
	{
		return symbol_of(F->hasAttr<CUDAGlobalAttr>()
					 ? GlobalDecl(F, KernelReferenceKind::Stub)
					 : GlobalDecl(F));
	}

	/* Tells whether the file has another function of this name; C has no overloads. */
	static bool is_overloaded(const FunctionDecl *F)
	{
		for (const NamedDecl *other :
		     F->getDeclContext()->getRedeclContext()->lookup(F->getDeclName()))
			if (!declaresSameEntity(other->getAsFunction(), F) && !isa<TagDecl>(other))
				return true;
		return false;
	}

	static bool is_function_for_c(const FunctionDecl *F)
	{
		return F->isExternC() || F->isMain() ||
		       (F->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
			F->isExternallyVisible() && F->getIdentifier() && !F->isInlined() &&
			!F->isTemplateInstantiation() && !F->isDependentContext() &&
			(F->hasAttr<CUDAGlobalAttr>() || !F->hasAttr<CUDADeviceAttr>() ||
			 F->hasAttr<CUDAHostAttr>()) &&
			!is_overloaded(F));
	}

	/* Tells whether C cells may see a declaration of a C++ unit. The name of a variable at file
	 * scope is not mangled. */
	static bool is_for_c(const NamedDecl *N)
	{
		if (auto *F = dyn_cast<FunctionDecl>(N))
			return is_function_for_c(F);
		if (auto *E = dyn_cast<EnumDecl>(N))
			return !E->isScoped();
		if (auto *V = dyn_cast<VarDecl>(N))
			return (V->isExternC() || V->getDeclContext()->isTranslationUnit()) &&
			       V->isExternallyVisible() && !isa<VarTemplateSpecializationDecl>(V) &&
			       !clang_is_lambda(V->getType()) && !V->hasAttr<CUDASharedAttr>();
		return true;
	}

      private:
	const clang_job *job;
	bool is_header;
	const clang_symbol_of &symbol_of;
	clang_turn turn;

	static bool is_whole(const NamedDecl *N)
	{
		const auto *V = dyn_cast<ValueDecl>(N);

		if (N->isInvalidDecl())
			return false;
		return !V || (!V->getType().isNull() && !V->getType()->isDependentType() &&
			      !V->getType()->containsErrors() && !V->getType()->isUndeducedType());
	}
};

} // namespace

void clang_report_of_header(const clang_job *job, NamedDecl *N)
{
	clang_symbol_of none;

	Report(job, true, none).report_header(N->getASTContext(), N);
}

void clang_report_symbol(const clang_job *job, NamedDecl *N, const clang_symbol_of &symbol_of,
			 const clang_turn &turn)
{
	ASTContext &C = N->getASTContext();

	if (!C.getLangOpts().CPlusPlus || Report::is_for_c(N))
		Report(job, false, symbol_of, turn).report(C, N);
}

/* Tells whether the function's symbol is mangled: it encodes the types of its parameters, but not
 * that of its result, on which callers depend. */
static bool has_typed_symbol(const FunctionDecl *F)
{
	return F->doesThisDeclarationHaveABody() && F->isExternallyVisible() && !F->isExternC() &&
	       !F->isMain() && !F->isInlined() && !F->isTemplateInstantiation() &&
	       !F->isDependentContext() && !F->isInvalidDecl() && !F->hasAttr<CUDAGlobalAttr>() &&
	       !(F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>()) &&
	       !isa<CXXConstructorDecl, CXXDestructorDecl>(F);
}

void clang_report_functions(const clang_job *job, const Decl *D, const clang_symbol_of &symbol_of)
{
	ASTContext &C = D->getASTContext();
	auto *F = dyn_cast<FunctionDecl>(D);
	PresumedLoc P = C.getSourceManager().getPresumedLoc(
		C.getSourceManager().getExpansionLoc(D->getLocation()));

	if (auto *N = dyn_cast<NamespaceDecl>(D))
		for (const Decl *inner : N->decls())
			clang_report_functions(job, inner, symbol_of);
	if (!F || !has_typed_symbol(F) || P.isInvalid() || !is_own_name(job, P.getFilename()))
		return;
	QualType T = C.getFunctionTypeWithExceptionSpec(F->getType(), EST_None).getCanonicalType();
	std::string type = T.getAsString(PrintingPolicy(C.getLangOpts()));

	job->function(job->context, symbol_of(GlobalDecl(F)).c_str(), type.c_str(), P.getLine());
}
