/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key leads from the outermost namespace to the function: names, and for each instance of a
 * template its arguments, each with a word in front that says what comes. Overloads are told apart
 * by the symbol, which has the whole type in it: the one whose symbol is that of the key is taken.
 *
 *	FUNCTION := name symbol scope (`none` | arguments)
 *	scope    := `file` | `namespace` name scope | `class` name scope
 *		  | `instance` name arguments scope
 *	type     := `builtin` kind | `with` qualifiers type | `pointer` type | `lvalue` type
 *		  | `rvalue` type | `array` size type
 *		  | `function` n qualifiers reference variadic noexcept type... | `tag` name scope
 *		  | `of` instance
 *	argument := `type` type | `value` number width signed type | `template` name scope
 *		  | `pack` arguments
 *
 * Types are canonical ones, so that a key does not depend on how a cell has spelled them.
 */
#include "compiler/clang/headers/clang-instance-keys.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Type.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Sema/Template.h>
#include <llvm/ADT/STLExtras.h>

using namespace clang;

namespace
{

std::string without_spaces(std::string text)
{
	llvm::erase(text, ' ');
	return text;
}

/* Returns the name, also for declarations without a plain one. */
std::string name_of(const NamedDecl *D)
{
	return without_spaces(D->getNameAsString());
}

class Writer
{
      public:
	explicit Writer(ASTNameGenerator &symbols) : symbols(symbols)
	{
	}

	std::string text;
	bool failed = false;

	void function(const FunctionDecl *F)
	{
		const TemplateArgumentList *list = F->getTemplateSpecializationArgs();

		word(name_of(F));
		word(symbols.getName(F));
		scope(F->getDeclContext());
		if (list)
			arguments(list->asArray());
		else
			word("none");
	}

      private:
	ASTNameGenerator &symbols;

	void word(llvm::StringRef w)
	{
		failed |= w.empty() || w.contains(' ') || w.contains('\n');
		text += w.str() + " ";
	}

	void number(int64_t n)
	{
		word(std::to_string(n));
	}

	void scope(const DeclContext *given)
	{
		const DeclContext *C = given->getRedeclContext();

		if (C->isTranslationUnit())
			return word("file");
		auto *N = dyn_cast<NamedDecl>(cast<Decl>(C));

		if (!N || !N->getDeclName().isIdentifier() || N->getName().empty() ||
		    isa<ClassTemplatePartialSpecializationDecl>(N))
			failed = true;
		else if (auto *S = dyn_cast<ClassTemplateSpecializationDecl>(N))
			instance(S);
		else if (isa<NamespaceDecl>(N) || isa<CXXRecordDecl>(N))
			named(isa<NamespaceDecl>(N) ? "namespace" : "class", N);
		else
			failed = true;
	}

	void named(const char *kind, const NamedDecl *N)
	{
		word(kind);
		word(N->getDeclName().isIdentifier() ? N->getName() : "");
		if (!failed)
			scope(N->getDeclContext());
	}

	void instance(const ClassTemplateSpecializationDecl *S)
	{
		word("instance");
		word(S->getName());
		arguments(S->getTemplateArgs().asArray());
		scope(S->getDeclContext());
	}

	void arguments(llvm::ArrayRef<TemplateArgument> list)
	{
		number((int64_t)list.size());
		for (const TemplateArgument &A : list)
			argument(A);
	}

	void argument(const TemplateArgument &A)
	{
		switch (A.getKind()) {
		case TemplateArgument::Type:
			word("type");
			return type(A.getAsType());
		case TemplateArgument::Integral:
			word("value");
			failed |= !A.getAsIntegral().isRepresentableByInt64();
			number(failed ? 0 : A.getAsIntegral().getExtValue());
			number(A.getAsIntegral().getBitWidth());
			number(A.getAsIntegral().isSigned());
			return type(A.getIntegralType());
		case TemplateArgument::Template:
			if (const TemplateDecl *T = A.getAsTemplate().getAsTemplateDecl())
				return named("template", T);
			failed = true;
			return;
		case TemplateArgument::Pack:
			word("pack");
			return arguments(A.pack_elements());
		default:
			failed = true;
		}
	}

	void type(QualType given)
	{
		QualType T = given.getCanonicalType();

		if (T.getLocalQualifiers()) {
			word("with");
			failed |= T.getLocalQualifiers().hasNonFastQualifiers();
			number(T.getLocalFastQualifiers());
			return type(T.getLocalUnqualifiedType());
		}
		if (auto *B = dyn_cast<BuiltinType>(T)) {
			word("builtin");
			return number(B->getKind());
		}
		if (T->isPointerType() || T->isReferenceType()) {
			word(T->isPointerType()           ? "pointer"
			     : T->isLValueReferenceType() ? "lvalue"
							  : "rvalue");
			return type(T->getPointeeType());
		}
		if (auto *A = dyn_cast<ConstantArrayType>(T)) {
			word("array");
			number((int64_t)A->getSize().getZExtValue());
			return type(A->getElementType());
		}
		if (auto *F = dyn_cast<FunctionProtoType>(T))
			return function_type(F);
		tag(T->getAsTagDecl());
	}

	void function_type(const FunctionProtoType *F)
	{
		FunctionProtoType::ExtProtoInfo info = F->getExtProtoInfo();
		ExceptionSpecificationType spec = info.ExceptionSpec.Type;

		failed |= info.ExtInfo != FunctionType::ExtInfo() ||
			  info.TypeQuals.hasNonFastQualifiers() ||
			  (spec != EST_None && spec != EST_BasicNoexcept);
		word("function");
		number(F->getNumParams());
		number(info.TypeQuals.getFastQualifiers());
		number(info.RefQualifier);
		number(info.Variadic);
		number(spec == EST_BasicNoexcept);
		type(F->getReturnType());
		for (QualType P : F->param_types())
			type(P);
	}

	void tag(const TagDecl *D)
	{
		auto *R = dyn_cast_or_null<CXXRecordDecl>(D);

		if (!D || (R && R->isLambda())) {
			failed = true;
		} else if (auto *S = dyn_cast<ClassTemplateSpecializationDecl>(D)) {
			word("of");
			instance(S);
		} else {
			named("tag", D);
		}
	}
};

class Reader
{
      public:
	Reader(Sema &S, llvm::StringRef text, ASTNameGenerator &symbols)
	    : S(S), C(S.Context), symbols(symbols), left(text),
	      L(S.getSourceManager().getLocForEndOfFile(S.getSourceManager().getMainFileID()))
	{
	}

	FunctionDecl *function()
	{
		llvm::StringRef name = word(), symbol = word();
		DeclContext *where = scope();
		std::vector<TemplateArgument> given;

		if (!where)
			return nullptr;
		bool of_template = !left.starts_with("none");

		if (of_template)
			given = arguments();
		if (failed)
			return nullptr;
		for (NamedDecl *D : candidates(where, name))
			if (FunctionDecl *F =
				    of_template ? instance_of(D, given) : dyn_cast<FunctionDecl>(D))
				if (symbols.getName(F) == symbol)
					return F;
		return nullptr;
	}

      private:
	Sema &S;
	ASTContext &C;
	ASTNameGenerator &symbols;
	llvm::StringRef left;
	const SourceLocation L;
	bool failed = false;

	llvm::StringRef word()
	{
		auto parts = left.split(' ');

		left = parts.second;
		failed |= parts.first.empty();
		return parts.first;
	}

	int64_t number()
	{
		int64_t n = 0;

		failed |= word().getAsInteger(10, n);
		return n;
	}

	template <typename T> T *find(DeclContext *where, llvm::StringRef name)
	{
		if (where)
			for (NamedDecl *D : where->lookup(&C.Idents.get(name)))
				if (auto *found = dyn_cast<T>(D))
					return found;
		failed = true;
		return nullptr;
	}

	/* Completes the class, so that its members are known. */
	DeclContext *complete(CXXRecordDecl *R)
	{
		if (!R || !S.isCompleteType(L, C.getRecordType(R)))
			return nullptr;
		S.ForceDeclarationOfImplicitMembers(R->getDefinition());
		return R->getDefinition();
	}

	DeclContext *scope()
	{
		llvm::StringRef kind = word();

		if (kind == "file")
			return C.getTranslationUnitDecl();
		if (kind == "instance")
			return complete(instance());
		llvm::StringRef name = word();
		DeclContext *outer = failed ? nullptr : scope();

		if (kind == "namespace")
			return find<NamespaceDecl>(outer, name);
		return complete(find<CXXRecordDecl>(outer, name));
	}

	CXXRecordDecl *instance()
	{
		llvm::StringRef name = word();
		std::vector<TemplateArgument> list = arguments();
		auto *T = find<ClassTemplateDecl>(failed ? nullptr : scope(), name);
		TemplateArgumentListInfo given(L, L);

		if (failed)
			return nullptr;
		add(given, list);
		QualType made = S.CheckTemplateIdType(TemplateName(T), L, given);

		return made.isNull() ? nullptr : made->getAsCXXRecordDecl();
	}

	/* Adds arguments; elements of packs become part of the list, as in source code. */
	void add(TemplateArgumentListInfo &given, llvm::ArrayRef<TemplateArgument> list)
	{
		for (const TemplateArgument &A : list)
			if (A.getKind() == TemplateArgument::Pack)
				add(given, A.pack_elements());
			else
				given.addArgument(S.getTrivialTemplateArgumentLoc(
					A,
					A.getKind() == TemplateArgument::Integral
						? A.getIntegralType()
						: QualType(),
					L));
	}

	std::vector<TemplateArgument> arguments()
	{
		std::vector<TemplateArgument> list;

		for (int64_t n = number(); n > 0 && !failed; n--)
			list.push_back(argument());
		return list;
	}

	TemplateArgument argument()
	{
		llvm::StringRef kind = word();

		if (kind == "pack")
			return TemplateArgument::CreatePackCopy(C, arguments());
		if (kind == "template") {
			llvm::StringRef name = word();
			auto *T = find<TemplateDecl>(failed ? nullptr : scope(), name);

			return T ? TemplateArgument(TemplateName(T)) : TemplateArgument();
		}
		if (kind == "value") {
			int64_t value = number(), width = number(), is_signed = number();
			llvm::APSInt n(llvm::APInt((unsigned)width, (uint64_t)value, true),
				       !is_signed);

			return TemplateArgument(C, n, type());
		}
		failed |= kind != "type";
		return TemplateArgument(type());
	}

	QualType type()
	{
		llvm::StringRef kind = failed ? "" : word();

		if (kind == "builtin")
			return builtin(number());
		if (kind == "with") {
			unsigned qualifiers = (unsigned)number();

			return type().withFastQualifiers(qualifiers);
		}
		if (kind == "array") {
			uint64_t n = (uint64_t)number();

			return C.getConstantArrayType(
				type(), llvm::APInt(C.getTypeSize(C.getSizeType()), n), nullptr,
				ArraySizeModifier::Normal, 0);
		}
		if (kind == "function")
			return function_type();
		if (kind == "of" && word() == "instance") {
			CXXRecordDecl *R = instance();

			failed |= !R;
			return R ? C.getRecordType(R) : C.IntTy;
		}
		if (kind == "tag") {
			llvm::StringRef name = word();
			auto *D = find<TagDecl>(failed ? nullptr : scope(), name);

			return D ? C.getTagDeclType(D) : C.IntTy;
		}
		QualType inner = kind == "pointer" || kind == "lvalue" || kind == "rvalue"
					 ? type()
					 : QualType();

		failed |= inner.isNull();
		if (failed)
			return C.IntTy;
		return kind == "pointer"  ? C.getPointerType(inner)
		       : kind == "lvalue" ? C.getLValueReferenceType(inner)
					  : C.getRValueReferenceType(inner);
	}

	QualType builtin(int64_t kind)
	{
		for (Type *T : C.getTypes())
			if (auto *B = dyn_cast<BuiltinType>(T); B && B->getKind() == kind)
				return QualType(B, 0);
		failed = true;
		return C.IntTy;
	}

	QualType function_type()
	{
		FunctionProtoType::ExtProtoInfo info;
		std::vector<QualType> parameters;
		int64_t n = number();

		info.TypeQuals = Qualifiers::fromFastMask((unsigned)number());
		info.RefQualifier = (RefQualifierKind)number();
		info.Variadic = number() != 0;
		info.ExceptionSpec.Type = number() ? EST_BasicNoexcept : EST_None;
		QualType result = type();

		while (n-- > 0 && !failed)
			parameters.push_back(type());
		return C.getFunctionType(result, parameters, info);
	}

	std::vector<NamedDecl *> candidates(DeclContext *where, llvm::StringRef name)
	{
		std::vector<NamedDecl *> all;

		if (isa<CXXRecordDecl>(where)) {
			for (Decl *D : where->decls())
				if (auto *N = dyn_cast<NamedDecl>(D); N && name_of(N) == name)
					all.push_back(N);
			return all;
		}
		for (NamedDecl *D : where->lookup(name_for(name)))
			all.push_back(D);
		return all;
	}

	DeclarationName name_for(llvm::StringRef name)
	{
		for (int i = OO_None + 1; i < NUM_OVERLOADED_OPERATORS; i++) {
			if (name == "operator" + without_spaces(getOperatorSpelling(
							 (OverloadedOperatorKind)i)))
				return C.DeclarationNames.getCXXOperatorName(
					(OverloadedOperatorKind)i);
		}
		return &C.Idents.get(name);
	}

	static bool is_of_kind(const NamedDecl *P, const TemplateArgument &A)
	{
		return isa<TemplateTypeParmDecl>(P) ? A.getKind() == TemplateArgument::Type
		       : isa<TemplateTemplateParmDecl>(P)
			       ? A.getKind() == TemplateArgument::Template
			       : A.getKind() == TemplateArgument::Integral;
	}

	/* Tells whether an argument fits the parameter, which clang does not check: a pack fits a
	 * pack parameter only. */
	static bool suits(const NamedDecl *P, const TemplateArgument &A)
	{
		if (P->isTemplateParameterPack() != (A.getKind() == TemplateArgument::Pack))
			return false;
		if (A.getKind() != TemplateArgument::Pack)
			return is_of_kind(P, A);
		for (const TemplateArgument &one : A.pack_elements())
			if (!is_of_kind(P, one))
				return false;
		return true;
	}

	/* Instantiates without diagnostics: a template that is not meant may have no such
	 * instance. */
	FunctionDecl *instance_of(NamedDecl *D, llvm::ArrayRef<TemplateArgument> list)
	{
		auto *T = dyn_cast<FunctionTemplateDecl>(D);

		if (!T || T->getTemplateParameters()->size() != list.size())
			return nullptr;
		for (size_t i = 0; i < list.size(); i++)
			if (!suits(T->getTemplateParameters()->getParam((unsigned)i), list[i]))
				return nullptr;
		Sema::SFINAETrap trap(S);
		FunctionDecl *F = S.InstantiateFunctionDeclaration(
			T, TemplateArgumentList::CreateCopy(C, list), L);

		return trap.hasErrorOccurred() ? nullptr : F;
	}
};

} // namespace

std::string clang_instance_key(const FunctionDecl *F, ASTNameGenerator &symbols)
{
	Writer w(symbols);

	if (!F->isTemplateInstantiation())
		return "";
	w.function(F);
	return w.failed ? "" : w.text;
}

FunctionDecl *clang_instance_find(Sema &S, llvm::StringRef key, ASTNameGenerator &symbols)
{
	return Reader(S, key, symbols).function();
}
