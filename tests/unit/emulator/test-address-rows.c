/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of rows of addresses beside plain loops, by each copy that this processor can run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "emulator/exec/address-rows.h"
#include "emulator/ptx/machine-limits.h"

#define LANES MACHINE_LANES
#define HALF 16

static uint64_t word = 88172645463325252u;

static uint64_t next(void)
{
	word ^= word << 13;
	word ^= word >> 7;
	word ^= word << 17;
	return word;
}

static uint32_t copies(const struct address_rows **ret)
{
	uint32_t count = 0;

	ret[count++] = &address_rows_baseline;
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
		ret[count++] = &address_rows_avx2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
		ret[count++] = &address_rows_avx512;
#endif
	return count;
}

/* 0: no shape; 1: one address; 2: one after the other. */
static int shape_of(const uint64_t *row, uint32_t size)
{
	bool same = true, follow = true;

	for (uint32_t l = 0; l < HALF; l++) {
		same &= row[l] == row[0];
		follow &= row[l] == row[0] + (uint64_t)l * size;
	}
	return same ? 1 : follow ? 2 : 0;
}

/* Mostly of one shape, often with one lane that spoils it. */
static void fill(uint64_t *row, uint32_t size)
{
	uint64_t start = next(), step = next() % 3 == 0 ? 0 : next() % 4 ? size : size + 1;

	for (uint32_t l = 0; l < HALF; l++)
		row[l] = start + l * step;
	if (next() % 3 == 0)
		row[next() % HALF] ^= 1ull << next() % 64;
}

static void halves_are_told(void **state)
{
	const struct address_rows *all[3];
	_Alignas(64) uint64_t row[LANES];

	(void)state;
	for (uint32_t c = copies(all); c-- > 0;)
		for (int i = 0; i < 20000; i++) {
			uint32_t size = 4u << next() % 3;
			unsigned named = next() % 4;
			struct address_half halves[2];
			int shapes[2];
			bool all_have;

			fill(row, size);
			fill(row + HALF, size);
			shapes[0] = shape_of(row, size);
			shapes[1] = shape_of(row + HALF, size);
			all_have = (!(named & 1) || shapes[0]) && (!(named & 2) || shapes[1]);
			assert_int_equal(all[c]->halves(row, size, named, halves), all_have);
			for (unsigned h = 0; h < 2 && all_have; h++)
				if (named >> h & 1) {
					assert_true(halves[h].start == row[h * HALF]);
					assert_int_equal(halves[h].same, shapes[h] == 1);
				}
		}
}

static void cells_are_told(void **state)
{
	const struct address_rows *all[3];
	_Alignas(64) uint64_t wide[LANES];
	_Alignas(64) uint32_t narrow[LANES];
	uint16_t cells[LANES];

	(void)state;
	for (uint32_t c = copies(all); c-- > 0;)
		for (int i = 0; i < 1000; i++) {
			uint32_t imm = (uint32_t)next() % 100, l;
			unsigned shift = (unsigned)next() % 3;

			for (l = 0; l < LANES; l++) {
				wide[l] = next() % 200000;
				narrow[l] = (uint32_t)wide[l];
			}
			all[c]->wide_cells(wide, imm, shift, cells);
			for (l = 0; l < LANES; l++)
				assert_int_equal(cells[l], (uint16_t)((wide[l] + imm) >> shift));
			all[c]->narrow_cells(narrow, imm, shift, cells);
			for (l = 0; l < LANES; l++)
				assert_int_equal(cells[l], (uint16_t)((narrow[l] + imm) >> shift));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_are_told),
		cmocka_unit_test(cells_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
