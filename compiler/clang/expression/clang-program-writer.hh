/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the program of an expression: operations, jumps, the kinds of types, names of variables.
 * For clang-program.cc alone. */
#ifndef CGPU_COMPILER_CLANG_PROGRAM_WRITER_HH
#define CGPU_COMPILER_CLANG_PROGRAM_WRITER_HH

#include "compiler/clang/expression/clang-program.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>

#include <cstring>
#include <memory>

class ProgramWriter
{
      public:
	explicit ProgramWriter(clang::ASTContext &C) : C(C), mangling(C.createMangleContext())
	{
	}

      protected:
	clang::ASTContext &C;
	clang_program made = {};

	/* ---- operations ---- */

	void refuse(std::string why)
	{
		if (made.refusal.empty())
			made.refusal = std::move(why);
	}

	void put(expression_operation op)
	{
		made.code += (char)op;
	}

	void put(expression_operation op, expression_kind kind)
	{
		put(op);
		made.code += (char)kind;
	}

	void put_index(expression_operation op, uint32_t index)
	{
		put(op);
		made.code.append((const char *)&index, sizeof(index));
	}

	void put_word(uint64_t word)
	{
		put(EXPRESSION_CONST);
		made.code.append((const char *)&word, sizeof(word));
	}

	void put_float(double number)
	{
		uint64_t word;

		memcpy(&word, &number, sizeof(word));
		put_word(word);
	}

	/* Begins a jump, whose distance land() writes. */
	size_t leap(expression_operation op)
	{
		put_index(op, 0);
		return made.code.size();
	}

	void land(size_t from)
	{
		auto over = (uint32_t)(made.code.size() - from);

		memcpy(&made.code[from - sizeof(over)], &over, sizeof(over));
	}

	void add(int64_t offset)
	{
		if (!offset)
			return;
		put_word((uint64_t)offset);
		put(EXPRESSION_ADD);
	}

	/* ---- types ---- */

	std::string text_of(clang::QualType T)
	{
		return T.getAsString(clang::PrintingPolicy(C.getLangOpts()));
	}

	/* Returns the kind of a type whose values are words. */
	expression_kind kind_of(clang::QualType T)
	{
		T = T.getCanonicalType();
		if (const auto *E = T->getAs<clang::EnumType>())
			T = E->getDecl()->getIntegerType();
		if (T->isAnyPointerType() || T->isNullPtrType() || T->isReferenceType())
			return EXPRESSION_U8;
		if (T->isBooleanType())
			return EXPRESSION_BOOL;
		if (T->isSpecificBuiltinType(clang::BuiltinType::Float))
			return EXPRESSION_F4;
		if (T->isSpecificBuiltinType(clang::BuiltinType::Double))
			return EXPRESSION_F8;
		if (T->isIntegerType() && C.getTypeSize(T) <= 64) {
			static const expression_kind with_sign[] = { EXPRESSION_I1, EXPRESSION_I2,
								     EXPRESSION_I4, EXPRESSION_I8 };
			auto i = (unsigned)llvm::Log2_64(C.getTypeSize(T) / 8);

			return (expression_kind)(with_sign[i] +
						 (T->isSignedIntegerType() ? 0 : EXPRESSION_U1));
		}
		refuse("values of type `" + text_of(T) + "` are not computed");
		return EXPRESSION_U8;
	}

	static bool is_float(expression_kind kind)
	{
		return kind == EXPRESSION_F4 || kind == EXPRESSION_F8;
	}

	static bool has_sign(expression_kind kind)
	{
		return kind <= EXPRESSION_I8;
	}

	/* What an integer of less than a word must be wrapped to behind an operation. */
	void fit(expression_kind kind)
	{
		if (kind != EXPRESSION_I8 && kind != EXPRESSION_U8 && kind != EXPRESSION_F8)
			put(EXPRESSION_FIT, kind);
	}

	int64_t size_of(clang::QualType T)
	{
		if (T->isVoidType() || T->isFunctionType())
			return 1;
		if (!T->isIncompleteType() && !T->isVariableArrayType())
			return C.getTypeSizeInChars(T).getQuantity();
		refuse("the size of `" + text_of(T) + "` is not known here");
		return 1;
	}

	/* ---- names and slots ---- */

	/* Leaves the address of a local variable. */
	void local(const std::string &name, uint32_t line)
	{
		uint32_t i = 0;

		for (; i < made.locals.size(); i++)
			if (made.locals[i].first == name && made.locals[i].second == line)
				break;
		if (i == made.locals.size())
			made.locals.emplace_back(name, line);
		if (made.locals.size() > EXPRESSION_NAMES_MAX)
			refuse("it has too many names");
		put_index(EXPRESSION_LOCAL, i);
	}

	/* Leaves the address of a variable of the session. */
	void of_session(const clang::VarDecl *V)
	{
		std::string symbol;
		uint32_t i = 0;

		if (V->hasAttr<clang::CUDADeviceAttr>() || V->hasAttr<clang::CUDAConstantAttr>() ||
		    V->getTLSKind() != clang::VarDecl::TLS_None) {
			refuse("`" + V->getNameAsString() + "` lies " +
			       (V->getTLSKind() == clang::VarDecl::TLS_None ? "on the device"
									    : "in a thread") +
			       ": nothing is computed with it while the cell stands");
			return;
		}
		if (mangling->shouldMangleDeclName(V)) {
			llvm::raw_string_ostream stream(symbol);

			mangling->mangleName(clang::GlobalDecl(V), stream);
		} else {
			symbol = V->getNameAsString();
		}
		for (; i < made.variables.size(); i++)
			if (made.variables[i] == symbol)
				break;
		if (i == made.variables.size())
			made.variables.push_back(symbol);
		if (made.variables.size() > EXPRESSION_NAMES_MAX)
			refuse("it has too many names");
		put_index(EXPRESSION_VARIABLE, i);
	}

	uint32_t line_of(const clang::Decl *D)
	{
		const clang::SourceManager &SM = C.getSourceManager();
		clang::PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(D->getLocation()));

		return P.isValid() ? P.getLine() : 0;
	}

	uint32_t take_slot()
	{
		if (n_slots == EXPRESSION_SLOTS_MAX) {
			refuse("it is too long");
			return 0;
		}
		return n_slots++;
	}

	/* Takes the word on top into a slot. */
	uint32_t keep()
	{
		uint32_t slot = take_slot();

		put_index(EXPRESSION_KEEP, slot);
		return slot;
	}

	/* Exchanges the two words on top. */
	void swap()
	{
		uint32_t upper = take_slot(), lower = take_slot();

		put_index(EXPRESSION_KEEP, upper);
		put_index(EXPRESSION_KEEP, lower);
		put_index(EXPRESSION_SLOT, upper);
		put_index(EXPRESSION_SLOT, lower);
	}

      private:
	std::unique_ptr<clang::MangleContext> mangling;
	uint32_t n_slots = 0;
};

#endif
