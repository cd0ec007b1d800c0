/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores of each width, with addresses of each pattern that the machine treats in its own
 * way: what lanes get and leave is compared with the host's, and one bad lane among good ones is
 * named. Each lane does it twice, harmlessly at first, so that the operation knows the buffer when
 * it meets the pattern.
 */
#include "tests/unit/emulator/machine.h"

#define TIMES 2 /* of an access: entries of the index */
#define BYTES 2048
#define SHIFT 16 /* constant part of each address */

static const struct width {
	const char *type, *class;
	unsigned bytes, count;
	bool is_signed;
} widths[] = {
	{ "u8", "b16", 1, 1, false },  { "u8", "b16", 1, 2, false },  { "u8", "b16", 1, 4, false },
	{ "s8", "b16", 1, 1, true },   { "s8", "b16", 1, 4, true },   { "u16", "b16", 2, 1, false },
	{ "u16", "b16", 2, 2, false }, { "u16", "b16", 2, 4, false }, { "b32", "b32", 4, 1, false },
	{ "b32", "b32", 4, 2, false }, { "b32", "b32", 4, 4, false }, { "b64", "b64", 8, 1, false },
	{ "b64", "b64", 8, 2, false },
};

enum pattern {
	FOLLOWING,
	SAME,
	HALVES_FOLLOW,
	HALVES_SAME,
	ONE_OF_EACH,
	BACKWARDS,
	SPREAD,
	LAST_DIFFERS,
	PATTERNS,
};

static unsigned element_of(enum pattern p, unsigned lane)
{
	switch (p) {
	case FOLLOWING:
		return 3 + lane;
	case SAME:
		return 7;
	case HALVES_FOLLOW:
		return lane < 16 ? 5 + lane : 80 - 16 + lane;
	case HALVES_SAME:
		return lane < 16 ? 9 : 2;
	case ONE_OF_EACH:
		return lane < 16 ? 30 : lane;
	case BACKWARDS:
		return 40 - lane;
	case SPREAD:
		return lane * 37 % 100;
	default:
		return lane == 31 ? 90 : lane;
	}
}

/* `mask` lanes do the access; the others keep zeroes. */
static void load_entries(struct device *d, const struct width *x, const char *space)
{
	static const char *const operands[] = { "%v0", "", "{%v0,%v1}", "", "{%v0,%v1,%v2,%v3}" };
	const char *vector = x->count == 4 ? ".v4" : x->count == 2 ? ".v2" : "";
	const char *list = operands[x->count == 1 ? 0 : x->count];
	const char *stored = x->type[0] == 's' ? "u8" : x->type;
	struct buffer text = BUFFER_INIT;

	for (int store = 0; store < 2; store++) {
		buffer_printf(
			&text,
			".visible .entry %s(.param .u64 mem, .param .u64 idx, .param .u64 own,\n"
			".param .u32 mask)\n{\n"
			".reg .pred %%p<3>; .reg .b32 %%r<9>; .reg .b64 %%rd<20>; .reg .%s "
			"%%v<4>;\n"
			".shared .align 16 .b8 window[%d];\n"
			"ld.param.u64 %%rd1, [mem]; ld.param.u64 %%rd2, [idx]; ld.param.u64 %%rd3, "
			"[own];\n"
			"ld.param.u32 %%r1, [mask]; mov.u32 %%r2, %%tid.x; mov.u64 %%rd10, "
			"window;\n"
			/* 64 bytes of the memory to the window, by each lane */
			"mul.wide.u32 %%rd4, %%r2, 64; add.s64 %%rd5, %%rd1, %%rd4;\n"
			"add.s64 %%rd6, %%rd10, %%rd4;\n",
			store ? "leave" : "get", x->class, BYTES);
		for (int i = 0; i < 8; i++)
			buffer_printf(&text,
				      "ld.global.b64 %%rd7, [%%rd5+%d]; st.shared.b64 [%%rd6+%d], "
				      "%%rd7;\n",
				      8 * i, 8 * i);
		buffer_printf(&text,
			      "bar.sync 0; mov.u32 %%r5, %%r2; AGAIN:\n"
			      "mul.wide.u32 %%rd4, %%r5, 4; add.s64 %%rd4, %%rd2, %%rd4;\n"
			      "ld.global.u32 %%r3, [%%rd4];\n"
			      "cvt.u64.u32 %%rd7, %%r3; add.s64 %%rd8, %%%s, %%rd7;\n"
			      "mul.wide.u32 %%rd4, %%r5, %u; add.s64 %%rd9, %%rd3, %%rd4;\n"
			      "shr.u32 %%r4, %%r1, %%r2; and.b32 %%r4, %%r4, 1;\n"
			      "setp.eq.s32 %%p1, %%r4, 0; @%%p1 bra OUT;\n",
			      strcmp(space, "shared") ? "rd1" : "rd10", x->bytes * x->count);
		if (store)
			buffer_printf(&text,
				      "ld.global%s.%s %s, [%%rd9]; st.%s%s.%s [%%rd8+%d], %s;\n",
				      vector, x->type, list, space, vector, stored, SHIFT, list);
		else
			buffer_printf(&text,
				      "ld.%s%s.%s %s, [%%rd8+%d]; st.global%s.%s [%%rd9], %s;\n",
				      space, vector, x->type, list, SHIFT, vector, stored, list);
		buffer_printf(&text,
			      "OUT: add.s32 %%r5, %%r5, 32; setp.lt.s32 %%p2, %%r5, %d; @%%p2 bra "
			      "AGAIN; bar.sync 0;\n",
			      TIMES * LANES);
		/* The window's bytes are what the caller looks at. */
		for (int i = 0; store && !strcmp(space, "shared") && i < 8; i++)
			buffer_printf(&text,
				      "ld.shared.b64 %%rd7, [%%rd6+%d]; st.global.b64 [%%rd5+%d], "
				      "%%rd7;\n",
				      8 * i, 8 * i);
		buffer_puts(&text, "ret;\n}\n");
	}
	device_load(d, buffer_text(&text));
	buffer_release(&text);
}

struct access_params {
	uint64_t memory, index, own;
	uint32_t mask;
};

struct setup {
	struct device *d;
	struct access_params params;
	uint8_t *memory, *own;
	uint32_t *index;
};

static void prepare(struct setup *s, const struct width *x, enum pattern p, uint32_t mask)
{
	unsigned size = x->bytes * x->count;

	for (unsigned i = 0; i < BYTES; i++) {
		s->memory[i] = (uint8_t)(i * 151 + (i >> 8));
		s->own[i] = (uint8_t)(i * 29 + 200);
	}
	for (unsigned t = 0; t < TIMES * LANES; t++)
		s->index[t] = t < LANES ? 0 : element_of(p, t - LANES) * size;
	s->params.mask = mask;
}

static void check_get(struct setup *s, const struct width *x, enum pattern p, uint32_t mask)
{
	unsigned size = x->bytes * x->count;
	uint8_t expected[BYTES];

	prepare(s, x, p, mask);
	memcpy(expected, s->own, BYTES);
	for (unsigned t = 0; t < TIMES * LANES; t++)
		if (mask >> t % LANES & 1)
			memcpy(expected + t * size, s->memory + s->index[t] + SHIFT, size);
	assert_runs(s->d, "get", 1, LANES, &s->params, sizeof(s->params));
	assert_memory_equal(s->own, expected, BYTES);
}

static void check_leave(struct setup *s, const struct width *x, enum pattern p, uint32_t mask)
{
	unsigned size = x->bytes * x->count;
	uint8_t expected[BYTES];

	prepare(s, x, p, mask);
	memcpy(expected, s->memory, BYTES);
	for (unsigned t = 0; t < TIMES * LANES; t++)
		if (mask >> t % LANES & 1)
			memcpy(expected + s->index[t] + SHIFT, s->own + t * size, size);
	assert_runs(s->d, "leave", 1, LANES, &s->params, sizeof(s->params));
	assert_memory_equal(s->memory, expected, BYTES);
}

static struct setup setup_new(void)
{
	struct setup s = { .d = device_new() };

	s.params.memory = device_buffer(s.d, "memory", BYTES);
	s.params.index = device_buffer(s.d, "index", 4 * TIMES * LANES);
	s.params.own = device_buffer(s.d, "own", BYTES);
	s.memory = device_bytes(s.d, s.params.memory);
	s.index = device_bytes(s.d, s.params.index);
	s.own = device_bytes(s.d, s.params.own);
	return s;
}

static void lanes_get_and_leave_their_own(void **state)
{
	static const uint32_t masks[] = { ~0u, 0x0000ffff, 0xfffffffe, 0x80000001 };
	static const char *const spaces[] = { "global", "shared" };
	struct setup s = setup_new();

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		for (int space = 0; space < 2; space++) {
			load_entries(s.d, &widths[i], spaces[space]);
			for (int p = 0; p < PATTERNS; p++)
				for (int m = 0; m < 4; m++) {
					check_get(&s, &widths[i], p, masks[m]);
					check_leave(&s, &widths[i], p, masks[m]);
				}
		}
	device_free(s.d);
}

/* One lane's address is moved: past the end by one element, or off its alignment. */
static void check_fault(struct setup *s, const char *entry, enum pattern p, unsigned lane,
			bool misaligned, bool shared)
{
	const struct width x = { "b32", "b32", 4, 1, false };

	prepare(s, &x, p, ~0u);
	s->index[LANES + lane] = misaligned ? s->index[LANES + lane] + 2 : BYTES - SHIFT;
	assert_int_equal(device_launch(s->d, entry, 1, LANES, &s->params, sizeof(s->params)), 1);
	assert_int_equal(s->d->fault.kind, misaligned ? GPU_FAULT_MISALIGNED
					   : shared   ? GPU_FAULT_WINDOW
						      : GPU_FAULT_ILLEGAL_ADDRESS);
	assert_int_equal(s->d->fault.thread[0], lane);
	assert_int_equal(s->d->fault.address & 0xfff,
			 ((shared ? 0 : s->params.memory) + s->index[LANES + lane] + SHIFT) &
				 0xfff);
}

static void one_bad_lane_is_named(void **state)
{
	static const enum pattern patterns[] = { FOLLOWING, SAME, HALVES_SAME, SPREAD };
	const struct width x = { "b32", "b32", 4, 1, false };
	struct setup s = setup_new();

	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		load_entries(s.d, &x, shared ? "shared" : "global");
		for (int p = 0; p < 4; p++)
			for (unsigned lane = 0; lane < LANES; lane++)
				for (int misaligned = 0; misaligned < 2; misaligned++) {
					check_fault(&s, "get", patterns[p], lane, misaligned,
						    shared);
					check_fault(&s, "leave", patterns[p], lane, misaligned,
						    shared);
				}
	}
	device_free(s.d);
}

/* Halves that follow each other, the second one across the end of the buffer. */
static void a_half_that_runs_over_the_end_is_named(void **state)
{
	const struct width x = { "b32", "b32", 4, 1, false };
	struct setup s = setup_new();

	(void)state;
	load_entries(s.d, &x, "global");
	for (unsigned over = 1; over <= 16; over++) {
		prepare(&s, &x, FOLLOWING, ~0u);
		for (unsigned l = 0; l < LANES; l++)
			s.index[LANES + l] = BYTES - SHIFT - (LANES - over) * 4 + 4 * l;
		assert_int_equal(device_launch(s.d, "get", 1, LANES, &s.params, sizeof(s.params)),
				 1);
		assert_int_equal(s.d->fault.thread[0], LANES - over);
		assert_int_equal(device_launch(s.d, "leave", 1, LANES, &s.params, sizeof(s.params)),
				 1);
		assert_int_equal(s.d->fault.thread[0], LANES - over);
	}
	device_free(s.d);
}

/* No lane differs from its neighbours. */
static void lanes_off_their_alignment_together_are_named(void **state)
{
	static const enum pattern patterns[] = { FOLLOWING, SAME };
	const struct width x = { "b32", "b32", 4, 1, false };
	struct setup s = setup_new();

	(void)state;
	load_entries(s.d, &x, "global");
	for (int p = 0; p < 2; p++) {
		prepare(&s, &x, patterns[p], ~0u);
		for (unsigned l = 0; l < LANES; l++)
			s.index[LANES + l] += 2;
		assert_int_equal(device_launch(s.d, "get", 1, LANES, &s.params, sizeof(s.params)),
				 1);
		assert_int_equal(s.d->fault.kind, GPU_FAULT_MISALIGNED);
		assert_int_equal(s.d->fault.thread[0], 0);
	}
	device_free(s.d);
}

static int run_group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_get_and_leave_their_own),
		cmocka_unit_test(one_bad_lane_is_named),
		cmocka_unit_test(a_half_that_runs_over_the_end_is_named),
		cmocka_unit_test(lanes_off_their_alignment_together_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return machine_on_each_core(run_group);
}
