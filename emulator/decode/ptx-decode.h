/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder's working state. Operations are first drafts whose operands are virtual: registers of
 * the body, temporaries, constants. ptx-allocate.c then gives them rows and ptx-decode.c writes the
 * final array.
 */
#ifndef CGPU_EMULATOR_PTX_DECODE_H
#define CGPU_EMULATOR_PTX_DECODE_H

#include "emulator/ptx/ptx-ops.h"
#include "emulator/ptx/ptx-program.h"
#include "emulator/ptx/ptx-syntax.h"

struct error;

/* Types of operands as a row of ptx-opcodes.def names them. */
enum lane_type {
	TYPE__,
	TYPE_p,
	TYPE_u8,
	TYPE_s8,
	TYPE_u16,
	TYPE_s16,
	TYPE_u32,
	TYPE_s32,
	TYPE_u64,
	TYPE_s64,
	TYPE_f16,
	TYPE_bf16,
	TYPE_f32,
	TYPE_f64,
};

enum op_shape { SHAPE_LANE, SHAPE_TEST, SHAPE_PICK, SHAPE_MASK, SHAPE_HAND };

struct op_info {
	const char *form;
	uint8_t shape;
	uint8_t types[4]; /* D A B C */
};

/* ---- ptx-form.c ---- */
extern const struct op_info op_table[OP_COUNT];
/* OP_COUNT when there is none of that form. */
enum ptx_op op_find(const char *form);

/* A virtual operand: index and what it is an index of. */
enum ref_kind { REF_NONE, REF_REGISTER, REF_CONSTANT, REF_RAW };

struct ref {
	uint32_t index;
	uint8_t kind;
};

#define REF_NOTHING ((struct ref){ 0, REF_NONE })

enum draft_slot { SLOT_D, SLOT_A, SLOT_B, SLOT_C, SLOT_X0, SLOT_X1, SLOT_X2, SLOTS };

struct draft {
	uint16_t id, flags;
	uint32_t source;
	struct ref slot[SLOTS];
	uint8_t defines; /* bit per slot */
	bool partial;    /* runs under a guard: its results do not end earlier values */
	bool jumps;      /* imm is a PTX instruction index until the end */
	bool ends;       /* control does not go on behind it */
	int64_t imm;
	const uint32_t *targets; /* brx: PTX instruction indices */
	uint32_t target_count;
};

#define FORM_MODIFIERS 16

/* An instruction's opcode taken apart; the words have no dot. */
struct form {
	char text[208];
	const char *opcode;
	const char *modifiers[FORM_MODIFIERS];
	unsigned count;
};

/* ---- ptx-form.c ---- */
bool form_has(const struct form *f, const char *word);
/* Type named by the word, TYPE__ when it is none; bit types count as unsigned. */
enum lane_type form_type(const char *word);
/* The last modifier that is a type. */
enum lane_type form_last_type(const struct form *f);
unsigned type_size(enum lane_type t);

struct decoder {
	struct ptx_function *function;
	struct ptx_body *body;
	struct ptx_module *module;
	const struct op_handlers *handlers;
	struct error *err;
	struct draft *drafts;
	uint32_t draft_count;
	size_t draft_cap;
	struct ptx_register *registers; /* of the body, then temporaries */
	uint32_t register_count;
	size_t register_cap;
	uint32_t *definitions; /* how often each body register is written */
	uint32_t *defined_at;  /* the last PTX instruction that writes it */
	bool *repeats;         /* PTX instructions that a lane may execute more than once */
	struct ref *aliases;   /* register -> what it is a plain copy of */
	struct ptx_constant *constants;
	uint32_t constant_count;
	size_t constant_cap;
	uint32_t *constant_hash, constant_hash_cap;
	uint32_t *first_draft; /* of each PTX instruction, and one past the end */
	uint32_t cache_count;
	uint32_t current; /* PTX instruction being decoded */
	bool calls;       /* of functions with a body */
	bool area;        /* the parameter area is needed, also for system calls */
	bool out_of_memory;
	struct draft nowhere; /* what is emitted when memory is out goes there */
	char problem[160];    /* why the current instruction cannot be decoded */
};

/* ---- ptx-decode-operand.c ---- */
struct draft *decode_emit(struct decoder *d, enum ptx_op id);
/* Put an operation without operands before each draft that is marked; 0 or -1 when out of memory.
 */
int ptx_insert(struct decoder *d, const uint8_t *before, enum ptx_op id);
/* d = op(a, b, c) */
struct draft *decode_emit_op(struct decoder *d, enum ptx_op id, struct ref dest, struct ref a,
			     struct ref b, struct ref c);
/* Note the problem; returns -1. The instruction becomes an illegal instruction fault when it is
 * reached. */
int decode_unknown(struct decoder *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct ref decode_temporary(struct decoder *d, enum ptx_register_class class);
struct ref decode_value(struct decoder *d, uint64_t value, bool wide);
struct ref decode_constant(struct decoder *d, struct ptx_constant c);
/* A source operand of the type; kind REF_NONE after decode_unknown(). */
struct ref decode_source(struct decoder *d, const struct ptx_operand *o, enum lane_type type);
/* The same of a register that may be wider than the type: its low part. */
struct ref decode_narrow_source(struct decoder *d, const struct ptx_operand *o,
				enum lane_type type);
/* A destination; `_` becomes a fresh temporary. */
struct ref decode_dest(struct decoder *d, const struct ptx_operand *o, enum lane_type type);
bool decode_is_wide(const struct decoder *d, struct ref r);
/* Fill d->repeats: what a jump backwards spans. */
int decode_find_loops(struct decoder *d);

/* Rounding direction and, if asked, flushing for the operation emitted next. */
void decode_mode(struct decoder *d, const struct form *f, bool flush);
/* Operands of one vector or several to staging rows from `at` on, and results back; -1 after
 * decode_unknown(). */
int decode_stage(struct decoder *d, const struct ref *rows, unsigned count, unsigned at);
int decode_unstage(struct decoder *d, const struct ref *rows, unsigned count, unsigned at);
/* Elements of a vector, or the one operand, as sources or destinations; their number, or -1. */
int decode_sources(struct decoder *d, const struct ptx_operand *o, enum lane_type type,
		   struct ref *ret, unsigned max);
int decode_dests(struct decoder *d, const struct ptx_operand *o, enum lane_type type,
		 struct ref *ret, unsigned max);

/* The address of an access. */
struct address {
	enum ptx_space space; /* GENERIC when none is named */
	struct ref row;
	int64_t offset;
	uint16_t flags; /* OP_GENERIC and so on */
	const struct ptx_operand *base;
};
/* ptx-decode-memory.c. form_space(): the space the form names. _in: of the space given. */
enum ptx_space form_space(const struct form *f);
int decode_address_in(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
		      struct address *a);
/* The same as one 64-bit row with the offset added; ptx-decode-async.c. */
struct ref decode_address_row(struct decoder *d, const struct ptx_operand *o, enum ptx_space space);

/* A plain copy of `from` to the operand's register. Readers later in the text may be bound to
 * `from` itself. */
void decode_copy(struct decoder *d, const struct ptx_operand *to, struct ref dest, struct ref from);

/* ---- families; 0 or -1 after decode_unknown() ---- */
typedef int decode_function(struct decoder *d, const struct ptx_instruction *in,
			    const struct form *f);
decode_function decode_alu, decode_setp, decode_set, decode_selp, decode_mad_carry, decode_lop3,
	decode_bfi, decode_video;                                     /* ptx-decode-alu.c */
decode_function decode_mov, decode_cvt, decode_cvta, decode_isspacep; /* ptx-decode-move.c */
decode_function decode_ld, decode_st, decode_atom, decode_red;        /* ptx-decode-memory.c */
decode_function decode_bra, decode_brx, decode_call, decode_ret, decode_plain, decode_bar,
	decode_fence, decode_nop, decode_nanosleep, decode_alloca; /* ptx-decode-control.c */
decode_function decode_shfl, decode_vote, decode_match, decode_redux, decode_activemask,
	decode_elect;
decode_function decode_tex, decode_image_query, decode_surface; /* ptx-decode-image.c */
decode_function decode_wmma, decode_mma, decode_ldmatrix,
	decode_movmatrix;                                /* ptx-decode-matrix.c */
decode_function decode_cp, decode_mbarrier, decode_mapa; /* ptx-decode-async.c */

/* ---- ptx-decode.c ---- */
/* Under the module's lock: make the program of a function that has none. */
int ptx_decode(struct ptx_function *f, struct error *err);

/* ---- ptx-peephole.c ---- */
/* Take operations together and leave dead ones out; 0 or -1 when out of memory. */
int ptx_peephole(struct decoder *d);

/* ---- ptx-turns.c ---- */
/* Warps that read behind a barrier let the others do so before they write; 0 or -1 when out of
 * memory. */
int ptx_turns(struct decoder *d);

/* ---- ptx-chains.c ---- */
/* Warps meet where two of them can be run side by side; 0 or -1 when out of memory. */
int ptx_chains(struct decoder *d);

/* ---- ptx-allocate.c ---- */
/* leader[i] = 1 for each draft that starts a basic block; room for one more than there are. */
void ptx_mark_leaders(const struct decoder *d, uint8_t *leader);
/* Rows for all registers and constants. rows[] by register, constants' rows in place. ret_bytes: of
 * one frame. */
int ptx_allocate(struct decoder *d, uint32_t *rows, uint32_t *ret_bytes);

#endif
