/* SPDX-License-Identifier: Apache-2.0 */
/* What the fields `flags` and `x` of an operation mean where decoder and handlers share more than ptx-opcodes.def. */
#ifndef CGPU_EMULATOR_PTX_OPS_H
#define CGPU_EMULATOR_PTX_OPS_H

#include <stdint.h>

#define PTX_NO_OPERAND UINT32_MAX

enum atom_what {
	ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS,
};

enum atom_type {
	ATOM_U32, ATOM_S32, ATOM_F32, ATOM_F16X2, ATOM_BF16X2, ATOM_U64, ATOM_S64, ATOM_F64, ATOM_F16, ATOM_BF16,
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
	REDUX_ADD, REDUX_MIN_U32, REDUX_MAX_U32, REDUX_MIN_S32, REDUX_MAX_S32, REDUX_AND, REDUX_OR, REDUX_XOR,
};

/* Barriers. a: row of the number, b: row of the thread count when BARRIER_COUNT. */
enum barrier_mode { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };
#define BARRIER_MODE 7
#define BARRIER_COUNT 8
#define BARRIER_NEGATED 16

/* SIMD video. */
enum video_what { VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_AVRG };
#define VIDEO_BYTES 8 /* four bytes, else two halves */
#define VIDEO_A_SIGNED 16
#define VIDEO_B_SIGNED 32
#define VIDEO_D_SIGNED 64
#define VIDEO_SATURATE 128
#define VIDEO_SUM 256

#endif
