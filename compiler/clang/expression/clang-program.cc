/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value of the tree becomes a word on the stack, an object its address. Constants are computed by
 * clang. A call is replaced by what the function returns, with its arguments in slots, or, where an
 * argument is an object, with its address in one: nothing changes while a program runs, so an
 * object and a copy of it are the same.
 */
#include "compiler/clang/expression/clang-program.hh"

#include "compiler/clang/expression/clang-program-writer.hh"
#include "compiler/clang/expression/clang-returned.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/Version.h>

#include <map>
#include <optional>

using namespace clang;

namespace
{

/* Calls within calls. */
constexpr unsigned depth_max = 24;

/* Of a function whose `return` is being translated. */
struct Inlined {
	std::map<const ParmVarDecl *, uint32_t> slots;
	std::optional<uint32_t> object; /* slot of `this` */
	const Inlined *caller;          /* whose arguments default arguments belong to */
};

class Translation : ProgramWriter
{
      public:
	Translation(ASTContext &C, const DeclContext *here,
		    const std::function<void(FunctionDecl *)> &define)
	    : ProgramWriter(C), here(here), define(define)
	{
	}

	clang_program run(const Expr *E)
	{
		E = E->IgnoreParens();
		made.type = E->getType();
		if (made.type->isVoidType())
			refuse("it has no value");
		else if (made.type->isFunctionType() ||
			 made.type->isSpecificBuiltinType(BuiltinType::BoundMember))
			refuse("a function is no value: write a call of it in a cell");
		else if (E->isGLValue() && !E->refersToBitField())
			whole_place(E);
		else if (made.type->isRecordType())
			whole_object(E);
		else
			whole_value(E);
		if (made.refusal.empty() && made.code.size() > EXPRESSION_CODE_MAX)
			refuse("it is too long");
		return std::move(made);
	}

      private:
	const DeclContext *here;
	const std::function<void(FunctionDecl *)> &define;
	const Inlined *inlined = nullptr;
	unsigned depth = 0;

	void whole_place(const Expr *E)
	{
		made.kind = EXPRESSION_PLACE;
		place(E);
	}

	void whole_object(const Expr *E)
	{
		made.kind = EXPRESSION_PLACE;
		object(E);
	}

	void whole_value(const Expr *E)
	{
		made.kind = kind_of(made.type);
		E->isGLValue() ? load(E) : value(E);
	}

	/* ---- constants ---- */

	bool constant(const Expr *E)
	{
		Expr::EvalResult result;

		if (E->isValueDependent() || !E->isPRValue() || !E->EvaluateAsRValue(result, C) ||
		    result.HasSideEffects)
			return false;
		if (result.Val.isInt() && result.Val.getInt().getBitWidth() <= 64) {
			const llvm::APSInt &n = result.Val.getInt();

			put_word(n.isSigned() ? (uint64_t)n.getSExtValue() : n.getZExtValue());
			return true;
		}
		if (result.Val.isFloat() && is_float(kind_of(E->getType()))) {
			put_float(result.Val.getFloat().convertToDouble());
			return true;
		}
		if (result.Val.isNullPointer()) {
			put_word(0);
			return true;
		}
		return false;
	}

	/* ---- values ---- */

	void value(const Expr *E)
	{
		if (!made.refusal.empty())
			return;
		E = E->IgnoreParens();
		if (constant(E))
			return;
		if (const auto *X = dyn_cast<CastExpr>(E))
			cast_value(X);
		else if (const auto *X = dyn_cast<BinaryOperator>(E))
			binary(X);
		else if (const auto *X = dyn_cast<UnaryOperator>(E))
			unary(X);
		else if (const auto *X = dyn_cast<ConditionalOperator>(E))
			choose(X, [this](const Expr *part) { value(part); });
		else if (isa<CXXThisExpr>(E))
			this_value();
		else if (const auto *X = dyn_cast<PseudoObjectExpr>(E))
			property(X);
		else
			pass_on(E, [this](const Expr *part) { value(part); });
	}

	/* What is the same as something within it; calls, whose value is what is returned. */
	void pass_on(const Expr *E, const std::function<void(const Expr *)> &translate)
	{
		if (const auto *X = dyn_cast<CallExpr>(E))
			call(X, translate);
		else if (const auto *X = dyn_cast<FullExpr>(E))
			translate(X->getSubExpr());
		else if (const auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
			translate(X->getReplacement());
		else if (const auto *X = dyn_cast<CXXRewrittenBinaryOperator>(E))
			translate(X->getSemanticForm());
		else if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(E))
			translate(X->getSubExpr());
		else if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
			translate(X->getExpr());
		else if (const auto *X = dyn_cast<InitListExpr>(E); X && X->getNumInits() == 1)
			translate(X->getInit(0));
		else if (isa<CXXConstructExpr>(E) || isa<InitListExpr>(E))
			refuse("it would make an object of type `" + text_of(E->getType()) +
			       "`, and nothing is made while the cell stands");
		else if (isa<StringLiteral>(E))
			refuse("a string literal is no object of the cell");
		else if (isa<LambdaExpr>(E) || isa<StmtExpr>(E))
			refuse("it has statements, and none is run while the cell stands");
		else
			refuse("an expression of this kind is not computed while the cell stands");
	}

	void cast_value(const CastExpr *E)
	{
		const Expr *sub = E->getSubExpr();

		switch (E->getCastKind()) {
		case CK_LValueToRValue:
			load(sub);
			return;
		case CK_ArrayToPointerDecay:
			place(sub);
			return;
		case CK_NoOp:
		case CK_BitCast:
		case CK_UserDefinedConversion:
		case CK_AtomicToNonAtomic:
		case CK_NonAtomicToAtomic:
			value(sub);
			return;
		case CK_DerivedToBase:
		case CK_UncheckedDerivedToBase:
			value(sub);
			to_base(sub->getType()->getPointeeType(), E);
			return;
		case CK_BaseToDerived:
			value(sub);
			to_derived(E->getType()->getPointeeType(), E);
			return;
		default:
			value(sub);
			convert(kind_of(sub->getType()), kind_of(E->getType()), E->getCastKind());
		}
	}

	void convert(expression_kind from, expression_kind to, CastKind kind)
	{
		switch (kind) {
		case CK_IntegralCast:
		case CK_IntegralToPointer:
		case CK_PointerToIntegral:
		case CK_BooleanToSignedIntegral:
		case CK_IntegralToBoolean:
		case CK_PointerToBoolean:
			fit(to);
			return;
		case CK_IntegralToFloating:
			put(has_sign(from) ? EXPRESSION_S_TO_F : EXPRESSION_U_TO_F);
			fit(to);
			return;
		case CK_FloatingToIntegral:
			put(has_sign(to) ? EXPRESSION_F_TO_S : EXPRESSION_F_TO_U);
			fit(to);
			return;
		case CK_FloatingCast:
			fit(to);
			return;
		case CK_FloatingToBoolean:
			is_not_zero(from);
			return;
		default:
			refuse("a conversion of this kind is not computed while the cell stands");
		}
	}

	void is_not_zero(expression_kind kind)
	{
		if (is_float(kind)) {
			put_float(0);
			put(EXPRESSION_F_EQ);
			put(EXPRESSION_IS_ZERO);
		} else {
			put(EXPRESSION_FIT, EXPRESSION_BOOL);
		}
	}

	/* Leaves 0 or 1. */
	void truth(const Expr *E)
	{
		value(E);
		is_not_zero(kind_of(E->getType()));
	}

	/* Reads an object that is a word. */
	void load(const Expr *E)
	{
		const FieldDecl *bits = E->getSourceBitField();

		if (bits) {
			load_bits(E, bits);
			return;
		}
		if (E->getType()->isRecordType()) {
			place(E);
			return;
		}
		place(E);
		put(EXPRESSION_LOAD, kind_of(E->getType()));
	}

	void load_bits(const Expr *E, const FieldDecl *F)
	{
		const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenNoopCasts(C));
		uint64_t offset = C.getFieldOffset(F), first = offset % 8;
#if CLANG_VERSION_MAJOR >= 20
		uint64_t width = F->getBitWidthValue();
#else
		uint64_t width = F->getBitWidthValue(C);
#endif
		bool is_signed = F->getType()->isSignedIntegerOrEnumerationType();

		if (!M || first + width > 64) {
			refuse("a bit-field of this kind is not read");
			return;
		}
		owner(M);
		add((int64_t)(offset / 8));
		put(EXPRESSION_LOAD, first + width <= 8    ? EXPRESSION_U1
				     : first + width <= 16 ? EXPRESSION_U2
				     : first + width <= 32 ? EXPRESSION_U4
							   : EXPRESSION_U8);
		put_word(64 - first - width);
		put(EXPRESSION_SHL);
		put_word(64 - width);
		put(is_signed ? EXPRESSION_SHR_S : EXPRESSION_SHR_U);
	}

	void this_value()
	{
		if (inlined && inlined->object)
			put_index(EXPRESSION_SLOT, *inlined->object);
		else if (!inlined) {
			local("this", is_in_lambda() ? EXPRESSION_CAPTURED : 0);
			put(EXPRESSION_LOAD, EXPRESSION_U8);
		} else {
			refuse("`this` is not known here");
		}
	}

	/* Clang's header makes x, y and z of threadIdx and its kin properties. */
	void property(const PseudoObjectExpr *E)
	{
		const auto *P = dyn_cast<MSPropertyRefExpr>(E->getSyntacticForm()->IgnoreParens());
		const Expr *base = P ? P->getBaseExpr()->IgnoreParens() : nullptr;

		if (const auto *X = dyn_cast_or_null<OpaqueValueExpr>(base))
			base = X->getSourceExpr()->IgnoreParens();
		const auto *of = dyn_cast_or_null<DeclRefExpr>(base);

		if (!of) {
			refuse("properties are not read");
			return;
		}
		local(of->getDecl()->getNameAsString() + "." +
			      P->getPropertyDecl()->getNameAsString(),
		      0);
		put(EXPRESSION_LOAD, EXPRESSION_U4);
	}

	/* ---- operators ---- */

	void unary(const UnaryOperator *E)
	{
		expression_kind kind =
			E->getType()->isRecordType() ? EXPRESSION_U8 : kind_of(E->getType());

		switch (E->getOpcode()) {
		case UO_AddrOf:
			place(E->getSubExpr());
			return;
		case UO_Plus:
		case UO_Extension:
			value(E->getSubExpr());
			return;
		case UO_Minus:
			value(E->getSubExpr());
			put(is_float(kind) ? EXPRESSION_F_NEG : EXPRESSION_NEG);
			fit(kind);
			return;
		case UO_Not:
			value(E->getSubExpr());
			put(EXPRESSION_NOT);
			fit(kind);
			return;
		case UO_LNot:
			truth(E->getSubExpr());
			put(EXPRESSION_IS_ZERO);
			return;
		default:
			refuse(changes(UnaryOperator::getOpcodeStr(E->getOpcode())));
		}
	}

	static std::string changes(StringRef op)
	{
		return "`" + op.str() +
		       "` changes a variable, and nothing is changed while the cell stands";
	}

	void binary(const BinaryOperator *E)
	{
		if (E->isAssignmentOp()) {
			refuse(changes(E->getOpcodeStr()));
		} else if (E->getOpcode() == BO_Comma) {
			behind_comma(E, [this](const Expr *part) { value(part); });
		} else if (E->isLogicalOp()) {
			logical(E);
		} else if (E->isComparisonOp()) {
			compare(E);
		} else if (E->isAdditiveOp() && (E->getLHS()->getType()->isPointerType() ||
						 E->getRHS()->getType()->isPointerType())) {
			move_pointer(E);
		} else if (E->isPtrMemOp()) {
			refuse("pointers to members are not followed");
		} else {
			arithmetic(E);
		}
	}

	/* Whatever is in front of the comma has no use but what it changes. */
	void behind_comma(const BinaryOperator *E,
			  const std::function<void(const Expr *)> &translate)
	{
		if (E->getLHS()->HasSideEffects(C))
			refuse("what is in front of `,` may change a variable, and nothing is "
			       "changed while the cell stands");
		else
			translate(E->getRHS());
	}

	void logical(const BinaryOperator *E)
	{
		bool is_and = E->getOpcode() == BO_LAnd;

		truth(E->getLHS());
		if (!is_and)
			put(EXPRESSION_IS_ZERO);
		size_t to_short = leap(EXPRESSION_JUMP_IF_ZERO);

		truth(E->getRHS());
		size_t to_end = leap(EXPRESSION_JUMP);

		land(to_short);
		put_word(!is_and);
		land(to_end);
	}

	/* The order in which operands are read makes no difference. */
	void compare(const BinaryOperator *E)
	{
		expression_kind kind = kind_of(E->getLHS()->getType());
		BinaryOperatorKind op = E->getOpcode();
		bool is_turned = op == BO_GT || op == BO_GE;

		if (op == BO_Cmp) {
			refuse("`<=>` would make an object, and nothing is made while the cell "
			       "stands");
			return;
		}
		value(is_turned ? E->getRHS() : E->getLHS());
		value(is_turned ? E->getLHS() : E->getRHS());
		if (op == BO_EQ || op == BO_NE)
			put(is_float(kind) ? EXPRESSION_F_EQ : EXPRESSION_EQ);
		else if (is_float(kind))
			put(op == BO_LE || op == BO_GE ? EXPRESSION_F_LE : EXPRESSION_F_LT);
		else
			less(kind, op == BO_LE || op == BO_GE);
		if (op == BO_NE)
			put(EXPRESSION_IS_ZERO);
	}

	/* a <= b is !(b < a). */
	void less(expression_kind kind, bool or_equal)
	{
		if (or_equal)
			swap();
		put(has_sign(kind) ? EXPRESSION_LT_S : EXPRESSION_LT_U);
		if (or_equal)
			put(EXPRESSION_IS_ZERO);
	}

	void move_pointer(const BinaryOperator *E)
	{
		const Expr *left = E->getLHS(), *right = E->getRHS();
		bool is_left = left->getType()->isPointerType(),
		     is_right = right->getType()->isPointerType();
		QualType to = (is_left ? left : right)->getType()->getPointeeType();
		int64_t size = size_of(to);

		value(left);
		if (is_right && !is_left)
			scale(size);
		value(right);
		if (is_left && !is_right)
			scale(size);
		put(E->getOpcode() == BO_Add ? EXPRESSION_ADD : EXPRESSION_SUB);
		if (is_left && is_right) {
			put_word((uint64_t)(size ? size : 1));
			put(EXPRESSION_DIV_S);
		}
	}

	void scale(int64_t size)
	{
		put_word((uint64_t)size);
		put(EXPRESSION_MUL);
	}

	void arithmetic(const BinaryOperator *E)
	{
		static const struct {
			BinaryOperatorKind op;
			expression_operation with_sign, without, of_floats;
		} table[] = {
			{ BO_Add, EXPRESSION_ADD, EXPRESSION_ADD, EXPRESSION_F_ADD },
			{ BO_Sub, EXPRESSION_SUB, EXPRESSION_SUB, EXPRESSION_F_SUB },
			{ BO_Mul, EXPRESSION_MUL, EXPRESSION_MUL, EXPRESSION_F_MUL },
			{ BO_Div, EXPRESSION_DIV_S, EXPRESSION_DIV_U, EXPRESSION_F_DIV },
			{ BO_Rem, EXPRESSION_REM_S, EXPRESSION_REM_U, EXPRESSION_OPERATIONS },
			{ BO_Shl, EXPRESSION_SHL, EXPRESSION_SHL, EXPRESSION_OPERATIONS },
			{ BO_Shr, EXPRESSION_SHR_S, EXPRESSION_SHR_U, EXPRESSION_OPERATIONS },
			{ BO_And, EXPRESSION_AND, EXPRESSION_AND, EXPRESSION_OPERATIONS },
			{ BO_Or, EXPRESSION_OR, EXPRESSION_OR, EXPRESSION_OPERATIONS },
			{ BO_Xor, EXPRESSION_XOR, EXPRESSION_XOR, EXPRESSION_OPERATIONS },
		};
		expression_kind kind = kind_of(E->getType());

		value(E->getLHS());
		value(E->getRHS());
		for (const auto &row : table)
			if (row.op == E->getOpcode())
				put(is_float(kind)   ? row.of_floats
				    : has_sign(kind) ? row.with_sign
						     : row.without);
		fit(kind);
	}

	void choose(const ConditionalOperator *E,
		    const std::function<void(const Expr *)> &translate)
	{
		truth(E->getCond());
		size_t to_false = leap(EXPRESSION_JUMP_IF_ZERO);

		translate(E->getTrueExpr());
		size_t to_end = leap(EXPRESSION_JUMP);

		land(to_false);
		translate(E->getFalseExpr());
		land(to_end);
	}

	/* ---- objects ---- */

	/* Leaves the address of what an expression names. */
	void place(const Expr *E)
	{
		if (!made.refusal.empty())
			return;
		E = E->IgnoreParens();
		if (const auto *X = dyn_cast<DeclRefExpr>(E))
			named(X->getDecl());
		else if (const auto *X = dyn_cast<MemberExpr>(E))
			member(X);
		else if (const auto *X = dyn_cast<ArraySubscriptExpr>(E))
			element(X);
		else if (const auto *X = dyn_cast<UnaryOperator>(E))
			place_of_unary(X);
		else if (const auto *X = dyn_cast<CastExpr>(E))
			place_of_cast(X);
		else if (const auto *X = dyn_cast<ConditionalOperator>(E))
			choose(X, [this](const Expr *part) { place(part); });
		else if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
			temporary(X->getSubExpr());
		else if (const auto *X = dyn_cast<BinaryOperator>(E))
			place_of_binary(X);
		else
			pass_on(E, [this](const Expr *part) { place(part); });
	}

	void temporary(const Expr *E)
	{
		if (E->getType()->isRecordType()) {
			object(E);
			return;
		}
		value(E);
		put(EXPRESSION_SPILL, kind_of(E->getType()));
	}

	/* Leaves the address of an object that is the same as one that would be made. */
	void object(const Expr *E)
	{
		const auto *made_by = dyn_cast<CXXConstructExpr>(E->IgnoreParenImpCasts());

		if (E->isGLValue())
			place(E);
		else if (made_by && made_by->getNumArgs() &&
			 made_by->getConstructor()->isCopyOrMoveConstructor() &&
			 made_by->getConstructor()->isTrivial())
			object(made_by->getArg(0));
		else if (made_by && one_member(made_by))
			construct(made_by);
		else if (const auto *X = dyn_cast<CastExpr>(E->IgnoreParens());
			 X && (X->getCastKind() == CK_LValueToRValue ||
			       X->getCastKind() == CK_ConstructorConversion ||
			       X->getCastKind() == CK_UserDefinedConversion ||
			       X->getCastKind() == CK_NoOp))
			object(X->getSubExpr());
		else if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
			object(X->getSubExpr());
		else
			pass_on(E->IgnoreParens(), [this](const Expr *part) { object(part); });
	}

	const Expr *one_member(const CXXConstructExpr *E)
	{
		define(E->getConstructor());
		return clang_one_member(E);
	}

	void construct(const CXXConstructExpr *E)
	{
		const Expr *from = one_member(E);
		const FunctionDecl *with_body = E->getConstructor();
		Inlined own = { {}, {}, inlined };

		with_body->getBody(with_body);
		pass_all(E->getArgs(), E->getNumArgs(), with_body, &own);
		inlined = &own;
		temporary(from);
		inlined = own.caller;
	}

	bool is_in_lambda() const
	{
		const auto *method = dyn_cast<CXXMethodDecl>(here);

		return method && method->getParent()->isLambda();
	}

	/* Leaves the address of a variable of the function, or of one around the lambda that the
	 * function is. */
	void named_here(const VarDecl *V)
	{
		if (V->isInitCapture() || (V->hasLocalStorage() && V->getDeclContext() != here)) {
			local(V->getNameAsString(), EXPRESSION_CAPTURED);
			return;
		}
		local(V->getNameAsString(), line_of(V));
		if (V->getType()->isReferenceType())
			put(EXPRESSION_LOAD, EXPRESSION_U8);
	}

	void named(const ValueDecl *D)
	{
		if (const auto *B = dyn_cast<BindingDecl>(D)) {
			if (B->getHoldingVar())
				named(B->getHoldingVar());
			else
				place(B->getBinding());
			return;
		}
		const auto *V = dyn_cast<VarDecl>(D);
		const auto *P = dyn_cast<ParmVarDecl>(D);

		if (!V) {
			refuse("`" + D->getNameAsString() + "` is no variable");
			return;
		}
		if (P && inlined) {
			argument(P);
			return;
		}
		if (V->isLocalVarDeclOrParm()) {
			named_here(V);
			return;
		}
		of_session(V);
		if (V->getType()->isReferenceType())
			put(EXPRESSION_LOAD, EXPRESSION_U8);
	}

	/* A slot has the address of what a parameter refers to, or of the object that it is. */
	void argument(const ParmVarDecl *P)
	{
		auto found = inlined->slots.find(P);

		if (found == inlined->slots.end())
			refuse("`" + P->getNameAsString() + "` is not known here");
		else
			put_index(EXPRESSION_SLOT, found->second);
	}

	/* Leaves the address of the object that a member is of. */
	void owner(const MemberExpr *E)
	{
		if (E->isArrow())
			value(E->getBase());
		else if (E->getBase()->isGLValue())
			place(E->getBase());
		else
			object(E->getBase());
	}

	void member(const MemberExpr *E)
	{
		const auto *F = dyn_cast<FieldDecl>(E->getMemberDecl());

		if (!F) {
			named(E->getMemberDecl());
			return;
		}
		owner(E);
		add((int64_t)C.getFieldOffset(F) / 8);
		if (F->getType()->isReferenceType())
			put(EXPRESSION_LOAD, EXPRESSION_U8);
	}

	void element(const ArraySubscriptExpr *E)
	{
		if (E->getBase()->getType()->isVectorType()) {
			refuse("elements of vectors are not read");
			return;
		}
		value(E->getBase());
		value(E->getIdx());
		scale(size_of(E->getType()));
		put(EXPRESSION_ADD);
	}

	void place_of_unary(const UnaryOperator *E)
	{
		if (E->getOpcode() == UO_Deref)
			value(E->getSubExpr());
		else if (E->getOpcode() == UO_Extension)
			place(E->getSubExpr());
		else if (E->isIncrementDecrementOp())
			refuse(changes(UnaryOperator::getOpcodeStr(E->getOpcode())));
		else
			refuse("an expression of this kind is not computed while the cell stands");
	}

	void place_of_binary(const BinaryOperator *E)
	{
		if (E->isAssignmentOp())
			refuse(changes(E->getOpcodeStr()));
		else if (E->getOpcode() == BO_Comma)
			behind_comma(E, [this](const Expr *part) { place(part); });
		else
			refuse("pointers to members are not followed");
	}

	void place_of_cast(const CastExpr *E)
	{
		const Expr *sub = E->getSubExpr();

		switch (E->getCastKind()) {
		case CK_NoOp:
		case CK_LValueBitCast:
		case CK_LValueToRValue:
		case CK_UserDefinedConversion:
			place(sub);
			return;
		case CK_DerivedToBase:
		case CK_UncheckedDerivedToBase:
			place(sub);
			to_base(sub->getType(), E);
			return;
		case CK_BaseToDerived:
			place(sub);
			to_derived(E->getType(), E);
			return;
		default:
			refuse("a conversion of this kind is not computed while the cell stands");
		}
	}

	/* Returns how far the base at the end of the path lies in a derived class. */
	int64_t base_offset(QualType derived, const CastExpr *E)
	{
		const CXXRecordDecl *R = derived->getAsCXXRecordDecl();
		int64_t offset = 0;

		for (auto step = E->path_begin(); R && step != E->path_end(); ++step) {
			const CXXRecordDecl *base = (*step)->getType()->getAsCXXRecordDecl();

			if ((*step)->isVirtual()) {
				refuse("virtual bases are not followed");
				return 0;
			}
			offset += C.getASTRecordLayout(R).getBaseClassOffset(base).getQuantity();
			R = base;
		}
		return offset;
	}

	void to_base(QualType derived, const CastExpr *E)
	{
		add(base_offset(derived, E));
	}

	/* The path leads from the derived class to the base, here too. */
	void to_derived(QualType derived, const CastExpr *E)
	{
		add(-base_offset(derived, E));
	}

	/* ---- calls ---- */

	void call(const CallExpr *E, const std::function<void(const Expr *)> &translate)
	{
		const auto *method = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
		FunctionDecl *F = const_cast<FunctionDecl *>(E->getDirectCallee());

		if (F && clang_is_its_argument(F)) {
			place(E->getArg(0));
			return;
		}
		if (!F || depth == depth_max || (method && method->isVirtual())) {
			refuse(F ? "`" + F->getNameAsString() +
					       "` is not called while the cell stands"
				 : "no function is called while the cell stands");
			return;
		}
		define(F);
		const FunctionDecl *with_body = F;
		const Expr *returned =
			F->getBody(with_body) ? clang_only_return(with_body) : nullptr;

		if (!returned) {
			refuse("`" + F->getNameAsString() +
			       "` does more than to return an expression, so it is not called "
			       "while the cell stands");
			return;
		}
		Inlined own = { {}, {}, inlined };

		pass_arguments(E, with_body, &own);
		inlined = &own;
		depth++;
		translate(returned);
		depth--;
		inlined = own.caller;
	}

	/* Computes the arguments, and the object of a member function, into slots. */
	void pass_arguments(const CallExpr *E, const FunctionDecl *F, Inlined *own)
	{
		const auto *method = dyn_cast<CXXMethodDecl>(F);
		unsigned first = 0;

		if (method && !method->isStatic() && isa<CXXMemberCallExpr>(E)) {
			const Expr *of = cast<CXXMemberCallExpr>(E)->getImplicitObjectArgument();

			of->getType()->isPointerType() ? value(of) : object(of);
			own->object = keep();
		} else if (method && !method->isStatic() && isa<CXXOperatorCallExpr>(E)) {
			object(E->getArg(0));
			own->object = keep();
			first = 1;
		}
		pass_all(E->getArgs() + first, E->getNumArgs() - first, F, own);
	}

	void pass_all(const Expr *const *arguments, unsigned n, const FunctionDecl *F, Inlined *own)
	{
		for (unsigned i = 0; i < F->getNumParams() && i < n; i++) {
			pass(arguments[i], F->getParamDecl(i));
			own->slots[F->getParamDecl(i)] = keep();
		}
	}

	void pass(const Expr *E, const ParmVarDecl *P)
	{
		if (P->getType()->isReferenceType() || P->getType()->isRecordType())
			object(E);
		else
			temporary(E);
	}
};

} // namespace

clang_program clang_program_of(const Expr *E, ASTContext &C, const DeclContext *here,
			       const std::function<void(FunctionDecl *)> &define)
{
	return Translation(C, here, define).run(E);
}
