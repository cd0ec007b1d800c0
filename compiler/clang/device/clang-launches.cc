/* SPDX-License-Identifier: Apache-2.0 */
/* Clang compiles `k<<<grid, block>>>(a)` to `if (!__cudaPushCallConfiguration(grid, block, 0, 0))
 * k(a);`, on the device as well. */
#include "compiler/clang/device/clang-launches.hh"

#include "compiler/clang/tree/clang-tree-walk.hh"

#include "common/launch-glue.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace clang;

namespace
{

bool is_for_launch(const FunctionDecl *F)
{
	for (const auto *A : F->specific_attrs<AnnotateAttr>())
		if (A->getAnnotation() == CGPU_LAUNCH_MARK)
			return true;
	return false;
}

class Launches : public clang_tree_walk
{
      public:
	/* A kernel may be launched only by an instance of a template. */
	Launches(ASTContext &C, const clang_job *job)
	    : clang_tree_walk(WITH_INSTANCES), SM(C.getSourceManager()), language(C.getLangOpts()),
	      job(job)
	{
	}

	bool TraverseDecl(Decl *D) override
	{
		auto *F = dyn_cast_or_null<FunctionDecl>(D);
		bool before = in_device_code;

		if (F)
			in_device_code = is_for_device_alone(F);
		bool goes_on = clang_tree_walk::TraverseDecl(D);

		in_device_code = before;
		return goes_on;
	}

	bool TraverseLambdaExpr(LambdaExpr *L) override
	{
		bool device = in_device_code, launch = in_launch;

		in_launch |= is_for_launch(L->getCallOperator());
		in_device_code = !in_launch && is_for_device_alone(L->getCallOperator());
		bool goes_on = clang_tree_walk::TraverseLambdaExpr(L);

		in_device_code = device;
		in_launch = launch;
		return goes_on;
	}

	bool VisitStmt(Stmt *S) override
	{
		if (auto *E = dyn_cast<CUDAKernelCallExpr>(S))
			see(E);
		return true;
	}

      private:
	const SourceManager &SM;
	const LangOptions &language;
	const clang_job *job;
	bool in_device_code = false, in_launch = false;

	void see(CUDAKernelCallExpr *E)
	{
		const FunctionDecl *F = E->getDirectCallee();

		if (in_device_code) {
			edit(E->getBeginLoc(), CGPU_LAUNCH_BEGIN);
			edit(Lexer::getLocForEndOfToken(E->getEndLoc(), 0, SM, language),
			     CGPU_LAUNCH_END);
		} else if (in_launch && F && !F->hasBody() && !F->isTemplateInstantiation()) {
			PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(F->getLocation()));

			if (P.isValid() && job->launched)
				job->launched(job->context, P.getFilename());
		}
	}

	static bool is_for_device_alone(const FunctionDecl *F)
	{
		return F->hasAttr<CUDAGlobalAttr>() ||
		       (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>());
	}

	void edit(SourceLocation L, const char *with)
	{
		if (L.isValid() && L.isFileID() && SM.getFileID(L) == SM.getMainFileID())
			job->edit(job->context, SM.getFileOffset(L), SM.getFileOffset(L), with);
	}
};

/* Recognises "reference to __global__ function 'k' in __host__ __device__ function". */
bool is_about_kernel(Sema &S, const PartialDiagnostic &D)
{
	llvm::SmallString<200> text;

	if (D.getDiagID() != diag::err_ref_bad_target)
		return false;
	D.EmitToString(S.getDiagnostics(), text);
	return text.str().starts_with("reference to __global__ function");
}

/* One call of a kernel, with the configuration that is passed to __cudaPushCallConfiguration(). */
class Launch
{
      public:
	explicit Launch(llvm::CallInst *configure)
	    : M(*configure->getModule()), C(M.getContext()), configure(configure)
	{
	}

	void lower()
	{
		if (llvm::CallInst *call = find_call())
			launch(call);
		configure->replaceAllUsesWith(llvm::ConstantInt::get(configure->getType(), 0));
		configure->eraseFromParent();
	}

      private:
	llvm::Module &M;
	llvm::LLVMContext &C;
	llvm::CallInst *const configure;

	/* Finds the call in the branch that is taken when there is something to launch. */
	llvm::CallInst *find_call() const
	{
		auto *compare = configure->hasOneUse() ? *configure->user_begin() : nullptr;
		auto *user = compare && compare->hasOneUse() ? *compare->user_begin() : nullptr;
		auto *branch = llvm::dyn_cast_or_null<llvm::BranchInst>(user);

		if (!branch || !branch->isConditional())
			return nullptr;
		for (llvm::BasicBlock *from : llvm::predecessors(branch->getSuccessor(0))) {
			if (from == branch->getParent())
				continue;
			for (llvm::Instruction &I : llvm::reverse(*from)) {
				auto *call = llvm::dyn_cast<llvm::CallInst>(&I);

				if (call && !llvm::isa<llvm::IntrinsicInst>(call))
					return call;
			}
		}
		return nullptr;
	}

	/* Emits __cudaCDP2GetParameterBufferV2(kernel, grid, block, shared), which returns null
	 * when there is no room. */
	llvm::Value *ask_for_room(llvm::IRBuilder<> &B, llvm::Value *kernel)
	{
		llvm::Type *pointer = B.getPtrTy();
		auto *type = llvm::FunctionType::get(
			pointer, { pointer, pointer, pointer, B.getInt32Ty() }, false);
		auto *F = llvm::cast<llvm::Function>(
			M.getOrInsertFunction("__cudaCDP2GetParameterBufferV2", type).getCallee());
		llvm::CallInst *call = B.CreateCall(
			F, { kernel, configure->getArgOperand(0), configure->getArgOperand(1),
			     B.CreateTrunc(configure->getArgOperand(2), B.getInt32Ty()) });

		for (unsigned i = 0; i < 2; i++)
			for (llvm::Attribute A :
			     { llvm::Attribute::getWithByValType(C,
								 configure->getParamByValType(i)),
			       llvm::Attribute::getWithAlignment(C, llvm::Align(4)) }) {
				F->addParamAttr(i + 1, A);
				call->addParamAttr(i + 1, A);
			}
		return call;
	}

	/* Stores a parameter, at a multiple of its alignment as in PTX. */
	void put_argument(llvm::IRBuilder<> &B, const llvm::CallInst *call, unsigned i,
			  llvm::Value *room, uint64_t *at)
	{
		const llvm::DataLayout &layout = M.getDataLayout();
		llvm::Value *V = call->getArgOperand(i);
		llvm::Type *T =
			call->isByValArgument(i) ? call->getParamByValType(i) : V->getType();

		if (T->isIntegerTy(1))
			V = B.CreateZExt(V, T = B.getInt8Ty());
		llvm::Align align =
			call->isByValArgument(i)
				? call->getParamAlign(i).value_or(layout.getABITypeAlign(T))
				: layout.getABITypeAlign(T);
		uint64_t size = layout.getTypeAllocSize(T).getFixedValue();

		*at = llvm::alignTo(*at, align);
		llvm::Value *to = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), room, *at);

		if (call->isByValArgument(i))
			B.CreateMemCpy(to, align, V, align, size);
		else
			B.CreateAlignedStore(V, to, align);
		*at += size;
	}

	void launch(llvm::CallInst *call)
	{
		llvm::IRBuilder<> before(call);
		llvm::Value *room = ask_for_room(before, call->getCalledOperand());
		llvm::IRBuilder<> B(
			llvm::SplitBlockAndInsertIfThen(before.CreateIsNotNull(room), call, false));
		auto *type = llvm::FunctionType::get(B.getInt32Ty(), { B.getPtrTy(), B.getPtrTy() },
						     false);
		uint64_t at = 0;

		B.SetCurrentDebugLocation(call->getDebugLoc());
		for (unsigned i = 0; i < call->arg_size(); i++)
			put_argument(B, call, i, room, &at);
		B.CreateCall(M.getOrInsertFunction("__cudaCDP2LaunchDeviceV2", type),
			     { room, configure->getArgOperand(3) });
		call->eraseFromParent();
	}
};

} // namespace

void clang_launches_report(ASTContext &C, Decl *D, const clang_job *job)
{
	Launches(C, job).TraverseDecl(D);
}

void clang_launches_allow(Sema &S)
{
	for (auto &one : S.DeviceDeferredDiags) {
		std::vector<PartialDiagnosticAt> kept;
		bool forgets = false;

		if (!is_for_launch(one.first))
			continue;
		for (const PartialDiagnosticAt &said : one.second) {
			bool is_note = DiagnosticIDs::isBuiltinNote(said.second.getDiagID());

			forgets = is_note ? forgets : is_about_kernel(S, said.second);
			if (!forgets)
				kept.push_back(said);
		}
		one.second = std::move(kept);
	}
}

void clang_launches_lower(llvm::Module &M)
{
	llvm::Function *configure = M.getFunction("__cudaPushCallConfiguration");
	std::vector<llvm::CallInst *> all;

	if (!configure)
		return;
	for (llvm::User *U : configure->users())
		if (auto *call = llvm::dyn_cast<llvm::CallInst>(U))
			all.push_back(call);
	for (llvm::CallInst *call : all)
		Launch(call).lower();
}
