/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler as the machine sees it. LLVM's state is one context with the library of pieces, used
 * by one thread at a time; blocks are compiled some at a time, so that the innermost loops run as
 * soon as they can. When the process exits, LLVM's own clean-up must not meet a compilation: it
 * waits for the one at work, and none begins any more.
 */
#include "emulator/hot/hot-compiler.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/bug.h"
#include "emulator/hot/hot-block.h"
#include "emulator/warp/exec.h"

#define BATCH 64 /* operations compiled together, or one block */

struct hot_code {
	LLVMExecutionEngineRef *engines;
	uint32_t count, capacity;
	struct hot_code *next; /* of those that are left to the end of the process */
};

static struct llvm_state {
	pthread_mutex_t lock;
	_Atomic bool ending; /* LLVM will clean up: nothing of it may be called any more */
	struct hot_code *left;
	LLVMContextRef context;
	LLVMModuleRef library;
	struct hot_meaning *meanings;
} compiler = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A compilation under way ends with the block at work. */
static void end(void)
{
	compiler.ending = true;
	pthread_mutex_lock(&compiler.lock);
	pthread_mutex_unlock(&compiler.lock);
}

/* LLVM is there when this runs, so what is registered here is called before LLVM cleans up. */
__attribute__((constructor)) static void begin(void)
{
	atexit(end);
}

/* Machine code of a module, which goes away. */
static LLVMExecutionEngineRef make_code(LLVMModuleRef module)
{
	struct LLVMMCJITCompilerOptions options;
	LLVMExecutionEngineRef engine;
	char *triple = LLVMGetDefaultTargetTriple(), *why = NULL;

	LLVMSetTarget(module, triple);
	LLVMDisposeMessage(triple);
	if (LLVMVerifyModule(module, LLVMReturnStatusAction, &why))
		BUG("compiled device code is not well formed: %s", why);
	LLVMDisposeMessage(why);
	LLVMInitializeMCJITCompilerOptions(&options, sizeof(options));
	options.OptLevel = 2;
	if (LLVMCreateMCJITCompilerForModule(&engine, module, &options, sizeof(options), &why)) {
		LLVMDisposeMessage(why);
		LLVMDisposeModule(module);
		return NULL;
	}
	return engine;
}

/*
 * The code is made when its address is asked for. LLVM makes some objects at their first use, and
 * their clean-up comes before that of what was registered until then, so `end` is registered once
 * more.
 */
static op_handler *code_of(LLVMExecutionEngineRef engine, const char *prefix, uint32_t op)
{
	op_handler *code;
	char name[32];

	snprintf(name, sizeof(name), "%s%u", prefix, op);
	code = (op_handler *)(uintptr_t)LLVMGetFunctionAddress(
		engine, name); /* NOLINT: code is data here */
	atexit(end);
	return code;
}

/* A small function, so that what every compilation uses is there before the first long one. */
static void warm_up(void)
{
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("warm", compiler.context);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(compiler.context);
	LLVMTypeRef row = LLVMVectorType(LLVMInt32TypeInContext(compiler.context), LANES);
	LLVMTypeRef pointer = LLVMPointerTypeInContext(compiler.context, 0);
	LLVMValueRef f = LLVMAddFunction(
		module, "warm0",
		LLVMFunctionType(LLVMVoidTypeInContext(compiler.context), &pointer, 1, false));
	LLVMExecutionEngineRef engine;
	LLVMValueRef x, less;

	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(compiler.context, f, ""));
	x = LLVMBuildLoad2(b, row, LLVMGetParam(f, 0), "");
	less = LLVMBuildICmp(b, LLVMIntULT, x, LLVMConstNull(row), "");
	LLVMBuildStore(b, LLVMBuildSelect(b, less, x, LLVMBuildAdd(b, x, x, ""), ""),
		       LLVMGetParam(f, 0));
	LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, (LLVMValueRef[]){ LLVMGetParam(f, 0) }, 1,
		       "");
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
	engine = make_code(module);
	if (engine) {
		code_of(engine, "warm", 0);
		LLVMDisposeExecutionEngine(engine);
	}
}

static bool prepare(void)
{
	if (compiler.ending)
		return false;
	if (compiler.meanings)
		return true;
	LLVMLinkInMCJIT();
	if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter())
		return false;
	compiler.context = LLVMContextCreate();
	warm_up();
	compiler.meanings = hot_library_new(compiler.context, &compiler.library);
	if (!compiler.meanings)
		LLVMContextDispose(compiler.context);
	return compiler.meanings;
}

static bool keep(struct hot_code *code, LLVMExecutionEngineRef engine)
{
	LLVMExecutionEngineRef *grown;

	if (code->count == code->capacity) {
		grown = realloc(code->engines, (code->capacity + 16) * sizeof(*grown));
		if (!grown)
			return false;
		code->engines = grown;
		code->capacity += 16;
	}
	code->engines[code->count++] = engine;
	return true;
}

/* Compile the blocks first..end-1 of the list as one module. False: stop. */
static bool compile_batch(struct hot_code *code, const struct hot_program *p,
			  struct hot_block *list, uint32_t count, hot_publish *publish, void *data)
{
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("hot", compiler.context);
	LLVMExecutionEngineRef engine;
	struct hot_build build;
	bool wanted = true;
	char full[32], masked[32];

	hot_build_init(&build, compiler.context, compiler.library, module, p, compiler.meanings);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(full, sizeof(full), "full%u", list[i].first);
		snprintf(masked, sizeof(masked), "masked%u", list[i].first);
		list[i].made = hot_block_build(&build, &list[i], full, masked);
	}
	hot_build_release(&build);
	engine = make_code(module);
	if (!engine)
		return false;
	if (!keep(code, engine)) {
		LLVMDisposeExecutionEngine(engine);
		return false;
	}
	for (uint32_t i = 0; i < count && wanted; i++)
		if (list[i].made)
			wanted =
				publish(data, list[i].first, code_of(engine, "full", list[i].first),
					code_of(engine, "masked", list[i].first));
	if (!LLVMRemoveModule(engine, module, &module, NULL))
		LLVMDisposeModule(module);
	return wanted;
}

static void free_code(struct hot_code *code)
{
	if (!code)
		return;
	for (uint32_t i = 0; i < code->count; i++)
		LLVMDisposeExecutionEngine(code->engines[i]);
	free(code->engines);
	free(code);
}

static struct hot_code *compile_all(const struct hot_program *p, hot_publish *publish, void *data)
{
	struct hot_code *code = calloc(1, sizeof(*code));
	struct hot_blocks blocks;

	if (!code || hot_blocks_init(&blocks, p, compiler.meanings)) {
		free(code);
		return NULL;
	}
	for (uint32_t i = 0, n; i < blocks.count; i += n) {
		uint32_t ops = 0;

		for (n = 0; i + n < blocks.count && (!n || ops < BATCH); n++)
			ops += blocks.list[i + n].end - blocks.list[i + n].first;
		if (compiler.ending || !compile_batch(code, p, &blocks.list[i], n, publish, data))
			break;
	}
	hot_blocks_release(&blocks);
	return code;
}

static struct hot_code *compile(const struct hot_program *p, hot_publish *publish, void *data)
{
	struct hot_code *code = NULL;

	pthread_mutex_lock(&compiler.lock);
	if (prepare())
		code = compile_all(p, publish, data);
	pthread_mutex_unlock(&compiler.lock);
	return code;
}

static void release(struct hot_code *code)
{
	pthread_mutex_lock(&compiler.lock);
	if (!compiler.ending) {
		free_code(code);
	} else if (code) {
		code->next = compiler.left;
		compiler.left = code;
	}
	pthread_mutex_unlock(&compiler.lock);
}

__attribute__((visibility("default")))
const struct hot_compiler hot_compiler = { compile, release };
