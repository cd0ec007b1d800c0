/* SPDX-License-Identifier: Apache-2.0 */
/* Type codes are written from the canonical type, with one function for each kind of type. */
#include "compiler/clang/tree/clang-types.hh"

#include "compiler/clang/tree/clang-bindings.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/Version.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/xxhash.h>

#include <set>

#include "common/code/type-code.h"

using namespace clang;

namespace
{

std::string type_code(ASTContext &C, QualType T, bool behind_pointer, unsigned depth);
bool has_layout(ASTContext &C, const RecordDecl *R);

/* Returns the size of a type as text: "4", "8". */
std::string bytes_of(ASTContext &C, QualType T)
{
	return std::to_string(C.getTypeSizeInChars(T).getQuantity());
}

std::string builtin_code(ASTContext &C, const BuiltinType *B, QualType T)
{
	switch (B->getKind()) {
	case BuiltinType::Void:
		return "v";
	case BuiltinType::Bool:
		return "b";
	case BuiltinType::Char_S:
	case BuiltinType::Char_U:
	case BuiltinType::Char8:
		return "c";
	case BuiltinType::WChar_S:
	case BuiltinType::WChar_U:
		return "L" + bytes_of(C, T);
	case BuiltinType::Char16:
	case BuiltinType::Char32:
		return "U" + bytes_of(C, T);
	case BuiltinType::Half:
	case BuiltinType::Float16:
		return "f2";
	case BuiltinType::Float:
		return "f4";
	case BuiltinType::Double:
		return "f8";
	case BuiltinType::LongDouble:
		return "f16";
	default:
		break;
	}
	if (B->isSignedInteger())
		return "i" + bytes_of(C, T);
	if (B->isUnsignedInteger())
		return "u" + bytes_of(C, T);
	return "?" + bytes_of(C, T);
}

std::string enum_code(ASTContext &C, const EnumDecl *D, QualType T)
{
	bool unsigned_by_itself = D->isFixed() && D->getIntegerType()->isUnsignedIntegerType();
	std::string s = "e" + bytes_of(C, T) + (unsigned_by_itself ? "u{" : "{");
	bool first = true;

	for (const EnumConstantDecl *K : D->enumerators()) {
		llvm::SmallString<24> value;

		K->getInitVal().toString(value, 10);
		s += (first ? "" : ",") + K->getNameAsString() + "=" + value.str().str();
		first = false;
	}
	return s + "}";
}

unsigned bit_width(const FieldDecl *F, const ASTContext &C)
{
#if CLANG_VERSION_MAJOR >= 20
	return F->getBitWidthValue();
#else
	return F->getBitWidthValue(C);
#endif
}

std::string member_code(ASTContext &C, const FieldDecl *F, uint64_t bit_offset, unsigned depth)
{
	std::string s = F->getNameAsString() + "@";

	if (!F->isBitField())
		return s + std::to_string(bit_offset / 8) + ":" +
		       type_code(C, F->getType(), false, depth + 1);
	uint64_t unit = C.getTypeSize(F->getType());
	unsigned width = bit_width(F, C);

	return s + std::to_string(bit_offset / unit * (unit / 8)) + ":m" +
	       std::to_string(bit_offset % unit) + ":" + std::to_string(width) + ":" +
	       type_code(C, F->getType(), false, depth + 1);
}

/* The prefix of tags for structures that the user left unnamed, so that later cells can name their
 * type. */
const char unnamed[] = "cgpu_unnamed_";

/* Containers of the C++ library by name. */
const struct {
	const char *name;
	char shape;
} containers[] = {
#define CONTAINER(name, shape, mark, from) { name, shape },
#include "common/code/containers.def"
#undef CONTAINER
};

/* Returns argument i of the template; a null type: it has no such type. */
QualType argument_of(const ClassTemplateSpecializationDecl *R, unsigned i)
{
	const TemplateArgumentList &all = R->getTemplateArgs();

	return i < all.size() && all[i].getKind() == TemplateArgument::Type ? all[i].getAsType()
									    : QualType();
}

/* Returns the type that an instance of a container calls value_type; a null type: none. */
QualType element_of(ASTContext &C, const ClassTemplateSpecializationDecl *R)
{
	for (const NamedDecl *N : R->lookup(&C.Idents.get("value_type")))
		if (const auto *D = dyn_cast<TypedefNameDecl>(N))
			return D->getUnderlyingType().getCanonicalType();
	return QualType();
}

bool is_whole(ASTContext &C, QualType T)
{
	return !T.isNull() && !T->isDependentType() && !T->isIncompleteType() &&
	       (!T->isRecordType() || has_layout(C, T->getAsRecordDecl()));
}

/*
 * Appends the elements of a tuple, of which each lies in a base of its own: class _Tuple_impl of
 * number i is made of that of number i + 1 and of _Head_base<i>, which has the element as a member,
 * or as a base when it is empty.
 */
void put_tuple(ASTContext &C, const CXXRecordDecl *R, uint64_t offset, unsigned depth,
	       std::string &to)
{
	const ASTRecordLayout &L = C.getASTRecordLayout(R);

	for (const CXXBaseSpecifier &B : R->bases()) {
		const CXXRecordDecl *base = B.getType()->getAsCXXRecordDecl();
		uint64_t at = offset + L.getBaseClassOffset(base).getQuantity();

		if (base->getName() == "_Head_base") {
			const auto *I = cast<ClassTemplateSpecializationDecl>(base);
			QualType T = argument_of(I, 1);
			std::string number =
				llvm::toString(I->getTemplateArgs()[0].getAsIntegral(), 10);

			if (!T.isNull())
				to += (to.back() == '{' ? "[" : ",[") + number + "]@" +
				      std::to_string(at) + ":" +
				      type_code(C, T.getCanonicalType(), false, depth + 1);
		}
	}
	for (const CXXBaseSpecifier &B : R->bases()) {
		const CXXRecordDecl *base = B.getType()->getAsCXXRecordDecl();

		if (base->getName() == "_Tuple_impl")
			put_tuple(C, base, offset + L.getBaseClassOffset(base).getQuantity(), depth,
				  to);
	}
}

/* Tells whether a struct has members that are its library's own, as FILE has. */
bool has_hidden_members(const RecordDecl *R)
{
	return llvm::any_of(R->fields(),
			    [](const FieldDecl *F) { return F->getName().starts_with("_"); });
}

/* Tells whether the members of a class are those that its user knows. */
bool has_known_members(const CXXRecordDecl *R)
{
	for (const CXXBaseSpecifier &B : R->bases())
		if (!B.getType()->getAsCXXRecordDecl()->isEmpty())
			return false;
	return !has_hidden_members(R);
}

/* Returns the code of a pointer. What a whole value points to has its members. */
std::string pointer_code(ASTContext &C, QualType to, unsigned depth)
{
	const auto *R = to->getAs<RecordType>();
	const RecordDecl *of = R ? R->getDecl()->getDefinition() : nullptr;
	bool is_shown = !depth && !(of && has_hidden_members(of));

	return "p" + type_code(C, to, !is_shown, depth + 1);
}

/* Returns the code of what a class of the C++ library stands for; "": it is shown as what it is
 * made of. */
std::string library_code(ASTContext &C, const ClassTemplateSpecializationDecl *R, QualType T,
			 unsigned depth)
{
	StringRef name = R->getName();
	QualType first = argument_of(R, 0);

	if (name == "unique_ptr" && is_whole(C, first) &&
	    C.getTypeSize(T) == C.getTypeSize(C.VoidPtrTy))
		return pointer_code(C, first, depth);
	if (name == "shared_ptr" && is_whole(C, first))
		return "s" + bytes_of(C, T) + "(shared_ptr){ptr@0:p" +
		       type_code(C, first, true, depth + 1) + "}";
	if (name == "array" && is_whole(C, first))
		return "a" + llvm::toString(R->getTemplateArgs()[1].getAsIntegral(), 10) +
		       type_code(C, first.getCanonicalType(), false, depth + 1);
	if (name == "tuple") {
		std::string code = "s" + bytes_of(C, T) + "(tuple){";

		put_tuple(C, R, 0, depth, code);
		return code + "}";
	}
	if (name == "complex" && !first.isNull() && first->isRealFloatingType())
		return "z" + bytes_of(C, first);
	for (const auto &one : containers) {
		QualType element = name == one.name ? element_of(C, R) : QualType();

		if (!is_whole(C, element))
			continue;
		std::string code = std::string("k") + bytes_of(C, T) + one.shape + "(" + one.name +
				   ")" + type_code(C, element, false, depth + 1);

		/* A comparison that has something in it makes a map larger. */
		if (type_code_skip(code.c_str()))
			return code;
	}
	return has_known_members(R) ? "" : "?" + bytes_of(C, T);
}

std::string base_code(ASTContext &C, const CXXBaseSpecifier &B, const ASTRecordLayout &L,
		      unsigned depth)
{
	const CXXRecordDecl *base = B.getType()->getAsCXXRecordDecl();

	return base->getNameAsString() + "@" +
	       std::to_string(L.getBaseClassOffset(base).getQuantity()) + ":" +
	       type_code(C, B.getType().getCanonicalType(), false, depth + 1);
}

/* Appends the bases of a class as members with their names. One without members says nothing, and a
 * virtual one has no place of its own. */
void put_bases(ASTContext &C, const RecordDecl *R, const ASTRecordLayout &L, unsigned depth,
	       bool &first, std::string &to)
{
	const auto *class_of_cpp = dyn_cast<CXXRecordDecl>(R);

	if (!class_of_cpp)
		return;
	for (const CXXBaseSpecifier &B : class_of_cpp->getDefinition()->bases()) {
		const CXXRecordDecl *base = B.getType()->getAsCXXRecordDecl();

		if (B.isVirtual() || !has_layout(C, base) || base->isEmpty())
			continue;
		to += (first ? "" : ",") + base_code(C, B, L, depth);
		first = false;
	}
}

std::string record_code(ASTContext &C, const RecordDecl *R, QualType T, bool behind_pointer,
			unsigned depth)
{
	std::string name = R->getNameAsString();
	std::string s = R->isUnion() ? "n" : "s";

	/* The toolkit's header defines a class with the bytes of _Float16. */
	if (name == "__half")
		return "f2";
	if (const auto *I = dyn_cast<ClassTemplateSpecializationDecl>(R);
	    I && I->isInStdNamespace() && has_layout(C, R)) {
		std::string code = library_code(C, I, T, depth);

		if (!code.empty())
			return code;
	}
	s += bytes_of(C, T) + "(" + (name.rfind(unnamed, 0) ? name : "") + ")";

	if (behind_pointer || !has_layout(C, R))
		return s;
	const ASTRecordLayout &L = C.getASTRecordLayout(R);
	bool first = true;

	s += "{";
	put_bases(C, R, L, depth, first, s);
	for (const FieldDecl *F : R->fields()) {
		if (F->isUnnamedBitField())
			continue;
		s += (first ? "" : ",") +
		     member_code(C, F, L.getFieldOffset(F->getFieldIndex()), depth);
		first = false;
	}
	return s + "}";
}

/* Returns the code of a wide character: in C the types of wide characters are typedefs of integers;
 * nullptr when T is none of them. */
const char *wide_character(QualType T)
{
	for (const auto *N = T->getAs<TypedefType>(); N; N = N->desugar()->getAs<TypedefType>()) {
		StringRef name = N->getDecl()->getName();

		if (name == "char8_t")
			return "c";
		if (name == "wchar_t")
			return "L";
		if (name == "char16_t" || name == "char32_t")
			return "U";
	}
	return nullptr;
}

/* Writes a code of common/code/type-code.h. */
std::string type_code(ASTContext &C, QualType T, bool behind_pointer, unsigned depth)
{
	if (depth > 24)
		return "?0";
	if (const auto *A = T->getAs<AtomicType>())
		T = A->getValueType();
	if (const char *wide = T->isIntegerType() ? wide_character(T) : nullptr)
		return *wide == 'c' ? wide : wide + bytes_of(C, T);
	if (T->isFunctionType())
		return "F";
	if (T->isIncompleteType() && !T->isVoidType() && !T->isIncompleteArrayType())
		return "?0";
	if (const auto *P = T->getAs<PointerType>())
		return pointer_code(C, P->getPointeeType(), depth);
	if (const auto *to = T->getAs<ReferenceType>())
		return pointer_code(C, to->getPointeeType(), depth);
	if (const auto *B = T->getAs<BuiltinType>())
		return builtin_code(C, B, T);
	/* It is stored as an integer with its sign. */
	if (const auto *I = T->getAs<BitIntType>(); I && I->getNumBits() <= 128)
		return (I->isSigned() ? "i" : "u") + bytes_of(C, T);
	if (const auto *X = T->getAs<ComplexType>())
		return "z" +
		       std::to_string(C.getTypeSizeInChars(X->getElementType()).getQuantity());
	if (const auto *V = T->getAs<VectorType>())
		return "x" + std::to_string(V->getNumElements()) +
		       type_code(C, V->getElementType(), behind_pointer, depth + 1);
	if (const ConstantArrayType *A = C.getAsConstantArrayType(T))
		return "a" + std::to_string(A->getSize().getZExtValue()) +
		       type_code(C, A->getElementType(), behind_pointer, depth + 1);
	if (const ArrayType *A = C.getAsArrayType(T))
		return "a0" + type_code(C, A->getElementType(), behind_pointer, depth + 1);
	if (const auto *E = T->getAs<EnumType>())
		return enum_code(C, E->getDecl(), T);
	if (const auto *R = T->getAs<RecordType>())
		return record_code(C, R->getDecl(), T, behind_pointer, depth);
	return "?" + bytes_of(C, T);
}

/* Tells whether the class has a layout: a file with errors has classes that are never complete, and
 * others with such members. */
bool has_layout(ASTContext &C, const RecordDecl *R)
{
	R = R ? R->getDefinition() : nullptr;
	if (!R || R->isInvalidDecl() || R->isDependentContext() || !R->isCompleteDefinition())
		return false;
	for (const FieldDecl *F : R->fields()) {
		QualType T = C.getBaseElementType(F->getType());

		if (F->isInvalidDecl() ||
		    (T->isRecordType() && !has_layout(C, T->getAsRecordDecl())))
			return false;
	}
	return true;
}

/* Writes a text of all properties of a type that compiled code depends on. A type inside itself is
 * written once. */
struct layout_text {
	ASTContext &C;
	std::set<const RecordDecl *> seen;
	std::string s;

	void put_record(const RecordDecl *R)
	{
		std::string name = R->getNameAsString();

		s += R->isUnion() ? "union " : "struct ";
		s += name.rfind(unnamed, 0) ? name : "";
		R = R->getDefinition();
		if (!has_layout(C, R) || !seen.insert(R).second)
			return;
		const ASTRecordLayout &L = C.getASTRecordLayout(R);

		s += std::to_string(L.getSize().getQuantity()) + "{";
		if (const auto *class_of_cpp = dyn_cast<CXXRecordDecl>(R))
			put_class(class_of_cpp, L);
		for (const FieldDecl *F : R->fields()) {
			s += F->getNameAsString() + "@" +
			     std::to_string(L.getFieldOffset(F->getFieldIndex())) + ":";
			if (F->isBitField())
				s += member_code(C, F, L.getFieldOffset(F->getFieldIndex()), 0);
			put(F->getType());
			s += ";";
		}
		s += "}";
	}

	/* Writes how a class is passed, its bases with their offsets, and its virtual functions in
	 * the order of the table. */
	void put_class(const CXXRecordDecl *R, const ASTRecordLayout &L)
	{
		s += R->canPassInRegisters() ? "" : "by address;";
		for (const CXXBaseSpecifier &B : R->bases()) {
			const CXXRecordDecl *base = B.getType()->getAsCXXRecordDecl();

			s += B.isVirtual()
				     ? "virtual "
				     : "@" + std::to_string(
						     L.getBaseClassOffset(base).getQuantity());
			put(B.getType());
			s += ";";
		}
		for (const CXXMethodDecl *M : R->methods())
			if (M->isVirtual()) {
				s += "virtual " + M->getNameAsString();
				put(M->getType());
				s += ";";
			}
	}

	void put_function(const FunctionType *F)
	{
		s += "(";
		if (const auto *P = dyn_cast<FunctionProtoType>(F)) {
			for (QualType A : P->getParamTypes()) {
				put(A);
				s += ",";
			}
			s += P->isVariadic() ? "..." : "";
		} else {
			s += "?";
		}
		s += ")";
		put(F->getReturnType());
	}

	void put(QualType T)
	{
		T = T.getCanonicalType();
		s += T.isConstQualified() ? "const " : "";
		s += T.isVolatileQualified() ? "volatile " : "";
		if (const auto *P = T->getAs<PointerType>()) {
			s += "*";
			put(P->getPointeeType());
		} else if (const auto *to = T->getAs<ReferenceType>()) {
			s += T->isRValueReferenceType() ? "&&" : "&";
			put(to->getPointeeType());
		} else if (const ArrayType *A = C.getAsArrayType(T)) {
			const auto *N = dyn_cast<ConstantArrayType>(A);

			s += "[" + (N ? std::to_string(N->getSize().getZExtValue()) : "") + "]";
			put(A->getElementType());
		} else if (const auto *F = T->getAs<FunctionType>()) {
			put_function(F);
		} else if (const auto *R = T->getAs<RecordType>()) {
			put_record(R->getDecl());
		} else if (const auto *E = T->getAs<EnumType>()) {
			s += "enum " + E->getDecl()->getNameAsString();
		} else {
			s += T.getUnqualifiedType().getAsString(clang_type_policy(C));
		}
	}
};

} // namespace

uint64_t clang_type_layout(ASTContext &C, QualType T)
{
	layout_text text{ C, {}, {} };

	text.put(T);
	return llvm::xxHash64(text.s);
}

namespace
{

uint64_t layout_of_enum(const EnumDecl *E)
{
	std::string s = E->getIntegerType().getAsString();

	for (const EnumConstantDecl *one : E->enumerators())
		s += "," + one->getNameAsString() + "=" + llvm::toString(one->getInitVal(), 10);
	return llvm::xxHash64(s);
}

/* A template has no layout, only its instances, which each unit makes. */
uint64_t layout_of_template(const TemplateDecl *T)
{
	const NamedDecl *D = T->getTemplatedDecl();
	PrintingPolicy policy(T->getASTContext().getLangOpts());
	std::string s = D ? D->getDeclKindName() : "";

	if (auto *F = dyn_cast_or_null<FunctionDecl>(D))
		s += F->getType().getAsString(policy);
	if (auto *R = dyn_cast_or_null<CXXRecordDecl>(D); R && R->isThisDeclarationADefinition()) {
		for (const CXXBaseSpecifier &B : R->bases())
			s += ":" + B.getType().getAsString(policy);
		for (const Decl *one : R->decls()) {
			auto *V = dyn_cast<DeclaratorDecl>(one);
			auto *M = dyn_cast<CXXMethodDecl>(one);

			if (V && (!isa<FunctionDecl>(V) || (M && M->isVirtual())))
				s += ";" + V->getType().getAsString(policy) + " " +
				     V->getNameAsString();
		}
	}
	return llvm::xxHash64(s);
}

} // namespace

uint64_t clang_declaration_layout(const Decl *D)
{
	ASTContext &C = D->getASTContext();

	if (auto *T = dyn_cast<TemplateDecl>(D))
		return layout_of_template(T);
	if (isa<ClassTemplateSpecializationDecl>(D) || isa<VarTemplateSpecializationDecl>(D))
		return 0;
	if (auto *E = dyn_cast<EnumDecl>(D))
		return E->isComplete() ? layout_of_enum(E) : 0;
	if (auto *R = dyn_cast<RecordDecl>(D))
		return has_layout(C, R) ? clang_type_layout(C, C.getRecordType(R)) : 0;
	if (auto *V = dyn_cast<ValueDecl>(D)) {
		QualType T = V->getType();

		return T->isDependentType() || T->isUndeducedType() ? 0 : clang_type_layout(C, T);
	}
	if (auto *N = dyn_cast<TypedefNameDecl>(D))
		return clang_type_layout(C, N->getUnderlyingType());
	return 0;
}

std::string clang_type_code(ASTContext &C, QualType T)
{
	return type_code(C, T, false, 0);
}

std::string clang_expression_code(ASTContext &C, const Expr *E, QualType T)
{
	const auto *S = dyn_cast<StringLiteral>(E->IgnoreParens());

	if (!S || S->getCharByteWidth() == 1)
		return clang_type_code(C, T);
	return "a" + std::to_string(S->getLength() + 1) + (S->isWide() ? "L" : "U") +
	       std::to_string(S->getCharByteWidth());
}

/* Returns the readable name of a type. */
std::string clang_type_shown(std::string type)
{
	size_t at = type.find(unnamed);

	if (at != std::string::npos)
		type.replace(at,
			     type.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at) -
				     at,
			     "{...}");
	return type;
}

std::string clang_attributes(const NamedDecl *N)
{
	const auto *label = N->getAttr<AsmLabelAttr>();
	const auto *F = dyn_cast<FunctionDecl>(N);
	std::string s;

	/* Generated names have generated labels. */
	if (label && !N->getName().starts_with("cgpu_"))
		s += " __asm__(\"" + label->getLabel().str() + "\")";
	if (F && F->getMaxAlignment())
		s += " __attribute__((aligned(" +
		     std::to_string(F->getMaxAlignment() / F->getASTContext().getCharWidth()) +
		     ")))";
	return s;
}

std::string clang_signature(const FunctionDecl *F, const PrintingPolicy &policy)
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

namespace
{

/* Writes the text of a C++ class for C. A nested or unnamed class is written at the member that
 * needs it. */
class RecordForC
{
      public:
	explicit RecordForC(const ASTContext &C) : C(C), policy(clang_type_policy(C))
	{
	}

	std::string text;

	bool put(const CXXRecordDecl *R)
	{
		const auto *packing = R->getAttr<MaxFieldAlignmentAttr>();
		unsigned bits = packing ? packing->getAlignment() : 0;

		if (!R->isCompleteDefinition() || R->isInvalidDecl() || R->getNumBases() ||
		    R->isPolymorphic() || R->isDependentContext() || !R->isTriviallyCopyable())
			return false;
		if (bits)
			text += "_Pragma(\"pack(push, " + std::to_string(bits / C.getCharWidth()) +
				")\") ";
		text += R->isUnion() ? "union " : "struct ";
		if (R->hasAttr<PackedAttr>())
			text += "__attribute__((packed)) ";
		put_alignment(R->getMaxAlignment());
		text += R->getNameAsString() + (R->getIdentifier() ? " {" : "{");
		for (const FieldDecl *F : R->fields())
			if (!put_field(R, F))
				return false;
		text += " }";
		if (bits)
			text += " _Pragma(\"pack(pop)\")";
		return true;
	}

      private:
	const ASTContext &C;
	const PrintingPolicy policy;

	void put_alignment(unsigned bits)
	{
		if (bits)
			text += "__attribute__((aligned(" +
				std::to_string(bits / C.getCharWidth()) + "))) ";
	}

	/* Returns the member's class, if it is defined inside of R. */
	const CXXRecordDecl *inner_class(const CXXRecordDecl *R, QualType T)
	{
		const CXXRecordDecl *inner = C.getBaseElementType(T)->getAsCXXRecordDecl();

		return inner && (!inner->getIdentifier() || inner->getLexicalParent() == R)
			       ? inner
			       : nullptr;
	}

	bool put_field(const CXXRecordDecl *R, const FieldDecl *F)
	{
		QualType T = F->getType().getCanonicalType();
		std::string name = F->getNameAsString();

		if (const auto *E = T->getAs<EnumType>();
		    E && E->getDecl()->getLexicalParent() == R)
			T = E->getDecl()->getIntegerType().getCanonicalType();
		text += " ";
		put_alignment(F->getMaxAlignment());
		if (const CXXRecordDecl *inner = inner_class(R, T)) {
			if (!put(inner))
				return false;
			for (; const ConstantArrayType *A = C.getAsConstantArrayType(T);
			     T = A->getElementType())
				name += "[" + std::to_string(A->getSize().getZExtValue()) + "]";
			text += name.empty() ? ";" : " " + name + ";";
			return true;
		}
		T.getAsStringInternal(name, policy);
		text += name;
		text += F->isBitField() ? " : " + std::to_string(bit_width(F, C)) : "";
		text += ";";
		return true;
	}
};

} // namespace

std::string clang_type_c_record(const CXXRecordDecl *R)
{
	RecordForC record(R->getASTContext());

	return record.put(R) ? record.text : "";
}

/* Types are printed in the syntax of C, also those of C++. */
PrintingPolicy clang_type_policy(const ASTContext &C)
{
	PrintingPolicy P(C.getLangOpts().CPlusPlus ? LangOptions() : C.getLangOpts());

	P.AnonymousTagLocations = false;
	return P;
}

bool clang_is_lambda(QualType T)
{
	const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();

	return R && R->isLambda();
}

bool clang_type_is_of_the_library(const CXXRecordDecl *R)
{
	for (const DeclContext *D = R; D; D = D->getParent())
		if (D->isStdNamespace())
			return true;
	return false;
}

bool clang_is_constant(const VarDecl *V)
{
	QualType T = V->getType();

	/* The value is in no text of its own. */
	if (clang_bindings_made(V))
		return false;
	if (V->isConstexpr() || clang_is_lambda(T))
		return true;
	return T.isConstQualified() && V->getInit() && !V->getInit()->isValueDependent() &&
	       V->hasConstantInitialization() && !T.isDestructedType();
}

std::string clang_constant_value(const VarDecl *V)
{
	QualType T = V->getType();
	const auto *B = T->getAs<BuiltinType>();
	bool is_constant = B && T.isConstQualified() && !T.isVolatileQualified() && V->getInit() &&
			   !V->isInvalidDecl();
	const APValue *value =
		is_constant && V->getInit()->isConstantInitializer(V->getASTContext(), false)
			? V->evaluateValue()
			: nullptr;
	llvm::SmallString<48> text;

	if (value && value->isInt()) {
		value->getInt().toString(text, 10);
		return text.str().str();
	}
	if (!value || !value->isFloat() ||
	    !(B->getKind() == BuiltinType::Float || B->getKind() == BuiltinType::Double) ||
	    !value->getFloat().isFinite())
		return "";
	char digits[48];

	/* Hexadecimal digits are exact for both types. */
	snprintf(digits, sizeof(digits), "%a",
		 B->getKind() == BuiltinType::Float ? value->getFloat().convertToFloat()
						    : value->getFloat().convertToDouble());
	return digits;
}
