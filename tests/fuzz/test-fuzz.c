/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each fuzz target with the inputs that its own encoder makes, which it must accept, and with a
 * fixed number of damaged ones, which must do no harm: under the sanitizers, any read beyond the
 * input, any leak and any undefined operation ends the test. The damage is made from a fixed seed,
 * so a failure comes again. What is longer to find is for libFuzzer (`./bootstrap fuzz`).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/log.h"
#include "tests/fuzz/fuzz.h"

#define SEEDS_MAX 64
#define INPUT_MAX (256 * 1024)

struct seeds {
	struct buffer at[SEEDS_MAX];
	unsigned n;
};

/* xorshift64 (Marsaglia, 2003). */
static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static void take_seeds(const struct fuzz_target *t, struct seeds *s)
{
	for (s->n = 0; s->n < SEEDS_MAX; s->n++) {
		buffer_init(&s->at[s->n]);
		if (!t->seed(s->n, &s->at[s->n]))
			return;
	}
}

static void release_seeds(struct seeds *s)
{
	for (unsigned i = 0; i < s->n; i++)
		buffer_release(&s->at[i]);
}

/* Overwrites 1, 4 or 8 bytes with a number that decoders stumble over. */
static void put_number(struct buffer *b)
{
	static const uint64_t numbers[] = { 0,          1,          7,          0x7f,
					    0x80,       0xff,       0xffff,     0x7fffffff,
					    0x80000000, 0xffffffff, 1ull << 32, 1ull << 47,
					    INT64_MAX,  1ull << 63, UINT64_MAX };
	static const size_t sizes[] = { 1, 4, 8 };
	uint64_t n = numbers[random_below(sizeof(numbers) / sizeof(numbers[0]))];
	size_t size = sizes[random_below(3)];

	if (!random_below(4))
		n = b->len - random_below(16);
	if (b->len >= size)
		memcpy(b->data + random_below(b->len - size + 1), &n, size);
}

/* Leaves a part out, doubles it, or puts one of another seed in its place. */
static void move_part(struct buffer *b, const struct seeds *s)
{
	const struct buffer *other = &s->at[random_below(s->n)];
	size_t from = random_below(b->len + 1), to = from + random_below(b->len - from + 1);
	size_t at = random_below(other->len + 1);
	struct buffer made = BUFFER_INIT, old = *b;
	uint64_t how = random_below(3);

	buffer_append(&made, b->data, how == 1 ? to : from);
	if (how == 1)
		buffer_append(&made, b->data + from, to - from);
	if (how == 2)
		buffer_append(&made, other->data + at, random_below(other->len - at + 1));
	buffer_append(&made, b->data + to, b->len - to);
	if (made.len > INPUT_MAX) {
		buffer_release(&made);
		return;
	}
	*b = made;
	buffer_release(&old);
}

static void damage(struct buffer *b, const struct seeds *s)
{
	for (uint64_t n = 1 + random_below(4); n && b->len; n--) {
		switch (random_below(4)) {
		case 0:
			b->data[random_below(b->len)] ^= (char)(1 << random_below(8));
			break;
		case 1:
			put_number(b);
			break;
		case 2:
			move_part(b, s);
			break;
		default:
			b->data[random_below(b->len)] = (char)random_below(256);
		}
	}
	if (!random_below(8))
		b->len = random_below(b->len + 1);
}

static void check(const struct fuzz_target *t)
{
	struct seeds s;
	unsigned refused = 0;

	take_seeds(t, &s);
	assert_in_range(s.n, 1, SEEDS_MAX - 1);
	for (unsigned i = 0; i < s.n; i++)
		if (!t->one((const uint8_t *)s.at[i].data, s.at[i].len))
			fail_msg("valid input %u is refused", i);
	random_state = 0x9e3779b97f4a7c15ull;
	for (unsigned i = 0; i < t->rounds; i++) {
		cleanup_buffer struct buffer b = BUFFER_INIT;
		const struct buffer *seed = &s.at[random_below(s.n)];
		uint8_t *exact;

		buffer_append(&b, seed->data, seed->len);
		damage(&b, &s);
		/* A block of just this size: a read beyond it is seen. */
		exact = malloc(b.len ? b.len : 1);
		assert_non_null(exact);
		memcpy(exact, buffer_text(&b), b.len);
		refused += !t->one(exact, b.len);
		free(exact);
	}
	release_seeds(&s);
	/* Damage that nothing ever refuses is none. */
	assert_true(refused > 0);
}

#define FUZZ_TARGET(name)                                                                          \
	static void name##_does_no_harm(void **state)                                              \
	{                                                                                          \
		(void)state;                                                                       \
		check(&fuzz_##name);                                                               \
	}
#include "tests/fuzz/targets.def"
#undef FUZZ_TARGET

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define FUZZ_TARGET(name) cmocka_unit_test(name##_does_no_harm),
#include "tests/fuzz/targets.def"
#undef FUZZ_TARGET
	};

	/* Of each damaged history the log would have a warning. */
	setenv("CGPU_LOG", "error", 1);
	log_init(argv[0]);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
