/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code is from headers alone when its text is in a precompiled header, and so are all arguments of
 * templates: then the header and the symbol identify it. A class of a cell may have the name of
 * another one, and code that uses it is local to its unit, as are specialisations of a cell. Code
 * that uses a variable which each unit has for itself, a `static` one of a header, is not shared
 * either: the rest of the unit would use another one.
 *
 * Optimised code that is still long loses little by being called. It gets a second symbol, an alias
 * that is not weak: the loader takes it for an ordinary function of the session. The alias is
 * created before LLVM's passes, which would otherwise drop functions that they have inlined at all
 * uses; functions that only such functions use get none. For a function that is called in this way,
 * clang generates no code, nor for functions that only it would use, and does not read its body.
 *
 *	nobody has it -> before(): has an alias -> optimised(): long, reported
 *	                                   |     -> leave_out(): declared -> take(): called by alias
 *	                                   \-> optimised(): short, has none: each unit makes it,
 *	                                        and inlines it
 */
#include "compiler/clang/headers/clang-instances.hh"

#include "compiler/clang/headers/clang-instance-keys.hh"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Type.h>
#include <clang/Sema/MultiplexExternalSemaSource.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

using namespace clang;

namespace
{

constexpr unsigned SHORT = 24; /* limit in instructions */

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
		return A.getAsTemplate().getAsTemplateDecl() &&
		       is_of_header(A.getAsTemplate().getAsTemplateDecl());
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

/* Returns the declaration with the text of D: the template, for an instance. */
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
	if (auto *S = dyn_cast<ClassTemplateSpecializationDecl>(D);
	    S && !are_of_header(&S->getTemplateArgs()))
		return false;
	auto *outer = dyn_cast<Decl>(D->getDeclContext());

	return !outer || outer->getDeclContext() == nullptr || is_of_header(outer);
}

/* LLVM's pass needs no analyses. */
void drop_unused(llvm::Module &M)
{
	llvm::ModuleAnalysisManager none;

	llvm::GlobalDCEPass().run(M, none);
}

/* Adds the users of V, and their users. */
void add_users(const llvm::Value &V, llvm::SmallPtrSetImpl<const llvm::Value *> &users)
{
	for (const llvm::User *U : V.users()) {
		auto *I = dyn_cast<llvm::Instruction>(U);
		const llvm::Value *user =
			I ? static_cast<const llvm::Value *>(I->getFunction()) : U;

		if (users.insert(user).second)
			add_users(*user, users);
	}
}

/* Returns one symbol that represents all code of F. */
GlobalDecl one_of(const FunctionDecl *F)
{
	if (auto *C = dyn_cast<CXXConstructorDecl>(F))
		return GlobalDecl(C, Ctor_Base);
	if (auto *D = dyn_cast<CXXDestructorDecl>(F))
		return GlobalDecl(D, Dtor_Base);
	return GlobalDecl(F);
}

/*
 * Tells whether F has only one code. A constructor may have two, a virtual destructor another one
 * that frees the memory, a virtual function others for classes with several bases.
 */
bool is_one(const FunctionDecl *F)
{
	auto *M = dyn_cast<CXXMethodDecl>(F);
	bool has_variants = isa<CXXConstructorDecl>(F) || isa<CXXDestructorDecl>(F);

	return !M || !(M->isVirtual() || (has_variants && M->getParent()->getNumVBases()));
}

/* Tells whether F is long enough to be called; short code had better be inlined. A destructor that
 * is still used is mostly called by its address, when the session ends. */
bool is_worth_a_call(const llvm::Function &F, const FunctionDecl *D)
{
	auto is_use = [](const llvm::User *U) { return !isa<llvm::GlobalAlias>(U); };

	return F.getInstructionCount() > SHORT ||
	       (isa<CXXDestructorDecl>(D) && llvm::any_of(F.users(), is_use));
}

/* Tells whether its address is in a table. */
bool is_in_data(const llvm::Function &F)
{
	auto is_data = [](const llvm::User *U) {
		return !isa<llvm::Instruction>(U) && !isa<llvm::GlobalAlias>(U);
	};

	return llvm::any_of(F.users(), is_data);
}

/* Long functions of extern templates, which libstdc++ contains and clang compiles only to inline
 * them. */
llvm::StringSet<> in_library;

/*
 * The source from which clang requests declarations, in place of the header's, which also answers
 * whether others have a function. It must wrap the header's source: clang's multiplexer takes
 * EK_Always, which is zero, for no answer.
 */
class Elsewhere : public MultiplexExternalSemaSource
{
      public:
	Elsewhere(ExternalSemaSource *header, Instances *instances)
	    : MultiplexExternalSemaSource(header, new ExternalSemaSource()), instances(instances)
	{
	}

	/* Has declarations ask whether a header that is chained to theirs declares them again,
	 * which they do when the source is of another generation than that which they begin with.
	 */
	void begin(ASTContext &C)
	{
		C.setExternalSource(this);
		incrementGeneration(C);
	}

	ExtKind hasExternalDefinitions(const Decl *D) override
	{
		auto *F = dyn_cast<FunctionDecl>(D);

		if (F && instances->leave_out(const_cast<FunctionDecl *>(F)))
			return EK_Always;
		return MultiplexExternalSemaSource::hasExternalDefinitions(D);
	}

      private:
	Instances *instances;
};

} // namespace

Instances::Instances(const clang_job *job, CodeGenerator &declarations)
    : job(job), declarations(declarations)
{
	llvm::SmallVector<llvm::StringRef, 0> names;

	llvm::StringRef(job->given).split(names, '\n', -1, false);
	for (llvm::StringRef name : names)
		given.insert(name);
}

void Instances::watch(ASTContext &C)
{
	auto *header = dyn_cast_or_null<ExternalSemaSource>(C.getExternalSource());

	if (header)
		(new Elsewhere(header, this))->begin(C);
}

bool Instances::is_given(const FunctionDecl *F)
{
	return is_one(F) && given.contains(declarations.GetMangledName(one_of(F)));
}

bool Instances::leave_out(FunctionDecl *F)
{
	if (!text_of(F)->isFromASTFile() || F->isDependentContext() || F->isInvalidDecl() ||
	    !is_of_header(F))
		return false;
	if (!is_given(F) &&
	    !(F->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDeclaration &&
	      in_library.contains(declarations.GetMangledName(one_of(F)))))
		return false;
	if (!F->hasAttr<NoInlineAttr>())
		F->addAttr(NoInlineAttr::CreateImplicit(F->getASTContext()));
	return true;
}

const FunctionDecl *Instances::of_headers(llvm::StringRef symbol)
{
	auto *F = dyn_cast_or_null<FunctionDecl>(declarations.GetDeclForMangledName(symbol));

	return F && is_of_header(F) ? F : nullptr;
}

std::string Instances::given_name(llvm::StringRef symbol) const
{
	return job->instances + symbol.str();
}

/* Reports an instance that was made here, not read from a header. */
void Instances::tell(const FunctionDecl *F)
{
	if (!job->instantiated || F->isFromASTFile() || !told.insert(F).second)
		return;
	if (!symbols)
		symbols = std::make_unique<ASTNameGenerator>(F->getASTContext());
	std::string key = clang_instance_key(F, *symbols);

	if (!key.empty())
		job->instantiated(job->context, key.c_str());
}

void Instances::take(llvm::Module &M)
{
	for (llvm::Function &F : M) {
		const FunctionDecl *D = of_headers(F.getName());

		if (!D || !(F.isDeclaration() ? is_given(D) : F.hasLinkOnceODRLinkage()))
			continue;
		tell(D);
		if (!F.isDeclaration())
			continue;
		std::string name = given_name(declarations.GetMangledName(one_of(D)));

		/* Called by its address, as with -fno-plt. */
		F.addFnAttr(llvm::Attribute::NonLazyBind);
		/* Two symbols of one constructor. */
		if (llvm::Function *same = M.getFunction(name))
			F.replaceAllUsesWith(same);
		else
			F.setName(name);
	}
}

/* Offers F to other units. False: each unit makes F, so the functions that F calls are offered. */
bool Instances::offer(llvm::Function &F)
{
	const FunctionDecl *D = of_headers(F.getName());
	std::string name = given_name(F.getName());

	if (F.getParent()->getNamedAlias(name))
		return true;
	if (!D || F.hasFnAttribute(llvm::Attribute::AlwaysInline) || !is_one(D) ||
	    with_own.contains(&F) || !is_worth_a_call(F, D))
		return false;
	if (F.hasAvailableExternallyLinkage())
		in_library.insert(F.getName());
	else if (F.hasLinkOnceODRLinkage())
		llvm::GlobalAlias::create(llvm::GlobalValue::ExternalLinkage, name, &F);
	else
		return false;
	return true;
}

/* Returns the function that this alias offers to others; nullptr: it is another alias. */
llvm::Function *Instances::offered_by(llvm::GlobalAlias &A) const
{
	auto *F = dyn_cast<llvm::Function>(A.getAliaseeObject());

	return F && A.getName() == given_name(F->getName()) ? F : nullptr;
}

/* Offers the functions that F calls or otherwise uses. */
void Instances::offer_called(const llvm::Function &F, llvm::SmallPtrSetImpl<llvm::Function *> &seen)
{
	for (const llvm::Instruction &I : llvm::instructions(F))
		for (const llvm::Use &operand : I.operands()) {
			auto *G = dyn_cast<llvm::Function>(operand);

			if (G && !G->isDeclaration() && seen.insert(G).second && !offer(*G))
				offer_called(*G, seen);
		}
}

void Instances::offer_called(llvm::Module &M)
{
	llvm::SmallPtrSet<llvm::Function *, 32> seen;

	for (llvm::Function &F : M) {
		if (F.isDeclaration())
			continue;
		if (!of_headers(F.getName()) ||
		    (is_in_data(F) && seen.insert(&F).second && !offer(F)))
			offer_called(F, seen);
	}
}

void Instances::before(llvm::Module &M)
{
	for (const llvm::GlobalVariable &V : M.globals())
		if (V.hasLocalLinkage() && !V.isConstant())
			add_users(V, with_own);
	offer_called(M);
}

/* Withdraws functions that have become short; those that they call are offered in their place. */
void Instances::take_back_short(llvm::Module &M)
{
	llvm::SmallPtrSet<llvm::Function *, 32> seen;
	llvm::SmallVector<llvm::GlobalAlias *, 32> all;

	for (llvm::GlobalAlias &A : M.aliases())
		all.push_back(&A);
	for (llvm::GlobalAlias *A : all) {
		llvm::Function *F = offered_by(*A);

		if (!F || is_worth_a_call(*F, of_headers(F->getName())))
			continue;
		A->eraseFromParent();
		offer_called(*F, seen);
	}
	drop_unused(M);
}

void Instances::optimised(llvm::Module &M)
{
	take_back_short(M);
	offer_called(M);
	for (llvm::GlobalAlias &A : M.aliases())
		if (llvm::Function *F = offered_by(A))
			job->instance(job->context, F->getName().str().c_str());
}
