/* SPDX-License-Identifier: Apache-2.0 */
/* Device code that is compiled does what the interpreter does: results, faults, how often it lets
 * others run; and a program may become hot while it runs or go away while it is compiled. Single
 * operations are test-machine-opcodes.c's. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emulator/exec/core.h"
#include "emulator/memory/shadow.h"
#include "emulator/warp/exec.h"
#include "tests/unit/emulator/machine.h"

#define WORDS 1024

struct outcome {
	int rc;
	uint32_t words[WORDS];
	char fault[4096];
};

/* Entry k of the text, given a buffer of words that count from 0. */
static void run(const char *text, uint32_t threads, bool compiled, struct outcome *ret)
{
	struct device *d = device_new();
	struct buffer fault = BUFFER_INIT;
	uint64_t p = device_buffer(d, "words", sizeof(ret->words));

	memset(ret, 0, sizeof(*ret));
	d->compiled = compiled;
	for (uint32_t i = 0; i < WORDS; i++)
		((uint32_t *)device_bytes(d, p))[i] = i;
	device_load(d, text);
	ret->rc = device_launch(d, "k", 2, threads, &p, sizeof(p));
	if (ret->rc < 0)
		fail_msg("%s", d->err.text);
	memcpy(ret->words, device_bytes(d, p), sizeof(ret->words));
	if (ret->rc)
		gpu_fault_print(&d->fault, &fault);
	snprintf(ret->fault, sizeof(ret->fault), "%s", buffer_text(&fault));
	buffer_release(&fault);
	device_free(d);
}

static struct outcome assert_same(const char *text, uint32_t threads)
{
	static struct outcome interpreted, compiled;

	run(text, threads, false, &interpreted);
	run(text, threads, true, &compiled);
	assert_int_equal(interpreted.rc, compiled.rc);
	assert_string_equal(interpreted.fault, compiled.fault);
	for (uint32_t i = 0; i < WORDS; i++)
		if (interpreted.words[i] != compiled.words[i])
			fail_msg("word %u is 0x%x, compiled 0x%x", i, interpreted.words[i],
				 compiled.words[i]);
	return compiled;
}

#define HEAD                                                                                       \
	".visible .entry k(.param .u64 p)\n{\n.reg .b64 %a<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; " \
	".reg .f64 %d<4>;"                                                                         \
	" .reg .pred %p<9>;\n"                                                                     \
	"ld.param.u64 %a0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, "         \
	"%ntid.x;\n"                                                                               \
	"mad.lo.u32 %r0, %r1, %r2, %r0; mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a0, %a1;\n"

static const char lanes_leave_one_by_one[] =
	HEAD "mov.u32 %r3, 0; add.u32 %r4, %r0, 1;\n"
	     "LOOP: and.b32 %r5, %r4, 1; setp.eq.u32 %p0, %r5, 1; mad.lo.u32 %r6, %r4, 3, 1; "
	     "shr.u32 %r7, %r4, 1;\n"
	     "selp.b32 %r4, %r6, %r7, %p0; add.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r4, 1; "
	     "setp.lt.u32 %p2, %r3, 300;\n"
	     "and.pred %p1, %p1, %p2; @%p1 bra LOOP;\n"
	     "st.global.u32 [%a1], %r3; ret;\n}\n";

static void loops_end_lane_by_lane(void **state)
{
	struct outcome o;

	(void)state;
	o = assert_same(lanes_leave_one_by_one, 50);
	assert_int_equal(o.words[26], 111); /* of 27 */
}

static const char lanes_leave_in_the_middle[] =
	HEAD "mov.u32 %r3, 0; add.u32 %r4, %r0, 1;\n"
	     "LOOP: setp.eq.u32 %p1, %r4, 1; @%p1 bra OUT;\n"
	     "and.b32 %r5, %r4, 1; setp.eq.u32 %p0, %r5, 1; mad.lo.u32 %r6, %r4, 3, 1; shr.u32 "
	     "%r7, %r4, 1;\n"
	     "setp.gt.u32 %p3, %r6, 9000; @%p3 bra LARGE;\n"
	     "selp.b32 %r4, %r6, %r7, %p0; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 300; @%p2 "
	     "bra LOOP;\n"
	     "OUT: st.global.u32 [%a1], %r3; ret;\n"
	     "LARGE: st.global.u32 [%a1], %r4; ret;\n}\n";

static void loops_may_be_left_in_the_middle(void **state)
{
	struct outcome o;

	(void)state;
	o = assert_same(lanes_leave_in_the_middle, 50);
	assert_int_equal(o.words[2], 7);     /* of 3 */
	assert_int_equal(o.words[26], 3238); /* of 27, on the way */
}

/* The branch out of it is its first operation, in whose place the compiled loop is. */
static void loops_may_be_left_at_once(void **state)
{
	struct outcome o;

	(void)state;
	o = assert_same(HEAD "mov.u32 %r3, 0; and.b32 %r4, %r0, 7; setp.eq.u32 %p1, %r4, 0;\n"
			     "LOOP: @%p1 bra OUT;\n"
			     "add.u32 %r3, %r3, 5; add.u32 %r4, %r4, -1; setp.eq.u32 %p1, %r4, 0; "
			     "setp.lt.u32 %p2, %r3, 27;\n"
			     "@%p2 bra LOOP;\n"
			     "OUT: st.global.u32 [%a1], %r3; ret;\n}\n",
			50);
	assert_int_equal(o.words[3], 15);
	assert_int_equal(o.words[7], 30);
}

/* The first lanes leave before the loop has made a number of what it was given. */
static void a_row_that_is_left_early_keeps_its_bits(void **state)
{
	struct outcome o;

	(void)state;
	o = assert_same(
		HEAD
		"mov.b32 %r3, 0xffc12345; mov.b32 %f0, %r3; mov.u32 %r4, 0; and.b32 %r5, %r0, 3;\n"
		"LOOP: setp.eq.u32 %p1, %r4, %r5; @%p1 bra OUT;\n"
		"add.f32 %f0, %f0, 0f3F800000; add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 9; @%p0 "
		"bra LOOP;\n"
		"OUT: mov.b32 %r7, %f0; st.global.u32 [%a1], %r7; st.global.u32 [%a1+512], %r4; "
		"ret;\n}\n",
		40);
	assert_int_equal(o.words[0], 0xffc12345);
	assert_int_equal(o.words[1], 0x7fffffff);
	assert_int_equal(o.words[131], 3);
}

/* A NaN of a float that goes round the loop, beside an integer that has the bits of one before it.
 */
static void a_row_that_was_no_float_keeps_its_bits(void **state)
{
	struct outcome o;

	(void)state;
	o = assert_same(HEAD "mov.b32 %r3, 0xffc12345; mov.b32 %f0, %r3; mov.u32 %r4, 0;\n"
			     "LOOP: mov.b32 %r5, %f0; xor.b32 %r6, %r6, %r5; add.u32 %r4, %r4, 1; "
			     "setp.lt.u32 %p0, %r4, 3;\n"
			     "add.f32 %f0, %f0, 0f3F800000; @%p0 bra LOOP;\n"
			     "st.global.u32 [%a1], %r6; mov.b32 %r7, %f0; st.global.u32 [%a1+512], "
			     "%r7; ret;\n}\n",
			40);
	assert_int_equal(o.words[0], 0xffc12345);
	assert_int_equal(o.words[128], 0x7fffffff);
}

static void guarded_operations_keep_the_other_lanes(void **state)
{
	(void)state;
	assert_same(HEAD "setp.gt.u32 %p0, %r0, 11; and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 1; "
			 "mov.u32 %r4, 5; mov.u32 %r5, 0;\n"
			 "LOOP: @%p0 add.u32 %r4, %r4, %r0; @!%p1 mul.lo.u32 %r4, %r4, 3; @%p1 "
			 "setp.lt.u32 %p0, %r4, 900;\n"
			 "@%p1 cvt.rn.f32.u32 %f0, %r4; @!%p1 mov.b32 %f0, %r4; mov.b32 %r6, %f0; "
			 "xor.b32 %r4, %r4, %r6;\n"
			 "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 9; @%p2 bra LOOP;\n"
			 "st.global.u32 [%a1], %r4; ret;\n}\n",
		    45);
}

/* Logic of two rows into one of them: what LLVM 19 makes of that under a mask is wrong. */
static void logic_in_a_part_of_a_warp_is_right(void **state)
{
	(void)state;
	assert_same(HEAD "mul.lo.u32 %r3, %r0, 0x9e3779b1; mov.b32 %f1, %r3; not.b32 %r4, %r3; "
			 "mov.b32 %f0, %r4;\n"
			 "setp.eq.u32 %p0, %r0, 99; @%p0 bra SKIP;\n"
			 "copysign.f32 %f0, %f0, %f1; add.u32 %r5, %r5, 1;\n"
			 "SKIP: st.global.f32 [%a1], %f0; ret;\n}\n",
		    45);
}

static void a_fault_names_thread_and_line(void **state)
{
	struct outcome o;

	(void)state;
	o = assert_same(
		HEAD
		".loc 1 7 0\nmov.u32 %r3, 0; mov.u64 %a2, %a1;\n"
		"LOOP: ld.global.u32 %r4, [%a2]; add.u32 %r4, %r4, 1; st.global.u32 [%a2], %r4;\n"
		".loc 1 9 0\nadd.u64 %a2, %a2, 100; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, "
		"100; @%p0 bra LOOP;\n"
		"ret;\n}\n.file 1 \"cell.cu\"\n",
		32);
	assert_int_equal(o.rc, 1);
	assert_non_null(strstr(o.fault, "cell.cu:7"));
}

/* A copy of the first half of the words into the second, which nobody has written, in a loop, and
 * what is read there. */
static void copy_watched(const char *body, uint64_t written, bool compiled, uint32_t *words,
			 uint8_t *shadow)
{
	struct device *d = device_new();
	uint64_t p = device_buffer(d, "words", WORDS * sizeof(*words));
	struct shadow *s = shadow_new(WORDS * sizeof(*words));

	assert_non_null(s);
	d->buffers[d->count - 1].shadow = s;
	d->compiled = compiled;
	shadow_written(s, 0, written);
	for (uint32_t i = 0; i < WORDS / 2; i++)
		((uint32_t *)device_bytes(d, p))[i] = i * 0x01234567u;
	device_load(d, body);
	assert_runs(d, "k", 1, 64, &p, sizeof(p));
	memcpy(words, device_bytes(d, p), WORDS * sizeof(*words));
	memcpy(shadow, atomic_load(&s->words), WORDS);
	shadow_free(s);
	device_free(d);
}

static void what_nobody_wrote_stays_known_as_such(void **state)
{
	static const char *const accesses[] = {
		/* Lane after lane, all lanes one place, every other place, vectors, single bytes.
		 */
		"ld.global.u32 %r4, [%a1]; st.global.u32 [%a1+2048], %r4; ld.global.u32 %r5, "
		"[%a1+2048];\n",
		"ld.global.u32 %r4, [%a0+400]; st.global.u32 [%a1+2048], %r4; ld.global.u32 %r5, "
		"[%a0+2048];\n",
		"mul.wide.u32 %a2, %r0, 8; add.u64 %a2, %a2, %a0; ld.global.u32 %r4, [%a2]; "
		"st.global.u32 [%a2+2048], %r4;\n",
		"mul.wide.u32 %a2, %r0, 16; add.u64 %a2, %a2, %a0; ld.global.v4.u32 {%r4, %r5, "
		"%r6, %r7}, [%a2];st.global.v2.u32 [%a2+2048], {%r5, %r6}; ld.global.u64 %a3, "
		"[%a2+512];\n",
		"cvt.u64.u32 %a2, %r0; add.u64 %a2, %a2, %a0; ld.global.u8 %r4, [%a2]; "
		"st.global.u8 [%a2+2048], %r4;\n",
	};
	static uint32_t words[2][WORDS];
	static uint8_t shadow[2][WORDS];
	const uint64_t written[] = { WORDS * 2, 100, 410, 0 };

	(void)state;
	for (size_t i = 0; i < 4 * sizeof(accesses) / sizeof(accesses[0]); i++) {
		char text[2048];

		snprintf(text, sizeof(text), "%s%s%s",
			 HEAD "mov.u32 %r3, 0;\nLOOP: ", accesses[i / 4],
			 "add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 4; @%p0 bra LOOP;\nret;\n}\n");
		for (int compiled = 0; compiled < 2; compiled++)
			copy_watched(text, written[i % 4], compiled, words[compiled],
				     shadow[compiled]);
		assert_memory_equal(words[0], words[1], sizeof(words[0]));
		assert_memory_equal(shadow[0], shadow[1], sizeof(shadow[0]));
	}
}

/* What goes round a loop as a float has the bits of an integer in the first round, and handlers are
 * called in each. */
static void rows_are_in_memory_when_a_load_needs_its_handler(void **state)
{
	struct outcome o;

	(void)state;
	o = assert_same(
		HEAD
		"mov.b32 %r3, 0xffc12345; mov.b32 %f0, %r3; mov.u32 %r4, 0; mov.u64 %a2, %a1;\n"
		"LOOP: ld.global.u32 %r5, [%a2]; add.u32 %r6, %r6, %r5; add.u32 %r4, %r4, 1;\n"
		"setp.lt.u32 %p0, %r4, 9; @%p0 add.u64 %a2, %a2, 300; add.f32 %f0, %f0, "
		"0f3F800000; @%p0 bra LOOP;\n"
		"mov.b32 %r7, %f0; st.global.u32 [%a1], %r7; ret;\n}\n",
		64);
	assert_int_equal(o.rc, 0);
	assert_int_equal(o.words[0], 0x7fffffff);
	assert_same(HEAD
		    "mov.b32 %r3, 0xffc12345; mov.b32 %f0, %r3; mov.u32 %r4, 0; mov.u64 %a2, %a1;\n"
		    "LOOP: ld.global.u32 %r5, [%a2]; add.u32 %r4, %r4, 1;\n"
		    "add.u64 %a2, %a2, 1000; add.f32 %f0, %f0, 0f3F800000; setp.lt.u32 %p0, %r4, "
		    "9; @%p0 bra LOOP;\n"
		    "mov.b32 %r7, %f0; st.global.u32 [%a1], %r7; ret;\n}\n",
		    64);
}

static void loops_give_their_turn_away(void **state)
{
	struct outcome o;

	(void)state;
	/* Warp 0 waits in a loop for a word that warp 1 writes later. */
	o = assert_same(HEAD
			"setp.gt.u32 %p0, %r0, 31; @%p0 bra WRITE; mov.u32 %r5, 0;\n"
			"WAIT: ld.volatile.global.u32 %r3, [%a0+512]; add.u32 %r5, %r5, 1; "
			"setp.eq.u32 %p1, %r3, 128; @%p1 bra WAIT;\n"
			"st.global.u32 [%a1], %r3; ret;\n"
			"WRITE: mov.u32 %r4, 77; st.volatile.global.u32 [%a0+512], %r4; ret;\n}\n",
			64);
	assert_int_equal(o.words[5], 77);
}

static void an_endless_loop_is_stopped(void **state)
{
	struct device *d = device_new();
	_Atomic int stop = 1;
	uint64_t p = device_buffer(d, "words", 4096);

	(void)state;
	d->compiled = true;
	d->stop = &stop;
	device_load(d, HEAD "LOOP: add.u32 %r0, %r0, 2; xor.b32 %r3, %r0, 5; setp.ne.u32 %p0, %r2, "
			    "0; @%p0 bra LOOP; ret;\n}\n");
	assert_int_equal(device_launch(d, "k", 1, 32, &p, sizeof(p)), 1);
	assert_int_equal(d->fault.kind, GPU_FAULT_TIMEOUT);
	device_free(d);
}

#define CHAIN 150
#define FIRST_NUMBER 1020 /* of block 0 */

/* Each thread takes a number of its block before a long chain and one behind it: words 4 i, 4 i + 1
 * and the result. */
static void print_chain(struct buffer *to, const char *middle)
{
	buffer_puts(to, HEAD "mul.wide.u32 %a1, %r0, 16; add.u64 %a1, %a0, %a1; mul.wide.u32 %a2, "
			     "%r1, 4; add.u64 %a2, %a0, %a2;\n"
			     "atom.global.add.u32 %r3, [%a2+4080], 1; st.global.u32 [%a1], %r3;\n"
			     "cvt.rn.f32.u32 %f0, %r0; add.f32 %f1, %f0, 0f3F800000;\n");
	for (int i = 0; i < CHAIN; i++)
		buffer_printf(to, "fma.rn.f32 %%f1, %%f1, 0f3F%02X1234, %%f0;\n%s", 0x60 + i % 24,
			      i == CHAIN / 2 ? middle : "");
	buffer_puts(to, "atom.global.add.u32 %r4, [%a2+4080], 1; st.global.u32 [%a1+4], %r4; "
			"st.global.f32 [%a1+8], %f1; ret;\n}\n");
}

/* Of two whole warps beside each other both come to the chain before one goes on behind it; the
 * others wait for nobody. */
static void warps_meet_before_long_chains(void **state)
{
	static const char *const middles[] = {
		"", "mov.b32 %r5, %f1; and.b32 %r5, %r5, 0x7ffffffe; mov.b32 %f1, %r5;\n",
		"setp.gt.f32 %p1, %f1, 0f40000000; @%p1 sub.f32 %f1, %f1, %f0;\n",
		"div.rn.f32 %f2, %f1, %f0; max.f32 %f1, %f1, %f2;\n"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(middles) / sizeof(middles[0]); i++) {
		struct buffer text = BUFFER_INIT;
		struct outcome o;

		print_chain(&text, middles[i]);
		o = assert_same(text.data, 50);
		assert_int_equal(o.words[1], FIRST_NUMBER + 32);
		o = assert_same(text.data, 112);
		assert_int_equal(o.words[4 * 32], FIRST_NUMBER + 32);
		assert_true(o.words[1] > o.words[4 * 64 + 1]);
		buffer_release(&text);
	}
}

static void operations_are_counted(void **state)
{
	struct buffer text = BUFFER_INIT;
	uint64_t counts[2];

	(void)state;
	print_chain(&text, "");
	for (int k = 0; k < 6; k++) {
		int i = k / 2, compiled = k % 2;
		struct device *d = device_new();
		uint64_t p = device_buffer(d, "words", 4096);

		d->compiled = compiled;
		device_load(d, i == 2 ? lanes_leave_in_the_middle
			       : i    ? text.data
				      : lanes_leave_one_by_one);
		assert_runs(d, "k", 2, i == 1 ? 128 : 50, &p, sizeof(p));
		counts[compiled] = d->stats.warp_instructions;
		device_free(d);
		if (compiled)
			assert_int_equal(counts[0], counts[1]);
	}
	buffer_release(&text);
}

static bool some_block_is_compiled(const struct ptx_program *p)
{
	for (uint32_t i = 0; i < p->op_count; i++)
		if (__atomic_load_n(&p->ops[i].full, __ATOMIC_ACQUIRE) !=
		    core_handlers()[p->ops[i].id].full)
			return true;
	return false;
}

static const char long_loop[] = HEAD "mov.u32 %r3, 0; mov.u32 %r4, %r0;\n"
				     "LOOP: mad.lo.u32 %r4, %r4, 1664525, 1013904223; add.u32 %r3, "
				     "%r3, 1; setp.lt.u32 %p0, %r3, 600000; @%p0 bra LOOP;\n"
				     "st.global.u32 [%a1], %r4; ret;\n}\n";

/* The launches before, those while it is compiled and the ones after give the same. */
static void a_program_becomes_hot_while_it_runs(void **state)
{
	struct device *d = device_new();
	uint64_t p = device_buffer(d, "words", 4096);
	time_t deadline = time(NULL) + 120;
	const struct ptx_program *program;
	uint32_t expected = 5;

	(void)state;
	for (int i = 0; i < 600000; i++)
		expected = expected * 1664525 + 1013904223;
	device_load(d, long_loop);
	do {
		assert_runs(d, "k", 4, 64, &p, sizeof(p));
		assert_int_equal(((uint32_t *)device_bytes(d, p))[5], expected);
		program = ptx_module_function(d->module, "k")->body->program;
		assert_true(time(NULL) < deadline);
	} while (!some_block_is_compiled(program));
	assert_runs(d, "k", 4, 64, &p, sizeof(p));
	assert_int_equal(((uint32_t *)device_bytes(d, p))[5], expected);
	device_free(d);
}

static void a_module_may_go_while_it_is_compiled(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct device *d = device_new();
		uint64_t p = device_buffer(d, "words", 4096);

		device_load(d, long_loop);
		assert_runs(d, "k", 6, 64, &p, sizeof(p));
		assert_non_null(ptx_module_function(d->module, "k")->body->program->hot);
		device_free(d);
	}
}

#define UNUSED_LOOPS 300

/* One block is compiled, hundreds are not: the process exits meanwhile. */
static void exit_while_blocks_are_compiled(void)
{
	struct buffer text = BUFFER_INIT;
	struct device *d = device_new();
	uint64_t p = device_buffer(d, "words", 4096);
	const struct ptx_program *program;

	buffer_printf(&text, "%s",
		      HEAD "mov.u32 %r3, 0; mov.u32 %r4, %r0;\n"
			   "LOOP: mad.lo.u32 %r4, %r4, 1664525, 1013904223; add.u32 %r3, %r3, 1; "
			   "setp.lt.u32 %p0, %r3, 600000; @%p0 bra LOOP;\n"
			   "st.global.u32 [%a1], %r4; setp.ne.u32 %p1, %r3, 1; @%p1 ret;\n");
	for (int i = 0; i < UNUSED_LOOPS; i++)
		buffer_printf(&text,
			      "L%d: mad.lo.u32 %%r4, %%r4, 5, 7; xor.b32 %%r3, %%r3, %%r4; "
			      "cvt.rn.f32.u32 %%f1, %%r3;\n"
			      "fma.rn.f32 %%f2, %%f1, %%f1, %%f2; setp.lt.f32 %%p0, %%f2, "
			      "0f00000000; @%%p0 bra L%d;\n",
			      i, i);
	buffer_printf(&text, "st.global.f32 [%%a1], %%f2; ret;\n}\n");
	device_load(d, text.data);
	do {
		assert_runs(d, "k", 4, 64, &p, sizeof(p));
		program = ptx_module_function(d->module, "k")->body->program;
	} while (!some_block_is_compiled(program));
	exit(0);
}

/* The first test, since a process that has compiled before would not show it. */
static void exit_waits_for_the_compiler(void **state)
{
	int status;

	(void)state;
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			alarm(300);
			exit_while_blocks_are_compiled();
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_waits_for_the_compiler),
		cmocka_unit_test(loops_end_lane_by_lane),
		cmocka_unit_test(loops_may_be_left_in_the_middle),
		cmocka_unit_test(loops_may_be_left_at_once),
		cmocka_unit_test(a_row_that_is_left_early_keeps_its_bits),
		cmocka_unit_test(a_row_that_was_no_float_keeps_its_bits),
		cmocka_unit_test(guarded_operations_keep_the_other_lanes),
		cmocka_unit_test(logic_in_a_part_of_a_warp_is_right),
		cmocka_unit_test(a_fault_names_thread_and_line),
		cmocka_unit_test(what_nobody_wrote_stays_known_as_such),
		cmocka_unit_test(rows_are_in_memory_when_a_load_needs_its_handler),
		cmocka_unit_test(loops_give_their_turn_away),
		cmocka_unit_test(an_endless_loop_is_stopped),
		cmocka_unit_test(warps_meet_before_long_chains),
		cmocka_unit_test(operations_are_counted),
		cmocka_unit_test(a_program_becomes_hot_while_it_runs),
		cmocka_unit_test(a_module_may_go_while_it_is_compiled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
