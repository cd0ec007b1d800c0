/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of addresses as those who look on want them, by the vectors of this processor: what 16
 * neighbouring lanes have in common, and words instead of bytes.
 */
#ifndef CGPU_EMULATOR_ADDRESS_ROWS_H
#define CGPU_EMULATOR_ADDRESS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct address_half {
	uint64_t start; /* of the first lane */
	bool same;      /* all lanes have it; else they follow each other */
};

struct address_rows {
	/*
	 * Halves of a row of 32 addresses, those that are named by bit: false when one of them is
	 * neither one address nor addresses that are `size` apart.
	 */
	bool (*halves)(const uint64_t *row, uint32_t size, unsigned named,
		       struct address_half *ret);
	/* ret[l] = (row[l] + imm) >> shift, for addresses of 32 bits and for the low half of those
	 * of 64. */
	void (*narrow_cells)(const uint32_t *row, uint32_t imm, unsigned shift, uint16_t *ret);
	void (*wide_cells)(const uint64_t *row, uint32_t imm, unsigned shift, uint16_t *ret);
};

extern const struct address_rows address_rows_baseline, address_rows_avx2, address_rows_avx512;

#endif
