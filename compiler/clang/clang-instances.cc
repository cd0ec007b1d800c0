/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code is of headers alone when its text is that of a precompiled header, and so are all arguments of templates: then the header
 * and the symbol say what it is. A class of a cell may have the name of another one, and code that uses it is its unit's own, as
 * is what a cell specialises. Code that uses a variable which each unit has for itself, a `static` one of a header, is not shared
 * either: the rest of the unit would use another one.
 *
 * A function that LLVM has left in a module was not inlined at some place, so others lose little when they call it. It gets a
 * second symbol, an alias that is no weak one: the loader takes it for an ordinary function of the session.
 */
#include "compiler/clang/clang-instances.hh"

#include "compiler/clang/clang-instance-keys.hh"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Type.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

using namespace clang;

namespace
{

constexpr unsigned SHORT = 24; /* instructions */

bool is_of_header(const Decl *D);

bool is_of_header(QualType given)
{
	const Type *T = given.getCanonicalType().getTypePtr();

	if (T->isBuiltinType())
		return true;
	if (T->isPointerType() || T->isReferenceType())
		return is_of_header(T->getPointeeType());
	if (auto *A = dyn_cast<ArrayType>(T))
		return is_of_header(A->getElementType());
	if (auto *F = dyn_cast<FunctionProtoType>(T)) {
		for (QualType P : F->param_types())
			if (!is_of_header(P))
				return false;
		return is_of_header(F->getReturnType());
	}
	const TagDecl *D = T->getAsTagDecl();

	return D && is_of_header(D);
}

bool is_of_header(const TemplateArgument &A)
{
	switch (A.getKind()) {
	case TemplateArgument::Type:
		return is_of_header(A.getAsType());
	case TemplateArgument::Integral:
		return is_of_header(A.getIntegralType());
	case TemplateArgument::NullPtr:
		return true;
	case TemplateArgument::Template:
		return A.getAsTemplate().getAsTemplateDecl() && is_of_header(A.getAsTemplate().getAsTemplateDecl());
	case TemplateArgument::Declaration:
		return is_of_header(A.getAsDecl());
	case TemplateArgument::Pack:
		for (const TemplateArgument &one : A.pack_elements())
			if (!is_of_header(one))
				return false;
		return true;
	default:
		return false;
	}
}

bool are_of_header(const TemplateArgumentList *list)
{
	for (unsigned i = 0; list && i < list->size(); i++)
		if (!is_of_header(list->get(i)))
			return false;
	return true;
}

/* What the text of D is: its template's, for an instance. */
const Decl *text_of(const Decl *D)
{
	auto *F = dyn_cast<FunctionDecl>(D);
	auto *R = dyn_cast<CXXRecordDecl>(D);
	const Decl *pattern = nullptr;

	if (F)
		pattern = F->getTemplateInstantiationPattern();
	else if (R)
		pattern = R->getTemplateInstantiationPattern();
	return pattern ? pattern : D;
}

bool is_of_header(const Decl *D)
{
	auto *F = dyn_cast<FunctionDecl>(D);
	auto *R = dyn_cast<CXXRecordDecl>(D);

	if (!text_of(D)->isFromASTFile() || (R && R->isLambda()))
		return false;
	if (F && !are_of_header(F->getTemplateSpecializationArgs()))
		return false;
	if (auto *S = dyn_cast<ClassTemplateSpecializationDecl>(D); S && !are_of_header(&S->getTemplateArgs()))
		return false;
	auto *outer = dyn_cast<Decl>(D->getDeclContext());

	return !outer || outer->getDeclContext() == nullptr || is_of_header(outer);
}

/* LLVM's pass asks for no analyses. */
void drop_unused(llvm::Module &M)
{
	llvm::ModuleAnalysisManager none;

	llvm::GlobalDCEPass().run(M, none);
}

/* What uses V, and what uses that. */
void add_users(const llvm::Value &V, llvm::SmallPtrSetImpl<const llvm::Value *> &users)
{
	for (const llvm::User *U : V.users()) {
		auto *I = dyn_cast<llvm::Instruction>(U);
		const llvm::Value *user = I ? static_cast<const llvm::Value *>(I->getFunction()) : U;

		if (users.insert(user).second)
			add_users(*user, users);
	}
}

std::string given_name(const clang_job *job, llvm::StringRef symbol)
{
	return job->instances + symbol.str();
}

} // namespace

/* Made here, and not read from a header. */
void Instances::tell(const Decl *D)
{
	auto *F = cast<FunctionDecl>(D);

	if (!job->instantiated || F->isFromASTFile() || !told.insert(F).second)
		return;
	if (!symbols)
		symbols = std::make_unique<ASTNameGenerator>(F->getASTContext());
	std::string key = clang_instance_key(F, *symbols);

	if (!key.empty())
		job->instantiated(job->context, key.c_str());
}

void Instances::leave_out(llvm::Module &M, CodeGenerator &declarations)
{
	llvm::SmallVector<llvm::StringRef, 0> names;
	llvm::StringSet<> given;
	bool any = false;

	llvm::StringRef(job->given).split(names, '\n', -1, false);
	for (llvm::StringRef name : names)
		given.insert(name);
	for (llvm::Function &F : M) {
		if (F.isDeclaration() || !F.hasLinkOnceODRLinkage())
			continue;
		const Decl *D = declarations.GetDeclForMangledName(F.getName());

		if (!D || !isa<FunctionDecl>(D) || !is_of_header(D))
			continue;
		tell(D);
		if (!given.contains(F.getName())) {
			of_headers.insert(F.getName());
			continue;
		}
		any = true;
		F.deleteBody();
		F.setComdat(nullptr);
		F.addFnAttr(llvm::Attribute::NonLazyBind); /* as with -fno-plt: called by its address */
		F.setName(given_name(job, F.getName()));
	}
	if (any)
		drop_unused(M);
}

void Instances::give(llvm::Module &M)
{
	llvm::SmallPtrSet<const llvm::Value *, 16> with_own;

	for (const llvm::GlobalVariable &V : M.globals())
		if (V.hasLocalLinkage() && !V.isConstant())
			add_users(V, with_own);
	for (llvm::Function &F : M) {
		if (F.isDeclaration() || !F.hasLinkOnceODRLinkage() || !of_headers.contains(F.getName()) ||
		    with_own.contains(&F) || F.getInstructionCount() <= SHORT)
			continue;
		llvm::GlobalAlias::create(llvm::GlobalValue::ExternalLinkage, given_name(job, F.getName()), &F);
		job->instance(job->context, F.getName().str().c_str());
	}
}
