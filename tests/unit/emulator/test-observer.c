/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What observers of a launch are told: every operation once under its own mask, the bytes that it
 * touches, barriers and meetings of lanes, and nothing of an access that faults. The notes that a
 * recording observer takes are compared.
 */
#include "emulator/warp/observer.h"

#include "emulator/memory/access.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"
#include "tests/unit/emulator/machine.h"

struct recorder {
	struct observer observer;
	struct buffer notes;
	unsigned steps, begun, ended;
	bool all;    /* note the names of all operations */
	bool places; /* note when `placed` is called */
	unsigned leave_after;
};

static struct recorder *recorder_of(struct observer *x)
{
	return OBSERVER_OF(x, struct recorder, observer);
}

static const char *op_name(const struct op *o)
{
	static const char *const names[] = {
#define OP(family, name, form, ...) #name,
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	};

	return names[o->id];
}

static void on_step(struct observer *x, struct warp *w, const struct op *o)
{
	struct recorder *r = recorder_of(x);

	r->steps++;
	if (r->all)
		buffer_printf(&r->notes, "%s %08x\n", op_name(o), w->mask);
	if (r->leave_after && r->steps >= r->leave_after)
		atomic_store(&x->over, true);
}

static void on_sync(struct observer *x, struct warp *w, const struct op *o)
{
	buffer_printf(&recorder_of(x)->notes, "sync %s warp %u %08x\n", op_name(o), w->index,
		      w->mask);
}

static void on_access(struct observer *x, struct warp *w, const struct op *o,
		      const struct memory_step *s)
{
	static const char *const spaces[] = { [PTX_SPACE_SHARED] = "shared",
					      [PTX_SPACE_LOCAL] = "local",
					      [PTX_SPACE_GLOBAL] = "global" };
	static const char kinds[] = "-rwa";
	struct recorder *r = recorder_of(x);
	int first = first_lane(s->mask), last = 31 - __builtin_clz(s->mask);
	uint64_t base = s->space == PTX_SPACE_GLOBAL ? DEVICE_BASE : 0;

	(void)o;
	buffer_printf(&r->notes, "%s %c%u%s%s%s %08x %llx..%llx", spaces[s->space], kinds[s->kind],
		      s->size, s->strong ? " strong" : "", s->acquire ? " acquire" : "",
		      s->release ? " release" : "", s->mask,
		      (unsigned long long)(s->address[first] - base),
		      (unsigned long long)(s->address[last] - base));
	buffer_printf(&r->notes, " = %u\n", *memory_step_bytes(w, s, (uint32_t)first));
}

static void on_barrier(struct observer *x, struct block *c, uint32_t id)
{
	buffer_printf(&recorder_of(x)->notes, "barrier %u of block %u\n", id, c->id[0]);
}

static void on_warp_sync(struct observer *x, struct warp *w, uint32_t lanes)
{
	buffer_printf(&recorder_of(x)->notes, "met %08x of warp %u\n", lanes, w->index);
}

static void on_placed(struct observer *x, struct warp *w, const struct op *o)
{
	if (recorder_of(x)->places)
		buffer_printf(&recorder_of(x)->notes, "placed %s %08x\n", op_name(o), w->mask);
}

static void on_begin(struct observer *x, struct block *c)
{
	assert_null(*observer_slot(x, c));
	*observer_slot(x, c) = malloc(1);
	recorder_of(x)->begun++;
}

static void on_end(struct observer *x, struct block *c)
{
	assert_non_null(*observer_slot(x, c));
	free(*observer_slot(x, c));
	recorder_of(x)->ended++;
}

static const struct observer_class recorder_class = {
	.name = "recorder",
	.step = on_step,
	.sync = on_sync,
	.access = on_access,
	.placed = on_placed,
	.barrier = on_barrier,
	.warp_sync = on_warp_sync,
	.block_begin = on_begin,
	.block_end = on_end,
};

/* Run `body` with %rd1 = a buffer of 4096 bytes, watched; 0 or 1 as machine_launch(). */
static int watch(struct device *d, struct recorder *r, const char *body, uint32_t grid,
		 uint32_t block)
{
	struct observer *observers[] = { &r->observer };
	struct buffer ptx = BUFFER_INIT;
	uint64_t p = device_buffer(d, "data", 4096);
	int rc;

	buffer_printf(
		&ptx,
		".visible .entry k(.param .u64 p)\n{\n"
		".reg .pred %%p<8>; .reg .b32 %%r<20>; .reg .b64 %%rd<10>; .reg .f32 %%f<4>;\n"
		".shared .align 16 .b8 tile[1024]; .local .align 8 .b8 mine[16];\n"
		"ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; shl.b32 %%r2, %%r1, 2; "
		"mul.wide.u32 %%rd2, %%r1, 4;\n"
		"add.s64 %%rd3, %%rd1, %%rd2; mov.u32 %%r3, tile; add.s32 %%r4, %%r3, %%r2; "
		"setp.lt.u32 %%p1, %%r1, 4;\n"
		"%s\nret;\n}\n",
		body);
	device_load(d, ptx.data);
	buffer_release(&ptx);
	r->observer.class = &recorder_class;
	d->observers = observers;
	d->observer_count = 1;
	rc = device_launch(d, "k", grid, block, &p, sizeof(p));
	d->observer_count = 0;
	assert_true(rc >= 0);
	return rc;
}

static void assert_notes(const char *body, uint32_t block, const char *expected)
{
	struct device *d = device_new();
	struct recorder r = { 0 };

	assert_int_equal(watch(d, &r, body, 1, block), 0);
	assert_string_equal(buffer_text(&r.notes), expected);
	assert_int_equal(r.begun, 1);
	assert_int_equal(r.ended, 1);
	buffer_release(&r.notes);
	device_free(d);
}

static void loads_and_stores_are_told_with_their_bytes(void **state)
{
	(void)state;
	assert_notes("st.shared.u32 [%r4+4], 7; ld.shared.u16 %r5, [%r4+4]; st.global.v2.u32 "
		     "[%rd3+256], {%r1, %r1};",
		     1,
		     "shared w4 00000001 4..4 = 0\nshared r2 00000001 4..4 = 7\nglobal w8 00000001 "
		     "100..100 = 0\n");
	assert_notes(
		"ld.volatile.shared.u32 %r5, [%r4]; st.release.gpu.global.u32 [%rd3], 9; "
		"ld.acquire.gpu.global.u32 %r5, [%rd3];",
		32,
		"shared r4 strong ffffffff 0..7c = 0\nglobal w4 strong release ffffffff 0..7c = 0\n"
		"global r4 strong acquire ffffffff 0..7c = 9\n");
	assert_notes("atom.global.add.u32 %r5, [%rd1], 3; red.shared.add.u64 [%r3], 1; "
		     "atom.add.acq_rel.gpu.global.u32 %r5, [%rd1], 1;",
		     2,
		     "global a4 strong 00000003 0..0 = 0\nshared a8 strong 00000003 0..0 = 0\n"
		     "global a4 strong acquire release 00000003 0..0 = 6\n");
	assert_notes("cvta.local.u64 %rd4, mine; st.local.u32 [mine+8], 1; ld.u32 %r5, [%rd4+8];",
		     1, "local w4 00000001 8..8 = 0\nlocal r4 00000001 8..8 = 1\n");
}

static void generic_addresses_are_told_by_state_space(void **state)
{
	(void)state;
	assert_notes("cvta.shared.u64 %rd4, tile; add.s64 %rd5, %rd4, %rd2; selp.b64 %rd6, %rd5, "
		     "%rd3, %p1; st.u32 [%rd6], 1;",
		     32, "global w4 fffffff0 10..7c = 0\nshared w4 0000000f 0..c = 0\n");
}

/* The first round of a loop finds the buffer; the next ones stay in it until lanes lie in shared
 * memory. */
static void an_operation_that_leaves_its_buffer_is_told(void **state)
{
	struct device *d = device_new();
	struct recorder r = { .places = true };

	(void)state;
	assert_int_equal(
		watch(d, &r,
		      "cvta.shared.u64 %rd4, tile; mov.b64 %rd5, %rd3; mov.u32 %r6, 0;\n"
		      "L: st.u32 [%rd5], %r6; add.u32 %r6, %r6, 1; setp.eq.u32 %p2, %r6, 2;\n"
		      "@%p2 selp.b64 %rd5, %rd4, %rd3, %p1; setp.lt.u32 %p2, %r6, 3; @%p2 bra L;\n"
		      "ld.global.u32 %r5, [%rd3]; ld.global.u32 %r5, [%rd1];",
		      1, 32),
		0);
	assert_string_equal(buffer_text(&r.notes),
			    "global w4 ffffffff 0..7c = 0\nplaced st_global_b32 ffffffff\n"
			    "global w4 ffffffff 0..7c = 0\n"
			    "global w4 fffffff0 10..7c = 1\nshared w4 0000000f 0..0 = 0\n"
			    "placed st_global_b32 ffffffff\n"
			    "global r4 ffffffff 0..7c = 1\nplaced ld_global_b32 ffffffff\n"
			    "global r4 ffffffff 0..0 = 1\nplaced ld_global_b32 ffffffff\n");
	buffer_release(&r.notes);
	device_free(d);
}

static void guarded_operations_are_told_under_their_mask(void **state)
{
	struct device *d = device_new();
	struct recorder r = { .all = true };

	(void)state;
	assert_notes("@%p1 st.shared.u32 [%r4], 1; @!%p1 ld.shared.u32 %r5, [%r4];", 32,
		     "shared w4 0000000f 0..c = 0\nshared r4 fffffff0 10..7c = 0\n");
	/* One that no lane runs is not told; a mode is no operation. */
	watch(d, &r,
	      "setp.gt.u32 %p2, %r1, 99; @%p2 st.shared.u32 [%r4], 1; add.rm.f32 %f1, %f2, %f3; "
	      "@%p1 mov.u32 %r5, 2;",
	      1, 32);
	assert_non_null(
		strstr(buffer_text(&r.notes),
		       "setp_gt_u32 ffffffff\nadd_f32 ffffffff\nmov_b32 0000000f\nret ffffffff\n"));
	buffer_release(&r.notes);
	device_free(d);
}

static void copies_and_barrier_objects_are_told_in_parts(void **state)
{
	(void)state;
	assert_notes("cp.async.ca.shared.global [%r4], [%rd3+64], 4;", 4,
		     "global r4 0000000f 40..4c = 0\nshared w4 0000000f 0..c = 0\n");
	assert_notes("mbarrier.init.shared.b64 [%r3], 1;", 1,
		     "shared a8 strong acquire release 00000001 0..0 = 0\nsync mbarrier warp 0 "
		     "00000001\n");
}

static void meetings_are_told_when_all_are_there(void **state)
{
	(void)state;
	assert_notes(
		"bar.sync 0; membar.gl;", 64,
		"sync barrier warp 0 ffffffff\nsync barrier warp 1 ffffffff\nbarrier 0 of block 0\n"
		"sync fence warp 0 ffffffff\nsync fence warp 1 ffffffff\n");
	assert_notes(
		"shfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xffffffff; @%p1 bra A; bar.warp.sync "
		"0xffffffff; bra B;\n"
		"A: bar.warp.sync 0xffffffff; B:",
		32,
		"sync shfl warp 0 ffffffff\nmet ffffffff of warp 0\nsync bar_warp warp 0 fffffff0\n"
		"sync bar_warp warp 0 0000000f\nmet ffffffff of warp 0\n");
}

static void an_access_that_faults_is_not_told(void **state)
{
	struct device *d = device_new();
	struct recorder r = { 0 };

	(void)state;
	assert_int_equal(
		watch(d, &r, "st.shared.u32 [%r4], 1; st.shared.u32 [%r4+1000], 1;", 3, 32), 1);
	assert_string_equal(buffer_text(&r.notes), "shared w4 ffffffff 0..7c = 0\n");
	assert_int_equal(r.begun, 3);
	assert_int_equal(r.ended, 3);
	buffer_release(&r.notes);
	device_free(d);
}

static void who_is_over_is_left_alone(void **state)
{
	struct device *d = device_new();
	struct recorder r = { .leave_after = 1 };

	(void)state;
	assert_int_equal(watch(d, &r, "st.shared.u32 [%r4], 1;", 5, 32), 0);
	/* The turn is ended as it was begun; the other blocks are not watched. */
	assert_string_equal(buffer_text(&r.notes), "shared w4 ffffffff 0..7c = 0\n");
	assert_int_equal(r.begun, 1);
	assert_int_equal(r.ended, 1);
	buffer_clear(&r.notes);
	r = (struct recorder){ .observer.budget = 1, .notes = r.notes };
	assert_int_equal(watch(d, &r, "st.shared.u32 [%r4], 1;", 5, 32), 0);
	assert_string_equal(buffer_text(&r.notes), "shared w4 ffffffff 0..7c = 0\n");
	assert_int_equal(r.begun, 1);
	assert_int_equal(r.ended, 1);
	buffer_release(&r.notes);
	device_free(d);
}

/* What a compiler for hot code stored in the operations is not run while somebody looks on. */
static const struct op *never(struct warp *w, const struct op *o)
{
	(void)w;
	(void)o;
	fail_msg("not the interpreter's handler");
	return NULL;
}

static void only_the_interpreter_runs(void **state)
{
	struct device *d = device_new();
	struct recorder r = { 0 };
	struct observer *observers[] = { &r.observer };
	struct ptx_program *p;
	struct ptx_function *f;

	(void)state;
	device_load(d, ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n.reg .f32 "
		       "%f<3>;\nmov.u32 %r1, %tid.x;\n"
		       "setp.lt.u32 %p1, %r1, 4;\n@%p1 add.u32 %r2, %r1, 1;\nadd.rm.f32 %f1, %f2, "
		       "%f2;\nret;\n}\n");
	f = ptx_module_function(d->module, "k");
	assert_int_equal(ptx_function_prepare(f, &d->err), 0);
	p = ((struct ptx_body *)f->body)->program;
	for (uint32_t i = 0; i < p->op_count; i++)
		p->ops[i].full = p->ops[i].masked = never;
	r.observer.class = &recorder_class;
	d->observers = observers;
	d->observer_count = 1;
	assert_int_equal(device_launch(d, "k", 1, 32, NULL, 0), 0);
	assert_true(r.steps >= 4);
	buffer_release(&r.notes);
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_and_stores_are_told_with_their_bytes),
		cmocka_unit_test(generic_addresses_are_told_by_state_space),
		cmocka_unit_test(an_operation_that_leaves_its_buffer_is_told),
		cmocka_unit_test(guarded_operations_are_told_under_their_mask),
		cmocka_unit_test(copies_and_barrier_objects_are_told_in_parts),
		cmocka_unit_test(meetings_are_told_when_all_are_there),
		cmocka_unit_test(an_access_that_faults_is_not_told),
		cmocka_unit_test(who_is_over_is_left_alone),
		cmocka_unit_test(only_the_interpreter_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
