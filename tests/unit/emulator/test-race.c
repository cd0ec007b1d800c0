/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The race check: each kind of report with its whole text, and beside it the same program with what
 * makes it right, about which nothing may be said.
 */
#include "emulator/check/race.h"

#include <pthread.h>
#include <time.h>

#include "emulator/memory/access.h"
#include "emulator/warp/observer.h"
#include "tests/unit/emulator/machine.h"

static bool unplanned; /* launches are watched as a whole */

/*
 * Two blocks whose stores of global memory meet in one order: block 1's is noted by the race check,
 * then block 0's is, and only then does memory change. The gate is two observers, one asked before
 * the race check and one told after it.
 */
struct gate {
	struct observer before, after;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool noted[2]; /* by block */
	bool is_set;   /* block 0's flag: the store of it has been noted, and has happened when the
			  next access is */
};

static struct gate *gate; /* NULL: blocks go as they like */

static void gate_wait(struct gate *g, uint32_t block)
{
	struct timespec end;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 60;
	pthread_mutex_lock(&g->lock);
	while (!g->noted[block] && !rc)
		rc = pthread_cond_timedwait(&g->changed, &g->lock, &end);
	pthread_mutex_unlock(&g->lock);
	if (rc)
		abort();
}

static void gate_note(struct gate *g, uint32_t block)
{
	pthread_mutex_lock(&g->lock);
	g->noted[block] = true;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

static bool gate_is_store(const struct op *o)
{
	const struct access_shape *s = access_shape(o);

	return s && s->kind == GPU_ACCESS_WRITE && s->space == PTX_SPACE_GLOBAL;
}

static bool gate_before(struct observer *x, struct warp *w, const struct op *o)
{
	if (gate_is_store(o) && w->block->linear == 0)
		gate_wait(OBSERVER_OF(x, struct gate, before), 1);
	return true;
}

static void gate_after(struct observer *x, struct warp *w, const struct op *o,
		       const struct memory_step *s)
{
	struct gate *g = OBSERVER_OF(x, struct gate, after);

	(void)s;
	if (!gate_is_store(o))
		return;
	gate_note(g, w->block->linear);
	if (w->block->linear == 1)
		gate_wait(g, 0);
}

static void gate_look_on(struct observer *x, struct warp *w, const struct op *o,
			 const struct memory_step *s)
{
	(void)x, (void)w, (void)o, (void)s;
}

/* Of a flag: block 1's look is noted before block 0 has set it, and happens when it has. */
static void flag_before(struct observer *x, struct warp *w, const struct op *o,
			const struct memory_step *s)
{
	(void)o;
	if (!w->block->linear && s->strong)
		gate_wait(OBSERVER_OF(x, struct gate, before), 1);
}

static void flag_after(struct observer *x, struct warp *w, const struct op *o,
		       const struct memory_step *s)
{
	struct gate *g = OBSERVER_OF(x, struct gate, after);

	(void)o;
	if (w->block->linear && s->strong) {
		gate_note(g, 1);
		gate_wait(g, 0);
	} else if (!w->block->linear && !s->strong && g->is_set) {
		gate_note(g, 0);
	}
	g->is_set |= !w->block->linear && s->strong;
}

static const struct observer_class flag_before_class = { .name = "before a flag",
							 .access = flag_before };
static const struct observer_class flag_after_class = { .name = "after a flag",
							.access = flag_after };
static const struct observer_class gate_before_class = { .name = "before",
							 .skip = gate_before,
							 .access = gate_look_on };
static const struct observer_class gate_after_class = { .name = "after", .access = gate_after };

/* The report of a launch. Data is a zeroed buffer of 4096 bytes; %rd3 = its word number %r1 =
 * thread, %r5 = block. */
static char *report(const char *body, uint32_t grid, uint32_t block, bool warnings,
		    unsigned threads)
{
	struct race_options options = { .warnings = warnings, .unplanned = unplanned };
	struct race *race = race_new(&options);
	struct observer *gated[] = { gate ? &gate->before : NULL, race_observer(race),
				     gate ? &gate->after : NULL };
	struct device *d = device_new();
	struct buffer ptx = BUFFER_INIT, out = BUFFER_INIT;
	uint64_t p = device_buffer(d, "d_x", 4096);
	struct race_count count = { 0 };
	struct machine_launch l = { .memory = &d->memory,
				    .params = &p,
				    .params_size = 8,
				    .grid = { grid, 1, 1 },
				    .block = { block, 1, 1 },
				    .threads = threads,
				    .observers = gate ? gated : gated + 1,
				    .observer_count = gate ? 3 : 1 };

	buffer_printf(
		&ptx,
		".visible .entry _Z1kPi(.param .u64 p)\n{\n"
		".reg .pred %%p<8>; .reg .b16 %%h<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<10>;\n"
		".shared .align 16 .b8 _ZZ1kPiE4tile[1024]; .shared .align 8 .b8 "
		"_ZZ1kPiE4lock[8];\n"
		"ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r5, %%ctaid.x; shl.b32 "
		"%%r2, %%r1, 2;\n"
		"mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd3, %%rd1, %%rd2; mov.u32 %%r3, "
		"_ZZ1kPiE4tile;\n"
		"add.s32 %%r4, %%r3, %%r2; setp.eq.u32 %%p1, %%r1, 0; setp.eq.u32 %%p2, %%r5, 0;\n"
		"sub.u32 %%r6, 1020, %%r2; add.s32 %%r7, %%r3, %%r6;\n"
		"%s\nret;\n}\n.file 1 \"In[4]\"\n",
		body);
	device_load(d, ptx.data);
	l.kernel = ptx_module_function(d->module, "_Z1kPi");
	assert_non_null(race);
	if (machine_launch(&l, &d->fault, NULL, &d->err)) {
		gpu_fault_print(&d->fault, &out);
		fail_msg("%s", d->err.text[0] ? d->err.text : buffer_text(&out));
	}
	race_report(race, &l, NULL, NULL, &out, &count);
	assert_false(count.cut);
	race_free(race);
	buffer_release(&ptx);
	device_free(d);
	return out.len ? buffer_steal(&out) : strdup("");
}

static void assert_report_of(const char *body, uint32_t grid, uint32_t block, bool warnings,
			     const char *expected)
{
	char *text = report(body, grid, block, warnings, 1);

	assert_string_equal(text, expected);
	free(text);
}

static void assert_report(const char *body, uint32_t grid, uint32_t block, const char *expected)
{
	assert_report_of(body, grid, block, true, expected);
}

static void assert_silent(const char *body, uint32_t grid, uint32_t block)
{
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		char *text = report(body, grid, block, true, threads);

		assert_string_equal(text, "");
		free(text);
	}
}

#define STORE_OWN ".loc 1 13 3\nst.shared.u32 [%r4], %r1;\n"
#define LOAD_OTHER ".loc 1 14 3\nld.shared.u32 %r8, [%r7];\n"

static void a_read_of_what_another_warp_wrote(void **state)
{
	(void)state;
	assert_report(
		STORE_OWN LOAD_OTHER, 2, 256,
		"========= Error: Race reported between Write access at k(int *)+0xc0 in In[4]:13\n"
		"=========     and Read access at k(int *)+0xd0 in In[4]:14 [512 hazards]\n"
		"=========     by thread (128,0,0) and thread (127,0,0) in block (0,0,0)\n"
		"=========     on 4 bytes at __shared__ `tile` + 0x200\n"
		"=========     Current Value : 0, Incoming Value : 128\n"
		"=========     __syncthreads() between the two would order them\n");
	assert_silent(STORE_OWN "bar.sync 0;\n" LOAD_OTHER, 2, 256);
	assert_silent(STORE_OWN "barrier.sync 0;\n" LOAD_OTHER, 2, 256);
	assert_silent("atom.shared.add.u32 %r8, [%r3], 1; atom.shared.add.u32 %r8, [%r3+4], 1;", 2,
		      256);
	/* Read only what was never written. */
	assert_silent(LOAD_OTHER LOAD_OTHER, 2, 256);
}

static void a_write_of_what_another_warp_has_read(void **state)
{
	(void)state;
	assert_report(".loc 1 14 3\nld.shared.u32 %r8, [%r3];\n@!%p1 bra END;\n.loc 1 15 "
		      "3\nst.shared.u32 [%r3], 7;\nEND:",
		      1, 32,
		      "========= Warning: Race reported between Write access at k(int *)+0xe0 in "
		      "In[4]:15\n"
		      "=========     and Read access at k(int *)+0xc0 in In[4]:14 [1 hazard]\n"
		      "=========     by thread (0,0,0) and thread (31,0,0) in block (0,0,0)\n"
		      "=========     on 4 bytes at __shared__ `tile` + 0x0\n"
		      "=========     Current Value : 0, Incoming Value : 7\n"
		      "=========     Threads of a warp need not run in step: __syncwarp() between "
		      "the two orders them\n");
}

static void a_write_that_loops_back(void **state)
{
	(void)state;
	/* The second barrier of the loop is missing: the next round writes what the last one reads.
	 */
	assert_report(
		"sub.u32 %r6, 252, %r2; add.s32 %r7, %r3, %r6; mov.u32 %r9, 0; L:\n.loc 1 13 "
		"3\nst.shared.u32 [%r4], %r9;\n"
		"bar.sync 0;\n" LOAD_OTHER
		"add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 3; @%p3 bra L;",
		1, 64,
		"========= Error: Race reported between Write access at k(int *)+0xf0 in In[4]:13\n"
		"=========     and Read access at k(int *)+0x110 in In[4]:14 [128 hazards]\n"
		"=========     by thread (0,0,0) and thread (63,0,0) in block (0,0,0)\n"
		"=========     on 4 bytes at __shared__ `tile` + 0x0\n"
		"=========     Current Value : 0, Incoming Value : 1\n"
		"=========     __syncthreads() between the two would order them\n");
	assert_silent("sub.u32 %r6, 252, %r2; add.s32 %r7, %r3, %r6; mov.u32 %r9, 0; "
		      "L:\nst.shared.u32 [%r4], %r9;\n"
		      "bar.sync 0;\n" LOAD_OTHER
		      "bar.sync 0; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 3; @%p3 bra L;",
		      1, 64);
}

static void different_values_written_to_one_place(void **state)
{
	(void)state;
	assert_report(
		"shr.u32 %r9, %r1, 5;\n.loc 1 13 3\nst.shared.u32 [%r3+8], %r9;", 1, 64,
		"========= Error: Race reported between Write access at k(int *)+0xd0 in In[4]:13\n"
		"=========     and Write access at k(int *)+0xd0 in In[4]:13 [1 hazard]\n"
		"=========     by thread (31,0,0) and thread (32,0,0) in block (0,0,0)\n"
		"=========     on 4 bytes at __shared__ `tile` + 0x8\n"
		"=========     Current Value : 0, Incoming Value : 1\n"
		"=========     __syncthreads() between the two would order them\n");
	assert_report("and.b32 %r9, %r1, 1;\n.loc 1 13 3\nst.shared.u32 [%r3+8], %r9;", 1, 2,
		      "========= Warning: Race reported between Write access at k(int *)+0xd0 in "
		      "In[4]:13\n"
		      "=========     and Write access at k(int *)+0xd0 in In[4]:13 [1 hazard]\n"
		      "=========     by thread (0,0,0) and thread (1,0,0) in block (0,0,0)\n"
		      "=========     on 4 bytes at __shared__ `tile` + 0x8\n"
		      "=========     Current Value : 0, Incoming Value : 1\n"
		      "=========     One instruction writes different values to one place: which "
		      "one stays is not defined\n");
	assert_silent("st.shared.u32 [%r3+8], 1; st.global.u32 [%rd1], 1;", 3, 64);
}

static void lanes_of_a_warp_without_a_meeting(void **state)
{
	static const char *const text = ".loc 1 13 3\nst.shared.u32 [%r4], %r1;\nxor.b32 %r9, %r2, "
					"4; add.s32 %r9, %r3, %r9;\n"
					".loc 1 14 3\nld.shared.u32 %r8, [%r9];\n";

	(void)state;
	assert_report(text, 1, 32,
		      "========= Warning: Race reported between Write access at k(int *)+0xc0 in "
		      "In[4]:13\n"
		      "=========     and Read access at k(int *)+0xf0 in In[4]:14 [32 hazards]\n"
		      "=========     by thread (1,0,0) and thread (0,0,0) in block (0,0,0)\n"
		      "=========     on 4 bytes at __shared__ `tile` + 0x4\n"
		      "=========     Threads of a warp need not run in step: __syncwarp() between "
		      "the two orders them\n");
	assert_report_of(text, 1, 32, false, "");
	assert_silent("st.shared.u32 [%r4], %r1;\nxor.b32 %r9, %r2, 4; add.s32 %r9, %r3, %r9; "
		      "bar.warp.sync 0xffffffff;\n"
		      "ld.shared.u32 %r8, [%r9];\n",
		      1, 64);
}

static void neighbouring_bytes_are_apart(void **state)
{
	(void)state;
	assert_silent("cvt.u16.u32 %h1, %r1; add.s32 %r9, %r3, %r1; st.shared.u8 [%r9], %h1; "
		      "ld.shared.u8 %h2, [%r9];\n"
		      "add.s64 %rd4, %rd1, 1; cvt.u64.u32 %rd5, %r1; add.s64 %rd6, %rd4, %rd5; "
		      "st.global.u8 [%rd6], %h1;",
		      1, 64);
	/* A word and a byte of it. */
	assert_report("st.shared.u32 [%r4], %r1; setp.eq.u32 %p3, %r1, 40;\n"
		      "cvt.u16.u32 %h1, %r1; @!%p3 bra END; st.shared.u8 [%r3+6], %h1; END:",
		      1, 64,
		      "========= Error: Race reported between Write access at k(int *)+0xc0\n"
		      "=========     and Write access at k(int *)+0x100 [1 hazard]\n"
		      "=========     by thread (1,0,0) and thread (40,0,0) in block (0,0,0)\n"
		      "=========     on 1 byte at __shared__ `tile` + 0x6\n"
		      "=========     Current Value : 0, Incoming Value : 40\n"
		      "=========     __syncthreads() between the two would order them\n");
}

static void blocks_of_one_launch(void **state)
{
	(void)state;
	assert_report(
		".loc 1 13 3\nst.global.u32 [%rd3], %r5;", 2, 32,
		"========= Error: Race reported between Write access at k(int *)+0xc0 in In[4]:13\n"
		"=========     and Write access at k(int *)+0xc0 in In[4]:13 [32 hazards]\n"
		"=========     by thread (0,0,0) in block (0,0,0) and thread (0,0,0) in block "
		"(1,0,0)\n"
		"=========     on 4 bytes at __global__ 0x300000000000, `d_x` + 0x0 (cell 3)\n"
		"=========     Current Value : 0, Incoming Value : 1\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n");
	assert_silent("mad.lo.u32 %r9, %r5, 32, %r1; mul.wide.u32 %rd4, %r9, 4; add.s64 %rd5, "
		      "%rd1, %rd4;\n"
		      "st.global.u32 [%rd5], %r5; ld.global.u32 %r8, [%rd5];",
		      8, 32);
	assert_silent("atom.global.add.u32 %r8, [%rd3], 1; red.global.add.u32 [%rd3], 2;", 8, 32);
	/* The loop of the programming guide around a swap looks at the old value first. */
	assert_report_of("ld.global.u32 %r8, [%rd1]; L: add.u32 %r9, %r8, 1; atom.global.cas.b32 "
			 "%r10, [%rd1], %r8, %r9;\n"
			 "setp.ne.u32 %p3, %r10, %r8; mov.u32 %r8, %r10; @%p3 bra L;",
			 8, 32, false, "");
}

/* The last block sums what all have written. %s: the fence */
#define LAST_BLOCK(fence)                                                                          \
	"@!%p1 bra END; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4;\n.loc 1 20 "          \
	"3\nst.global.u32 [%rd5+8], %r5;\n" fence                                                  \
	"atom.global.add.u32 %r8, [%rd1], 1; setp.ne.u32 %p3, %r8, 3; @%p3 bra END;\n"             \
	".loc 1 25 3\nld.global.u32 %r9, [%rd1+8]; ld.global.u32 %r9, [%rd1+12];\n"                \
	"END:"

/* Whole warps that touch what follows each other, which the check looks at as one piece. */
/* The text of the report when block 0's store is compared before block 1's has happened; "" when
 * they agree. */
static void assert_gated(const char *body, uint32_t block, const char *values)
{
	struct gate g = { { &gate_before_class },
			  { &gate_after_class },
			  PTHREAD_MUTEX_INITIALIZER,
			  PTHREAD_COND_INITIALIZER };
	char *text;

	gate = &g;
	text = report(body, 2, block, false, 2);
	gate = NULL;
	if (*values ? !strstr(text, values) : *text)
		fail_msg("%s\nreported\n%s, not\n%s", body, text, values);
	free(text);
}

static void a_store_that_is_noted_and_has_not_happened(void **state)
{
	(void)state;
	/* Memory holds 0, and so does what block 0 writes; block 1 is about to write 1. */
	assert_gated("st.global.u32 [%rd1], %r5;", 1, "Current Value : 1, Incoming Value : 0\n");
	assert_gated("st.global.u32 [%rd3], %r5;", 32, "Current Value : 1, Incoming Value : 0\n");
	/* Bytes of a wider store, and a wider store over bytes. */
	assert_gated("mul.lo.u32 %r8, %r5, 256; cvt.u16.u32 %h1, %r8; @%p2 bra N; st.global.u32 "
		     "[%rd1], %r8; bra E;\n"
		     "N: st.global.u8 [%rd1+1], %h1; E:",
		     1, "Current Value : 1, Incoming Value : 0\n");
	assert_gated("mul.wide.u32 %rd4, %r5, 7; @%p2 bra N; st.global.u32 [%rd1+4], 7; bra E;\n"
		     "N: st.global.u64 [%rd1], %rd4; E:",
		     1, "Current Value : 30064771072, Incoming Value : 0\n");
	/* Both write what is not there yet. */
	assert_gated("st.global.u32 [%rd1], 1;", 1, "");
	assert_gated("st.global.u32 [%rd3], %r1;", 32, "");
	assert_gated("st.global.v2.u32 [%rd1], {3, 4};", 1, "");
}

static void rows_of_several_blocks(void **state)
{
	(void)state;
	/* Only the second block writes what both have read, then only the first. */
	assert_report(
		".loc 1 13 3\nld.global.u32 %r8, [%rd3];\nadd.u32 %r8, %r8, 1; @%p2 bra END;\n"
		".loc 1 14 3\nst.global.u32 [%rd3], %r8;\nEND:",
		2, 64,

		"========= Error: Race reported between Write access at k(int *)+0xf0 in In[4]:14\n"
		"=========     and Read access at k(int *)+0xc0 in In[4]:13 [64 hazards]\n"
		"=========     by thread (0,0,0) in block (1,0,0) and thread (0,0,0) in block "
		"(0,0,0)\n"
		"=========     on 4 bytes at __global__ 0x300000000000, `d_x` + 0x0 (cell 3)\n"
		"=========     Current Value : 0, Incoming Value : 1\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n");
	assert_report(
		".loc 1 14 3\n@%p2 st.global.u32 [%rd3], 7;\n.loc 1 13 3\nld.global.u32 %r8, "
		"[%rd3];",
		2, 64,
		"========= Error: Race reported between Write access at k(int *)+0xc0 in In[4]:14\n"
		"=========     and Read access at k(int *)+0xd0 in In[4]:13 [64 hazards]\n"
		"=========     by thread (0,0,0) in block (0,0,0) and thread (0,0,0) in block "
		"(1,0,0)\n"
		"=========     on 4 bytes at __global__ 0x300000000000, `d_x` + 0x0 (cell 3)\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n");
	/* Eight bytes a thread beside four. */
	assert_report(
		"mul.wide.u32 %rd4, %r1, 8; add.s64 %rd4, %rd4, %rd1; cvt.u64.u32 %rd5, %r1; "
		"add.u64 %rd5, %rd5, 1;\n"
		"@!%p2 bra FOUR;\n.loc 1 13 3\nst.global.u64 [%rd4], %rd5; bra END;\n"
		"FOUR:\n.loc 1 14 3\nst.global.u32 [%rd3], 99;\nEND:",
		2, 64,
		"========= Error: Race reported between Write access at k(int *)+0x110 in "
		"In[4]:13\n"
		"=========     and Write access at k(int *)+0x130 in In[4]:14 [64 hazards]\n"
		"=========     by thread (0,0,0) in block (0,0,0) and thread (0,0,0) in block "
		"(1,0,0)\n"
		"=========     on 4 bytes at __global__ 0x300000000000, `d_x` + 0x0 (cell 3)\n"
		"=========     Current Value : 1, Incoming Value : 99\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n");
	/* Rows that begin anywhere. */
	assert_report(
		"@!%p2 bra NEXT; st.global.u32 [%rd3], 3; bra END;\nNEXT: ld.global.u32 %r8, "
		"[%rd3+4];\nEND:",
		2, 64,
		"========= Error: Race reported between Write access at k(int *)+0xd0\n"
		"=========     and Read access at k(int *)+0xf0 [63 hazards]\n"
		"=========     by thread (1,0,0) in block (0,0,0) and thread (0,0,0) in block "
		"(1,0,0)\n"
		"=========     on 4 bytes at __global__ 0x300000000004, `d_x` + 0x4 (cell 3)\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n");
	/* Each its own, twice; all of one. */
	assert_silent("mad.wide.u32 %rd4, %r5, 256, %rd3; ld.global.u32 %r8, [%rd4]; st.global.u32 "
		      "[%rd4], 5;\n"
		      "ld.global.u32 %r9, [%rd1+2048]; ld.global.u32 %r9, [%rd4]; st.global.u32 "
		      "[%rd4], 6;",
		      4, 64);
}

static void the_last_block_needs_a_fence(void **state)
{
	(void)state;
	assert_report(
		LAST_BLOCK(""), 4, 32,
		"========= Error: Race reported between Write access at k(int *)+0xf0 in In[4]:20\n"
		"=========     and Read access at k(int *)+0x130 in In[4]:25 [1 hazard]\n"
		"=========     by thread (0,0,0) in block (0,0,0) and thread (0,0,0) in block "
		"(3,0,0)\n"
		"=========     on 4 bytes at __global__ 0x300000000008, `d_x` + 0x8 (cell 3)\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n"
		"========= Error: Race reported between Write access at k(int *)+0xf0 in In[4]:20\n"
		"=========     and Read access at k(int *)+0x140 in In[4]:25 [1 hazard]\n"
		"=========     by thread (0,0,0) in block (1,0,0) and thread (0,0,0) in block "
		"(3,0,0)\n"
		"=========     on 4 bytes at __global__ 0x30000000000c, `d_x` + 0xc (cell 3)\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n");
	assert_silent(LAST_BLOCK("membar.gl;\n"), 4, 32);
	assert_silent(LAST_BLOCK("fence.acq_rel.gpu;\n"), 4, 32);
}

static void a_fence_counts_for_what_lies_before_a_barrier(void **state)
{
	static const char *const tail = "@!%p1 bra END; atom.global.add.u32 %r8, [%rd1], 1; "
					"setp.ne.u32 %p3, %r8, 3; @%p3 bra END;\n"
					"ld.global.u32 %r9, [%rd1+1028]; END:";
	static const char *const write = "mad.lo.u32 %r9, %r5, 64, %r1; mul.wide.u32 %rd4, %r9, 4; "
					 "add.s64 %rd5, %rd1, %rd4;\n"
					 "st.global.u32 [%rd5+1024], 1;\n";
	char text[600];

	(void)state;
	snprintf(text, sizeof(text), "%smembar.gl; bar.sync 0;\n%s", write, tail);
	assert_silent(text, 4, 64);
	snprintf(text, sizeof(text), "%sbar.sync 0; @%%p1 membar.gl;\n%s", write, tail);
	assert_silent(text, 4, 64);
	snprintf(text, sizeof(text), "%sbar.sync 0;\n%s", write, tail);
	assert_report_of(
		text, 4, 64, false,
		"========= Error: Race reported between Write access at k(int *)+0xf0\n"
		"=========     and Read access at k(int *)+0x150 [1 hazard]\n"
		"=========     by thread (1,0,0) in block (0,0,0) and thread (0,0,0) in block "
		"(3,0,0)\n"
		"=========     on 4 bytes at __global__ 0x300000000404, `d_x` + 0x404 (cell 3)\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n");
}

/* The first one that is set in the launch, too. */
static void a_flag_that_is_set_while_another_looks(void **state)
{
	struct gate g = { { &flag_before_class },
			  { &flag_after_class },
			  PTHREAD_MUTEX_INITIALIZER,
			  PTHREAD_COND_INITIALIZER };
	char *text;

	(void)state;
	gate = &g;
	text = report("@!%p2 bra LOOK; st.global.u32 [%rd1], 5; membar.gl; st.volatile.global.u32 "
		      "[%rd1+64], 1;\n"
		      "st.global.u32 [%rd1+128], 1; bra END;\n"
		      "LOOK: ld.volatile.global.u32 %r8, [%rd1+64]; setp.eq.u32 %p3, %r8, 0; @%p3 "
		      "bra END;\n"
		      "st.global.u32 [%rd1], 6; END:",
		      2, 1, true, 2);
	gate = NULL;
	assert_string_equal(text, "");
	free(text);
}

static void a_flag_hands_data_on(void **state)
{
	(void)state;
	/* Block 1 waits for block 0; both ways to write it. */
	assert_silent("@!%p1 bra END; @!%p2 bra WAIT; st.global.u32 [%rd1], 5; "
		      "st.release.gpu.global.u32 [%rd1+64], 1; bra END;\n"
		      "WAIT: ld.acquire.gpu.global.u32 %r8, [%rd1+64]; setp.eq.u32 %p3, %r8, 0; "
		      "@%p3 bra WAIT;\n"
		      "ld.global.u32 %r9, [%rd1]; END:",
		      2, 32);
	assert_silent("@!%p1 bra END; @!%p2 bra WAIT; st.global.u32 [%rd1], 5; membar.gl; "
		      "st.volatile.global.u32 [%rd1+64], 1; bra END;\n"
		      "WAIT: ld.volatile.global.u32 %r8, [%rd1+64]; setp.eq.u32 %p3, %r8, 0; @%p3 "
		      "bra WAIT;\n"
		      "ld.global.u32 %r9, [%rd1]; END:",
		      2, 32);
	assert_report(
		"@!%p1 bra END; @!%p2 bra WAIT; st.global.u32 [%rd1], 5; st.volatile.global.u32 "
		"[%rd1+64], 1; bra END;\n"
		"WAIT: ld.volatile.global.u32 %r8, [%rd1+64]; setp.eq.u32 %p3, %r8, 0; @%p3 bra "
		"WAIT;\n"
		"ld.global.u32 %r9, [%rd1]; END:",
		2, 32,
		"========= Error: Race reported between Write access at k(int *)+0xe0\n"
		"=========     and Read access at k(int *)+0x140 [1 hazard]\n"
		"=========     by thread (0,0,0) in block (0,0,0) and thread (0,0,0) in block "
		"(1,0,0)\n"
		"=========     on 4 bytes at __global__ 0x300000000000, `d_x` + 0x0 (cell 3)\n"
		"=========     Nothing orders blocks of one launch: atomics, a flag behind "
		"__threadfence(), or a second launch do\n");
}

static void barrier_objects_order_their_threads(void **state)
{
	(void)state;
	assert_silent("mov.u32 %r10, _ZZ1kPiE4lock; @%p1 mbarrier.init.shared.b64 [%r10], 64; "
		      "bar.sync 0;\n" STORE_OWN "mbarrier.arrive.shared.b64 %rd7, [%r10];\n"
		      "W: mbarrier.test_wait.shared.b64 %p4, [%r10], %rd7; @!%p4 bra W;\n"
		      "sub.u32 %r6, 252, %r2; add.s32 %r7, %r3, %r6;\n" LOAD_OTHER,
		      2, 64);
}

/* Where it looks as if threads kept apart, or as if nobody wrote. */
static void what_need_not_be_watched_is_chosen_well(void **state)
{
	static const char *const bodies[] = {
		/* 32 bits are not enough for the product: all threads write one place. */
		"mad.lo.u32 %r8, %r5, 256, %r1; mul.lo.u32 %r9, %r8, 65536; mul.lo.u32 %r10, %r9, "
		"65536;\n"
		"mul.wide.u32 %rd4, %r10, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r8;",
		/* A part of the number. */
		"mad.lo.u32 %r8, %r5, 256, %r1; cvt.u32.u8 %r9, %r8; mul.wide.u32 %rd4, %r9, 4; "
		"add.s64 %rd5, %rd1, %rd4;\n"
		"st.global.u32 [%rd5], %r8;",
		/* Blocks, each with the same threads. */
		"st.global.u32 [%rd3], %r5;",
		/* Words that are read by vectors of others. */
		"mul.wide.u32 %rd4, %r1, 8; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd3], %r1; "
		"ld.global.v2.u32 {%r8, %r9}, [%rd5];",
		/* Shared memory by a generic address. */
		"cvt.u64.u32 %rd4, %r7; cvta.shared.u64 %rd5, %rd4; st.shared.u32 [%r4], %r1; "
		"ld.u32 %r8, [%rd5];",
		/* Behind a barrier, writes by other ways than plain stores. */
		"bar.sync 0; ld.shared.u32 %r8, [%r7]; atom.shared.add.u32 %r9, [%r4], 1;",
		"bar.sync 0; ld.shared.u32 %r8, [%r7]; cvt.u64.u32 %rd4, %r4; cvta.shared.u64 "
		"%rd5, %rd4; st.u32 [%rd5], %r1;",
		/* Behind a barrier of some warps while others write. */
		"setp.lt.u32 %p3, %r1, 128; @!%p3 bra W; bar.sync 1, 128; ld.shared.u32 %r8, "
		"[%r7]; bra E;\n"
		"W: st.shared.u32 [%r4], %r1; E:",
		/* An atomic operation beside plain ones. */
		"mad.lo.u32 %r9, %r5, 256, %r1; mul.wide.u32 %rd4, %r9, 4; add.s64 %rd5, %rd1, "
		"%rd4;\n"
		"atom.global.add.u32 %r8, [%rd3], 1; st.global.u32 [%rd5], %r1;",
		/* A pointer that was in memory. */
		"add.s64 %rd6, %rd1, 4000; @%p1 st.global.u64 [%rd6], %rd1; bar.sync 0; "
		"ld.global.u64 %rd7, [%rd6];\n"
		"add.s64 %rd7, %rd7, %rd2; st.global.u32 [%rd7], %r5;",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		char *chosen = report(bodies[i], 2, 256, true, 1), *all;

		unplanned = true;
		all = report(bodies[i], 2, 256, true, 1);
		unplanned = false;
		if (!*all || strcmp(chosen, all))
			fail_msg("%s\nfound\n%sand with everything watched\n%s", bodies[i], chosen,
				 all);
		free(chosen);
		free(all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_of_what_another_warp_wrote),
		cmocka_unit_test(a_write_of_what_another_warp_has_read),
		cmocka_unit_test(a_write_that_loops_back),
		cmocka_unit_test(different_values_written_to_one_place),
		cmocka_unit_test(lanes_of_a_warp_without_a_meeting),
		cmocka_unit_test(neighbouring_bytes_are_apart),
		cmocka_unit_test(blocks_of_one_launch),
		cmocka_unit_test(a_store_that_is_noted_and_has_not_happened),
		cmocka_unit_test(rows_of_several_blocks),
		cmocka_unit_test(the_last_block_needs_a_fence),
		cmocka_unit_test(a_fence_counts_for_what_lies_before_a_barrier),
		cmocka_unit_test(a_flag_that_is_set_while_another_looks),
		cmocka_unit_test(a_flag_hands_data_on),
		cmocka_unit_test(barrier_objects_order_their_threads),
		cmocka_unit_test(what_need_not_be_watched_is_chosen_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
