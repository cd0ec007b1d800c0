/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions (PTX ISA 9.7.14). All 32 lanes take part: the decoder puts a warp barrier
 * before each. */
#define TAKE_MATRIX KEEP
#include "emulator/exec/matrix-multiply.h"
#include "emulator/memory/access.h"
#include "emulator/memory/state-space.h"
#include "emulator/ptx/matrix.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"

static bool all_here(struct warp *w, const struct op *o)
{
	if (w->mask == ALL_LANES)
		return true;
	warp_fault(w, o, GPU_FAULT_BARRIER, w->mask,
		   "a matrix instruction needs all 32 threads of the warp, and some have exited or "
		   "are elsewhere");
	return false;
}

static const struct matrix_op *matrix_of(const struct op *o)
{
	return (const struct matrix_op *)(uintptr_t)o->imm;
}

static enum matrix_type element_type(const struct matrix_op *x)
{
	return (enum matrix_type)x->type[x->part];
}

/* Find each lane's element `index`. */
static bool place_elements(struct warp *w, const struct op *o, unsigned index, enum gpu_access kind,
			   uint8_t **at, uint32_t *ret_size)
{
	struct memory_access access = { .space = (enum ptx_space)matrix_of(o)->space,
					.kind = kind };
	uint64_t address[LANES];

	access_matrix_element(w, o, index, address, ret_size);
	access.size = access.align = *ret_size;
	return state_space_resolve(w, o, address, access, at);
}

HANDLER(matrix_load_masked)
{
	const struct matrix_op *x = matrix_of(o);
	enum matrix_type type = element_type(x);
	unsigned packed = matrix_packed(type), bits = matrix_bits(type),
		 step = bits < 8 ? packed : 1;
	unsigned needed = matrix_registers(x, (enum matrix_part)x->part, type);
	uint64_t(*stage)[LANES] = w->worker->stage;
	uint8_t *at[LANES];
	uint32_t size;

	if (!all_here(w, o))
		return NULL;
	for (unsigned i = 0; i < needed * packed; i += step) {
		if (!place_elements(w, o, i, GPU_ACCESS_READ, at, &size))
			return NULL;
		for (unsigned l = 0; l < LANES; l++) {
			uint64_t v = 0;

			memcpy(&v, at[l], size);
			stage[i / packed][l] =
				i % packed ? stage[i / packed][l] | v << (i % packed * bits) : v;
		}
	}
	for (unsigned i = needed; i < x->registers[x->part]; i++)
		memcpy(stage[i], stage[i % needed], sizeof(stage[i]));
	return o + 1;
}

HANDLER(matrix_store_masked)
{
	const struct matrix_op *x = matrix_of(o);
	enum matrix_type type = element_type(x);
	unsigned packed = matrix_packed(type), bits = matrix_bits(type);
	unsigned needed = matrix_registers(x, (enum matrix_part)x->part, type);
	uint8_t *at[LANES];
	uint32_t size;

	if (!all_here(w, o))
		return NULL;
	for (unsigned i = 0; i < needed * packed; i++) {
		if (!place_elements(w, o, i, GPU_ACCESS_WRITE, at, &size))
			return NULL;
		for (unsigned l = 0; l < LANES; l++) {
			uint64_t v = w->worker->stage[i / packed][l] >> (i % packed * bits);

			memcpy(at[l], &v, size);
		}
	}
	return o + 1;
}

HANDLER(matrix_multiply_masked)
{
	if (!all_here(w, o))
		return NULL;
	matrix_multiply(matrix_of(o), w->worker->stage);
	return o + 1;
}

/* Rows of 16 bytes; lane 8 m + r names row r of matrix m, the others' addresses do not count. */
static bool rows_of(struct warp *w, const struct op *o, enum gpu_access kind, uint8_t **at)
{
	struct memory_access access = { (enum ptx_space)o->x[0], kind, 16, 16 };
	const uint64_t *a = ROW(w, uint64_t, o->a);
	uint64_t address[LANES];

	for (unsigned l = 0; l < LANES; l++)
		address[l] = a[l % (8 * (unsigned)o->imm)];
	return all_here(w, o) && state_space_resolve(w, o, address, access, at);
}

/* x1: transposed */
HANDLER(ldmatrix_masked)
{
	uint8_t *at[LANES];

	if (!rows_of(w, o, GPU_ACCESS_READ, at))
		return NULL;
	for (unsigned m = 0; m < (unsigned)o->imm; m++)
		for (unsigned l = 0; l < LANES; l++) {
			uint32_t v = 0;

			for (unsigned e = 0; e < 2; e++) {
				unsigned row = o->x[1] ? l % 4 * 2 + e : l / 4,
					 column = o->x[1] ? l / 4 : l % 4 * 2 + e;
				uint16_t half;

				memcpy(&half, at[8 * m + row] + 2 * column, 2);
				v |= (uint32_t)half << 16 * e;
			}
			w->worker->stage[m][l] = v;
		}
	return o + 1;
}

HANDLER(stmatrix_masked)
{
	uint8_t *at[LANES];

	if (!rows_of(w, o, GPU_ACCESS_WRITE, at))
		return NULL;
	for (unsigned m = 0; m < (unsigned)o->imm; m++)
		for (unsigned l = 0; l < LANES; l++)
			for (unsigned e = 0; e < 2; e++) {
				unsigned row = o->x[1] ? l % 4 * 2 + e : l / 4,
					 column = o->x[1] ? l / 4 : l % 4 * 2 + e;
				uint16_t half = (uint16_t)(w->worker->stage[m][l] >> 16 * e);

				memcpy(at[8 * m + row] + 2 * column, &half, 2);
			}
	return o + 1;
}

HANDLER(movmatrix_masked)
{
	const uint32_t *a = ROW(w, uint32_t, o->a);
	uint32_t v[LANES];

	if (!all_here(w, o))
		return NULL;
	for (unsigned l = 0; l < LANES; l++) {
		v[l] = 0;
		for (unsigned e = 0; e < 2; e++) {
			unsigned row = l % 4 * 2 + e, column = l / 4;

			v[l] |= (a[row * 4 + column / 2] >> 16 * (column & 1) & 0xffff) << 16 * e;
		}
	}
	memcpy(ROW(w, uint32_t, o->d), v, sizeof(v));
	return o + 1;
}

#define SAME_WHEN_FULL(name)                                                                       \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name##_masked(w, o);                                                        \
	}
SAME_WHEN_FULL(matrix_load)
SAME_WHEN_FULL(matrix_store)
SAME_WHEN_FULL(matrix_multiply)
SAME_WHEN_FULL(ldmatrix)
SAME_WHEN_FULL(stmatrix)
SAME_WHEN_FULL(movmatrix)

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_matrix)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
