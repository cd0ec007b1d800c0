/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of operations, and what their fields `flags` and `x` mean where decoder and handlers
 * share more than ptx-opcodes.def. */
#ifndef CGPU_EMULATOR_PTX_OPS_H
#define CGPU_EMULATOR_PTX_OPS_H

#include <stdint.h>

/* Operation numbers. */
enum ptx_op {
#define OP(family, name, form, shape, D, A, B, C, ...) OP_##name,
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	OP_COUNT
};

#define PTX_NO_OPERAND UINT32_MAX

enum atom_what {
	ATOM_ADD,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_INC,
	ATOM_DEC,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
	ATOM_EXCH,
	ATOM_CAS,
};

enum atom_type {
	ATOM_U32,
	ATOM_S32,
	ATOM_F32,
	ATOM_F16X2,
	ATOM_BF16X2,
	ATOM_U64,
	ATOM_S64,
	ATOM_F64,
	ATOM_F16,
	ATOM_BF16,
};

/* Warp operations: the low bits say which kind. */
#define WARP_MODE 15
#define WARP_NO_MASK 16 /* the forms without .sync: the running fragment is all */
#define WARP_NEGATED 32 /* vote over !p */
#define WARP_WIDE 64    /* match.b64 */

enum shfl_mode { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum match_mode { MATCH_ANY, MATCH_ALL };
enum redux_mode {
	REDUX_ADD,
	REDUX_MIN_U32,
	REDUX_MAX_U32,
	REDUX_MIN_S32,
	REDUX_MAX_S32,
	REDUX_AND,
	REDUX_OR,
	REDUX_XOR,
};

/* How far a fence reaches: imm of the operation. */
enum fence_scope { FENCE_CTA, FENCE_DEVICE };

/* Barriers. a: row of the number, b: row of the thread count when BARRIER_COUNT. */
enum barrier_mode { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };
#define BARRIER_MODE 7
#define BARRIER_COUNT 8
#define BARRIER_NEGATED 16
#define BARRIER_CLUSTER 32

/* stage, unstage: how many rows, and which of them are 64 bits wide. */
#define STAGE_ROWS 64
#define STAGE_WIDE 63
#define STAGE_COUNT_SHIFT 8

/* Textures and surfaces. */
enum image_geometry {
	GEOMETRY_1D,
	GEOMETRY_2D,
	GEOMETRY_3D,
	GEOMETRY_LAYERS_1D,
	GEOMETRY_LAYERS_2D,
	GEOMETRY_CUBE,
	GEOMETRY_LAYERS_CUBE,
};
#define IMAGE_GEOMETRY 7
#define IMAGE_WHOLE 8 /* integer coordinates */
#define IMAGE_LEVEL 16
#define IMAGE_GRADIENT 32
#define IMAGE_CLAMPED 64  /* surfaces: an access outside goes to the edge */
#define IMAGE_IGNORED 128 /* or is dropped, and reads 0; else it faults */
#define IMAGE_BYTES 256   /* the surface's x counts bytes */
#define IMAGE_AT_LEVEL 512

enum image_property {
	IMAGE_WIDTH,
	IMAGE_HEIGHT,
	IMAGE_DEPTH,
	IMAGE_ARRAY_SIZE,
	IMAGE_MIP_LEVELS,
	IMAGE_NORMALISED,
	IMAGE_FILTER,
	IMAGE_ADDRESS_0,
	IMAGE_ADDRESS_1,
	IMAGE_ADDRESS_2,
	IMAGE_SAMPLES,
	IMAGE_CHANNEL_ORDER,
	IMAGE_CHANNEL_TYPE,
};

/* mbarrier */
enum mbarrier_what {
	MBARRIER_INIT,
	MBARRIER_INVAL,
	MBARRIER_ARRIVE,
	MBARRIER_DROP,
	MBARRIER_EXPECT,
	MBARRIER_COMPLETE,
	MBARRIER_TEST,
	MBARRIER_TEST_PARITY,
	MBARRIER_PENDING,
	MBARRIER_EXPECT_ARRIVE,
};

/* SIMD video. */
enum video_what { VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_AVRG };
#define VIDEO_BYTES 8 /* four bytes, else two halves */
#define VIDEO_A_SIGNED 16
#define VIDEO_B_SIGNED 32
#define VIDEO_D_SIGNED 64
#define VIDEO_SATURATE 128
#define VIDEO_SUM 256

/* Flags of memory operations. */
#define OP_ADDRESS_32 1 /* the address row is a 32-bit one */
#define OP_GENERIC 2    /* a generic address: windows are allowed */
#define OP_CONST 4      /* ld.const, for the report */
#define OP_STRONG 8   /* volatile, relaxed, acquire, release: other lanes may write it meanwhile */
#define OP_ACQUIRE 16 /* orders what the thread does after it */
#define OP_RELEASE 32 /* and before it */

#endif
