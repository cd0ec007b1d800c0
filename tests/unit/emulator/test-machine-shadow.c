/* SPDX-License-Identifier: Apache-2.0 */
/* Shadows of device buffers beside a plain list of what each byte is, over random writes and
 * copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emulator/memory/shadow.h"

#define BYTES 77u /* the last word is not whole */
#define STEPS 20000

enum state { NOTHING, KNOWN, COMPUTED };

struct model {
	struct shadow *shadow;
	uint8_t at[BYTES];
};

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static void model_init(struct model *m)
{
	m->shadow = shadow_new(BYTES);
	assert_non_null(m->shadow);
	memset(m->at, NOTHING, sizeof(m->at));
}

static bool all_are(const struct model *m, uint32_t offset, uint32_t size, enum state s)
{
	for (uint32_t i = offset; i < offset + size; i++)
		if (m->at[i] != s)
			return false;
	return true;
}

static bool some_is(const struct model *m, uint32_t offset, uint32_t size, enum state s)
{
	for (uint32_t i = offset; i < offset + size; i++)
		if (m->at[i] == s)
			return true;
	return false;
}

static void check(const struct model *m)
{
	static const uint32_t sizes[] = { 1, 2, 4, 8, 16 };
	uint32_t size = sizes[below(5)], offset = below((BYTES - size) / size) * size;
	uint8_t *words;

	assert_int_equal(shadow_untouched(m->shadow, offset, size),
			 all_are(m, offset, size, NOTHING) && !all_are(m, 0, BYTES, KNOWN) &&
				 !atomic_load(&m->shadow->prefix));
	assert_int_equal(shadow_computed(m->shadow, offset, size),
			 some_is(m, offset, size, COMPUTED));
	assert_int_equal(shadow_full(m->shadow), all_are(m, 0, BYTES, KNOWN));
	words = shadow_words(m->shadow);
	assert_int_equal(words == NULL, all_are(m, 0, BYTES, KNOWN));
	if (words)
		assert_int_equal(shadow_is_known(words, offset, size),
				 all_are(m, offset, size, KNOWN));
}

static void write_range(struct model *m)
{
	uint32_t offset = below(BYTES),
		 size = below(8) ? below(BYTES - offset) + 1 : BYTES - offset;

	shadow_written(m->shadow, offset, size);
	memset(m->at + offset, KNOWN, size);
}

/* As a store of device code does, and one of a value that was worked out from what nobody wrote. */
static void store(struct model *m, enum state s)
{
	static const uint32_t sizes[] = { 1, 2, 4, 8 };
	uint32_t size = sizes[below(4)], offset = below((BYTES - size) / size) * size;
	uint8_t *words = shadow_words(m->shadow);

	if (!words)
		return;
	if (s == KNOWN) {
		shadow_mark(words, offset, size);
	} else {
		for (uint32_t i = offset; i < offset + size; i++) {
			if (m->at[i] == KNOWN)
				return;
		}
		for (uint32_t i = offset; i < offset + size; i++)
			words[i / SHADOW_WORD] |= (uint8_t)(0x10 << i % SHADOW_WORD);
	}
	memset(m->at + offset, s, size);
}

static void copy(struct model *to, const struct model *from)
{
	uint32_t size = below(BYTES) + 1, to_offset = below(BYTES - size + 1),
		 from_offset = below(BYTES - size + 1);

	shadow_copied(to->shadow, to_offset, from->shadow, from_offset, size);
	/* Memory that was written as a whole is followed no more. */
	if (!all_are(to, 0, BYTES, KNOWN))
		memcpy(to->at + to_offset, from->at + from_offset, size);
}

static void bytes_are_what_was_done_to_them(void **state)
{
	struct model a, b;

	(void)state;
	model_init(&a);
	model_init(&b);
	for (int i = 0; i < STEPS; i++) {
		struct model *m = below(2) ? &a : &b;

		switch (below(8)) {
		case 0:
			write_range(m);
			break;
		case 1:
			copy(m, m == &a ? &b : &a);
			break;
		case 2:
		case 3:
			store(m, COMPUTED);
			break;
		case 4:
			/* A buffer that is freed and made again. */
			if (!below(10)) {
				shadow_free(m->shadow);
				model_init(m);
			}
			break;
		default:
			store(m, KNOWN);
		}
		check(&a);
		check(&b);
	}
	shadow_free(a.shadow);
	shadow_free(b.shadow);
}

static void a_copy_of_nothing_forgets(void **state)
{
	struct shadow *to = shadow_new(64), *from = shadow_new(64);

	(void)state;
	shadow_written(to, 0, 32);
	assert_false(shadow_full(to));
	shadow_copied(to, 0, from, 0, 16);
	shadow_written(to, 32, 32);
	assert_false(shadow_full(to));
	assert_false(shadow_is_known(shadow_words(to), 0, 4));
	assert_true(shadow_is_known(shadow_words(to), 16, 16));
	shadow_copied(to, 0, NULL, 0, 16);
	assert_true(shadow_full(to));
	shadow_free(to);
	shadow_free(from);
	shadow_free(NULL);
}

static void words_are_counted_from_any_place(void **state)
{
	uint8_t words[40];

	(void)state;
	for (uint32_t gap = 0; gap <= sizeof(words); gap++) {
		memset(words, SHADOW_KNOWN, sizeof(words));
		if (gap < sizeof(words))
			words[gap] = 0x07;
		for (uint32_t from = 0; from <= gap; from++)
			assert_int_equal(shadow_scan(words, from, sizeof(words)), gap);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_what_was_done_to_them),
		cmocka_unit_test(a_copy_of_nothing_forgets),
		cmocka_unit_test(words_are_counted_from_any_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
