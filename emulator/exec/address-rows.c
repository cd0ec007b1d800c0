/* SPDX-License-Identifier: Apache-2.0 */
/* One copy for each instruction set, as of the handlers; core.c picks. */
#include "emulator/exec/address-rows.h"

#include "emulator/warp/lane-halves.h"

/* With steps that are constants, so that no vector of them must be put together. */
LANE_INLINE bool goes_by(const uint64_t *a, uint64_t step)
{
	switch (step) {
	case 0:
		return half_goes_by_uint64_t(a, 0);
	case 4:
		return half_goes_by_uint64_t(a, 4);
	case 8:
		return half_goes_by_uint64_t(a, 8);
	default:
		return half_goes_by_uint64_t(a, step);
	}
}

LANE_INLINE bool find_half(const uint64_t *a, uint64_t size, struct address_half *ret)
{
	uint64_t step = a[1] - a[0];

	ret->start = a[0];
	ret->same = !step;
	return (!step || step == size) && goes_by(a, step);
}

static bool find_halves(const uint64_t *row, uint32_t size, unsigned named,
			struct address_half *ret)
{
	return (!(named & 1) || find_half(row, size, ret)) &&
	       (!(named & 2) || find_half(row + HALF_LANES, size, ret + 1));
}

static void narrow_cells(const uint32_t *row, uint32_t imm, unsigned shift, uint16_t *ret)
{
	FOR_LANES
		ret[l] = (uint16_t)((row[l] + imm) >> shift);
}

static void wide_cells(const uint64_t *row, uint32_t imm, unsigned shift, uint16_t *ret)
{
	FOR_LANES
		ret[l] = (uint16_t)(((uint32_t)row[l] + imm) >> shift);
}

const struct address_rows ENTRIES(address_rows) = { find_halves, narrow_cells, wide_cells };
