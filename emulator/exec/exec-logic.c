/* SPDX-License-Identifier: Apache-2.0 */
/* Logic, shifts and moves between registers (PTX ISA 9.7.7 to 9.7.9). By hand: lop3, whose truth
 * table is an immediate. */
#define TAKE_LOGIC KEEP
#include "emulator/warp/exec.h"

static inline const struct op *lop3(struct warp *w, const struct op *o, uint32_t mask)
{
	uint32_t *d = ROW(w, uint32_t, o->d);
	const uint32_t *pa = ROW(w, uint32_t, o->a), *pb = ROW(w, uint32_t, o->b),
		       *pc = ROW(w, uint32_t, o->c);
	uint32_t term[8];

	for (int i = 0; i < 8; i++)
		term[i] = o->imm >> i & 1 ? ~0u : 0;
	FOR_LANES {
		uint32_t a = pa[l], b = pb[l], c = pc[l];
		uint32_t r = (~a & ~b & ~c & term[0]) | (~a & ~b & c & term[1]) |
			     (~a & b & ~c & term[2]) | (~a & b & c & term[3]) |
			     (a & ~b & ~c & term[4]) | (a & ~b & c & term[5]) |
			     (a & b & ~c & term[6]) | (a & b & c & term[7]);

		d[l] = mask >> l & 1 ? r : d[l];
	}
	return o + 1;
}

HANDLER(lop3_b32_full)
{
	return lop3(w, o, ALL_LANES);
}

HANDLER(lop3_b32_masked)
{
	return lop3(w, o, w->mask);
}

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_logic)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
