/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An expression at a place of a cell: it stands there as the operand of __typeof__, where it means
 * what it means in the cell and is not evaluated. Clang parses up to the place behind it, and the
 * tree of the operand becomes a program.
 */
#include "compiler/clang/clang-cursor.hh"
#include "compiler/clang/expression/clang-program.hh"
#include "compiler/clang/job/clang-job.hh"
#include "compiler/clang/tree/clang-types.hh"

#include <clang/Sema/CodeCompleteConsumer.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>

using namespace clang;

namespace
{

class ExpressionConsumer : public CodeCompleteConsumer
{
      public:
	ExpressionConsumer(const clang_job *job, void (*found)(void *, const clang_expression *))
	    : CodeCompleteConsumer(CodeCompleteOptions()), job(job), found(found),
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

	void ProcessCodeCompleteResults(Sema &S, CodeCompletionContext, CodeCompletionResult *,
					unsigned) override
	{
		const Expr *E = operand(S);

		if (!E || E->containsErrors())
			return;
		if (E->isInstantiationDependent()) {
			refuse("its types are not known in the text of a template: name a variable "
			       "alone");
			return;
		}
		tell(S.Context, clang_program_of(E, S.Context, S.CurContext, [&S](FunctionDecl *F) {
			     if (!F->isDefined() && F->isTemplateInstantiation())
				     S.InstantiateFunctionDefinition(F->getLocation(), F);
		     }));
	}

      private:
	const clang_job *job;
	void (*found)(void *, const clang_expression *);
	CodeCompletionTUInfo info;

	static const Expr *operand(Sema &S)
	{
		LookupResult R(S, &S.PP.getIdentifierTable().get(CLANG_EXPRESSION),
			       SourceLocation(), Sema::LookupOrdinaryName);

		R.suppressDiagnostics();
		S.LookupName(R, S.getCurScope());
		const auto *D =
			R.isSingleResult() ? dyn_cast<TypedefNameDecl>(R.getFoundDecl()) : nullptr;
		const auto *P =
			D ? dyn_cast<PointerType>(D->getUnderlyingType().getTypePtr()) : nullptr;
		const auto *T =
			P ? dyn_cast<TypeOfExprType>(P->getPointeeType().getTypePtr()) : nullptr;

		return T ? T->getUnderlyingExpr() : nullptr;
	}

	/* A type that a class of a library names, as `size_type`, says nothing by that name. */
	static std::string type_text(ASTContext &C, QualType T)
	{
		PrintingPolicy policy(C.getLangOpts());
		const auto *named = T->getAs<TypedefType>();

		if (!C.getLangOpts().CPlusPlus)
			return clang_type_shown(T.getAsString(clang_type_policy(C)));
		return (named && named->getDecl()->getDeclContext()->isRecord()
				? T.getCanonicalType()
				: T)
			.getAsString(policy);
	}

	void refuse(const char *why)
	{
		clang_expression e = {};

		e.refusal = why;
		found(job->context, &e);
	}

	void tell(ASTContext &C, const clang_program &program)
	{
		if (!program.refusal.empty()) {
			refuse(program.refusal.c_str());
			return;
		}
		std::string type = type_text(C, program.type.getUnqualifiedType());
		std::string type_code = clang_type_code(C, program.type);
		std::vector<clang_expression_name> locals;
		std::vector<const char *> variables;
		clang_expression e = {};

		for (const auto &one : program.locals)
			locals.push_back({ one.first.c_str(), one.second });
		for (const std::string &one : program.variables)
			variables.push_back(one.c_str());
		e.type = type.c_str();
		e.type_code = type_code.c_str();
		e.kind = program.kind;
		e.locals = locals.data();
		e.n_locals = locals.size();
		e.variables = variables.data();
		e.n_variables = variables.size();
		e.code = program.code.data();
		e.code_len = program.code.size();
		found(job->context, &e);
	}
};

} // namespace

void clang_shim_express(const struct clang_job *job, unsigned line, unsigned column,
			void (*found)(void *context, const struct clang_expression *e))
{
	clang_parse_to(job, line, column, CLANG_WITH_BODIES, new ExpressionConsumer(job, found));
}
