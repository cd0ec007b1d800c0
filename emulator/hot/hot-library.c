/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces are functions of one basic block that load their arguments whole, compute, and store one
 * result. A function that came out otherwise, or calls something that LLVM would turn into 32
 * calls, is no piece.
 */
#include "emulator/hot/hot-library.h"

#include <llvm-c/BitReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/warp/exec.h"

#define PIECE_MAX 400 /* instructions */

__asm__(".section .rodata\n"
	".balign 16\n"
	"hot_lanes_begin:\n"
	".incbin \"" HOT_LANES "\"\n"
	"hot_lanes_end:\n"
	".byte 0\n"
	".previous\n");
extern const char hot_lanes_begin[], hot_lanes_end[];

#define TYPE__ TYPE_NONE
#define TYPE_u8 TYPE_NARROW
#define TYPE_s8 TYPE_NARROW
#define TYPE_u16 TYPE_NARROW
#define TYPE_s16 TYPE_NARROW
#define TYPE_f16 TYPE_NARROW
#define TYPE_bf16 TYPE_NARROW
#define TYPE_u32 TYPE_NARROW
#define TYPE_s32 TYPE_NARROW
#define TYPE_f32 TYPE_F32
#define TYPE_u64 TYPE_WIDE
#define TYPE_s64 TYPE_WIDE
#define TYPE_f64 TYPE_F64
#define TYPE_p TYPE_PREDICATE

#define FAMILY_INTEGER FAMILY_PLAIN
#define FAMILY_FLOAT FAMILY_PLAIN
#define FAMILY_HALF FAMILY_PLAIN
#define FAMILY_COMPARE FAMILY_PLAIN
#define FAMILY_LOGIC FAMILY_PLAIN
#define FAMILY_CONVERT FAMILY_PLAIN
#define FAMILY_VIDEO FAMILY_PLAIN
#define FAMILY_WARP FAMILY_OTHER
#define FAMILY_CONTROL FAMILY_OTHER
#define FAMILY_SPECIAL FAMILY_OTHER
#define FAMILY_STAGE FAMILY_OTHER
#define FAMILY_MATRIX FAMILY_OTHER
#define FAMILY_ASYNC FAMILY_OTHER

static const struct {
	const char *name, *form;
	struct hot_meaning meaning;
} table[OP_COUNT] = {
#define OP(family, name, form, shape, D, A, B, C, ...)                                             \
	[OP_##name] = { "lane_" #name,                                                             \
			form,                                                                      \
			{ HOT_##shape,                                                             \
			  FAMILY_##family,                                                         \
			  TYPE_##D,                                                                \
			  TYPE_##A,                                                                \
			  TYPE_##B,                                                                \
			  TYPE_##C,                                                                \
			  NULL,                                                                    \
			  { 0 } } },
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
};

/* Calls that stay single instructions on vectors. */
static bool vector_call(LLVMValueRef call)
{
	static const char *const scalar[] = { "llvm.sin", "llvm.cos", "llvm.tan",
					      "llvm.exp", "llvm.log", "llvm.pow" };
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t len;
	const char *name = LLVMGetValueName2(callee, &len);

	if (!LLVMIsAFunction(callee) || strncmp(name, "llvm.", 5))
		return false;
	for (size_t i = 0; i < sizeof(scalar) / sizeof(scalar[0]); i++)
		if (!strncmp(name, scalar[i], strlen(scalar[i])))
			return false;
	return true;
}

/* Between two operands as they are: see hot_choose(). */
static bool selects_operands(LLVMValueRef in)
{
	return LLVMGetInstructionOpcode(in) == LLVMSelect &&
	       LLVMIsALoadInst(LLVMGetOperand(in, 1)) && LLVMIsALoadInst(LLVMGetOperand(in, 2)) &&
	       LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(in))) == LLVMIntegerTypeKind;
}

static bool is_piece(LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	unsigned stores = 0, count = 0;

	if (LLVMCountBasicBlocks(function) != 1)
		return false;
	block = LLVMGetEntryBasicBlock(function);
	for (LLVMValueRef in = LLVMGetFirstInstruction(block); in;
	     in = LLVMGetNextInstruction(in)) {
		LLVMOpcode opcode = LLVMGetInstructionOpcode(in);

		if (++count > PIECE_MAX)
			return false;
		if (opcode == LLVMLoad && !LLVMIsAArgument(LLVMGetOperand(in, 0)))
			return false;
		if (opcode == LLVMStore &&
		    (stores++ || LLVMGetOperand(in, 1) != LLVMGetParam(function, 0)))
			return false;
		if (opcode == LLVMGetElementPtr || opcode == LLVMAlloca || opcode == LLVMPHI ||
		    (opcode == LLVMCall && !vector_call(in)) || selects_operands(in))
			return false;
	}
	return stores == 1;
}

/* "(ld).global.b32v2" */
static struct hot_access access_of(const char *form)
{
	char what[4], space[8], type;
	unsigned bits, count = 1;

	if (sscanf(form, "(%3[lds t]).%7[a-z].%c%uv%u", what, space, &type, &bits, &count) < 4)
		return (struct hot_access){ .space = HOT_SPACE_NONE };
	return (struct hot_access){
		.space = !strcmp(space, "global")   ? HOT_SPACE_GLOBAL
			 : !strcmp(space, "shared") ? HOT_SPACE_SHARED
						    : HOT_SPACE_NONE,
		.loads = what[0] == 'l',
		.sign = type == 's',
		.bits = (uint8_t)bits,
		.count = (uint8_t)count,
	};
}

struct hot_meaning *hot_library_new(LLVMContextRef context, LLVMModuleRef *ret_module)
{
	LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(
		hot_lanes_begin, (size_t)(hot_lanes_end - hot_lanes_begin), "hot-lanes", 0);
	struct hot_meaning *all = calloc(OP_COUNT, sizeof(*all));
	LLVMModuleRef module = NULL;

	if (!all || LLVMParseBitcodeInContext2(context, bytes, &module)) {
		LLVMDisposeMemoryBuffer(bytes);
		free(all);
		return NULL;
	}
	LLVMDisposeMemoryBuffer(bytes);
	for (int i = 0; i < OP_COUNT; i++) {
		LLVMValueRef function = LLVMGetNamedFunction(module, table[i].name);

		all[i] = table[i].meaning;
		all[i].access = access_of(table[i].form);
		all[i].piece = function && is_piece(function) ? function : NULL;
	}
	*ret_module = module;
	return all;
}

LLVMValueRef hot_library_canonical(LLVMModuleRef library)
{
	return LLVMGetNamedFunction(library, "lane_canonical");
}

/* The same intrinsic in the module that is being made. */
static LLVMValueRef local_function(LLVMModuleRef to, LLVMValueRef function)
{
	size_t len;
	const char *name = LLVMGetValueName2(function, &len);
	LLVMValueRef local = LLVMGetNamedFunction(to, name);

	return local ? local : LLVMAddFunction(to, name, LLVMGlobalGetValueType(function));
}

struct copied {
	LLVMValueRef from, to;
};

static LLVMValueRef copy_of(const struct copied *copies, unsigned count, LLVMValueRef from)
{
	for (unsigned i = count; i-- > 0;)
		if (copies[i].from == from)
			return copies[i].to;
	return from;
}

LLVMValueRef hot_library_splice(LLVMBuilderRef builder, LLVMModuleRef to, LLVMValueRef piece,
				LLVMValueRef *args)
{
	struct copied copies[PIECE_MAX];
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(piece);
	unsigned count = 0;

	for (LLVMValueRef in = LLVMGetFirstInstruction(block); in;
	     in = LLVMGetNextInstruction(in)) {
		LLVMOpcode opcode = LLVMGetInstructionOpcode(in);
		LLVMValueRef made;

		if (opcode == LLVMStore)
			return copy_of(copies, count, LLVMGetOperand(in, 0));
		if (opcode == LLVMLoad) {
			unsigned i = 1;

			while (LLVMGetParam(piece, i) != LLVMGetOperand(in, 0))
				i++;
			made = LLVMBuildBitCast(builder, args[i - 1], LLVMTypeOf(in), "");
		} else {
			made = LLVMInstructionClone(in);
			for (int i = 0; i < LLVMGetNumOperands(made); i++) {
				LLVMValueRef operand = LLVMGetOperand(made, (unsigned)i);

				LLVMSetOperand(made, (unsigned)i,
					       LLVMIsAFunction(operand)
						       ? local_function(to, operand)
						       : copy_of(copies, count, operand));
			}
			LLVMInsertIntoBuilder(builder, made);
		}
		copies[count++] = (struct copied){ in, made };
	}
	return NULL;
}
