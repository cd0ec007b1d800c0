/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The race check beside a model that compares all accesses with each other: random loads and stores
 * of all sizes, in rows, spread out, to one place and by parts of warps, with barriers between
 * them. What is reported is a race by the model, and where the model knows of one, one is reported.
 * The second kind of programs has several buffers and addresses that are sums of the thread's
 * numbers, which the check need not watch where it finds that threads keep apart; some addresses
 * are made in ways that it cannot see through, and a few lie in another buffer than the one they
 * start from.
 */
#include "emulator/check/race.h"
#include "emulator/memory/access.h"

#include "emulator/ptx/ptx-ops.h"
#include "tests/unit/emulator/machine.h"

#define BLOCKS 3
#define THREADS 96
#define OPS 5
#define LINE 10 /* of the first operation */
#define RECORDS                                                                                    \
	(2 * BLOCKS * THREADS * OPS) /* an operation that the machine begins anew is told again */

struct record {
	const struct op *op;
	uint64_t address;
	uint32_t size, block, warp, epoch;
	bool writes, shared;
};

struct model {
	struct observer observer;
	struct record records[RECORDS];
	uint32_t count;
	uint32_t epoch[BLOCKS];
	uint64_t pointers; /* 0, or a buffer of 4096 bytes that is only read */
};

static void on_access(struct observer *x, struct warp *w, const struct op *o,
		      const struct memory_step *s)
{
	struct model *m = OBSERVER_OF(x, struct model, observer);

	for (uint32_t l = 0; l < MACHINE_LANES; l++)
		if (s->mask >> l & 1 && (!m->pointers || s->address[l] - m->pointers >= 4096))
			m->records[m->count++] = (struct record){ o,
								  s->address[l],
								  s->size,
								  (uint32_t)w->block->linear,
								  w->index,
								  m->epoch[w->block->linear],
								  s->kind != GPU_ACCESS_READ,
								  s->space == PTX_SPACE_SHARED };
}

static void on_barrier(struct observer *x, struct block *c, uint32_t id)
{
	(void)id;
	OBSERVER_OF(x, struct model, observer)->epoch[c->linear]++;
}

static const struct observer_class model_class = { .name = "model",
						   .access = on_access,
						   .barrier = on_barrier };

static bool races(const struct record *a, const struct record *b)
{
	if ((!a->writes && !b->writes) || a->address + a->size <= b->address ||
	    b->address + b->size <= a->address)
		return false;
	if (a->block != b->block)
		return !a->shared;
	return a->epoch == b->epoch && a->warp != b->warp;
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

/* One access at line number `line`; its address is of the thread and, mostly, of the block. False:
 * values are too small. */
static bool add_access(struct buffer *to, uint32_t *seed, int line, bool shared)
{
	static const char *const loads[] = { "u8 %h1",           "u16 %h1",
					     "u32 %r8",          "u64 %rd7",
					     "v2.u32 {%r8,%r9}", "v4.u32 {%r8,%r9,%r10,%r11}",
					     "u32 %r8",          "u32 %r8" };
	static const char *const stores[] = { "u8 [%s], %%h2",
					      "u16 [%s], %%h2",
					      "u32 [%s], %%r12",
					      "u64 [%s], %%rd8",
					      "v2.u32 [%s], {%%r12,%%r12}",
					      "v4.u32 [%s], {%%r12,%%r12,%%r12,%%r12}",
					      "u32 [%s], %%r12",
					      "u32 [%s], %%r12" };
	static const uint32_t sizes[] = { 1, 2, 4, 8, 16, 16, 4, 4 };
	static const uint32_t strides[] = { 1, 1, 1, 1, 1, 0, 2, 3 };
	const char *space = shared ? "shared" : "global", *guard = next(seed) % 6   ? ""
								   : next(seed) % 2 ? "@%p1 "
										    : "@!%p1 ";
	uint32_t kind = next(seed) % 8, size = sizes[kind] == 16 && kind == 4 ? 8 : sizes[kind];
	uint32_t stride = strides[next(seed) % 8];
	uint32_t offset = next(seed) % 2 ? next(seed) % 8 * 64 : next(seed) % 5 * size;
	uint32_t apart = next(seed) % 3 ? 4096 : next(seed) % 2 * (next(seed) % 8) * 64;
	bool writes = next(seed) % 2;
	char store[64];

	buffer_printf(to, "mul.lo.u32 %%r2, %%r1, %u; add.u32 %%r2, %%r2, %u;\n", stride * size,
		      offset);
	if (shared)
		buffer_puts(
			to,
			"cvt.u64.u32 %rd2, %r2; mov.u64 %rd3, tile; add.u64 %rd3, %rd3, %rd2;\n");
	else
		buffer_printf(to,
			      "mad.lo.u32 %%r2, %%r%d, %u, %%r2; cvt.u64.u32 %%rd2, %%r2; add.u64 "
			      "%%rd3, %%rd1, %%rd2;\n",
			      5 + (int)(next(seed) % 2), apart);
	buffer_printf(to,
		      "mad.lo.u32 %%r12, %%r5, 1000000, %%r1; add.u32 %%r12, %%r12, %d; "
		      "cvt.u64.u32 %%rd8, %%r12;\n"
		      "cvt.u16.u32 %%h2, %%r12;\n.loc 1 %d 3\n",
		      1000 * line, line);
	if (writes) {
		snprintf(store, sizeof(store), stores[kind], "%rd3");
		buffer_printf(to, "%sst.%s.%s;\n", guard, space, store);
	} else {
		buffer_printf(to, "%sld.%s.%s, [%%rd3];\n", guard, space, loads[kind]);
	}
	if (!(next(seed) % 4))
		buffer_puts(to, "bar.sync 0;\n");
	return !writes || size >= 4;
}

#define BUFFERS 3
#define BUFFER_BYTES (4096 * 4)
#define BETWEEN (BUFFER_BYTES + 256) /* from one buffer to the next */

/* What programs of the second kind are made of. */
struct choice {
	uint32_t buffer, number;
	uint32_t by_x, by_y, by_block, offset, size;
	bool writes, reversed, opaque, loaded, strays;
};

static struct choice choose(uint32_t *seed, uint32_t number)
{
	static const uint32_t by_x[] = { 1, 1, 1, 1, 0, 2, 3, 4 },
			      by_y[] = { 16, 16, 16, 16, 0, 8, 17, 32 };
	static const uint32_t by_block[] = { 96, 96, 96, 96, 0, 48, 95, 192 };
	bool usual = next(seed) % 4;
	struct choice c = { .buffer = next(seed) % BUFFERS,
			    .number = number,
			    .size = 4,
			    .writes = next(seed) % 2 };

	c.by_x = by_x[usual ? 0 : next(seed) % 8];
	c.by_y = by_y[usual ? 0 : next(seed) % 8];
	c.by_block = by_block[usual ? 0 : next(seed) % 8];
	c.offset = usual ? 0 : next(seed) % 4;
	c.size = next(seed) % 8 ? 4 : next(seed) % 2 ? 8 : 1;
	c.reversed = !(next(seed) % 6);
	c.opaque = !(next(seed) % 8);
	c.loaded = !(next(seed) % 16);
	c.strays = c.buffer + 1 < BUFFERS && !(next(seed) % 16);
	return c;
}

/* %rdN2 = the address, N the choice's number. */
static void add_address(struct buffer *to, const struct choice *c)
{
	uint32_t n = 10 * (c->number + 2);

	buffer_printf(to, "mad.lo.s32 %%r%u, %%r3, %u, %u; mad.lo.s32 %%r%u, %%r4, %u, %%r%u;\n", n,
		      c->by_x, c->offset, n + 1, c->by_y, n);
	buffer_printf(to, "mad.lo.s32 %%r%u, %%r%d, %u, %%r%u; mul.wide.s32 %%rd%u, %%r%u, %u;\n",
		      n + 2, c->reversed ? 6 : 5, c->by_block, n + 1, n, n + 2, c->size);
	if (c->opaque)
		buffer_printf(to, "mov.b64 %%rd%u, %%rd%u; @%%p1 mov.b64 %%rd%u, %%rd%u;\n", n + 1,
			      n, n + 1, n);
	else
		buffer_printf(to, "mov.b64 %%rd%u, %%rd%u;\n", n + 1, n);
	if (c->loaded)
		buffer_printf(to, "ld.global.u64 %%rd%u, [%%rd10+%u];\n", n + 3, 8 * c->buffer);
	else
		buffer_printf(to, "mov.b64 %%rd%u, %%rd%u;\n", n + 3, 11 + c->buffer);
	buffer_printf(to, "add.s64 %%rd%u, %%rd%u, %%rd%u;\n", n + 2, n + 3, n + 1);
	if (c->strays)
		buffer_printf(to, "add.s64 %%rd%u, %%rd%u, %d;\n", n + 4, n + 2, BETWEEN);
}

static bool add_formed_access(struct buffer *to, uint32_t *seed, int i, bool *strays)
{
	const char *guard = next(seed) % 6 ? "" : next(seed) % 2 ? "@%p1 " : "@!%p1 ";
	struct choice c = choose(seed, (uint32_t)i);
	uint32_t address = 10 * (c.number + 2) + (c.strays ? 4 : 2);

	add_address(to, &c);
	buffer_printf(to,
		      "mad.lo.u32 %%r12, %%r5, 1000000, %%r1; add.u32 %%r12, %%r12, %d; "
		      "cvt.u64.u32 %%rd8, %%r12;\n"
		      "cvt.u16.u32 %%h2, %%r12;\n.loc 1 %d 3\n",
		      1000 * (LINE + i), LINE + i);
	if (c.writes)
		buffer_printf(to, "%sst.global.u%u [%%rd%u], %s;\n", guard, 8 * c.size, address,
			      c.size == 8   ? "%rd8"
			      : c.size == 4 ? "%r12"
					    : "%h2");
	else
		buffer_printf(to, "%sld.global.u%u %s, [%%rd%u];\n", guard, 8 * c.size,
			      c.size == 8   ? "%rd7"
			      : c.size == 4 ? "%r8"
					    : "%h1",
			      address);
	if (!(next(seed) % 4))
		buffer_puts(to, "bar.sync 0;\n");
	*strays |= c.strays;
	return !c.writes || c.size >= 4;
}

/* Lines that are reported as racing, as bits of [first][second], both ways. */
static void read_report(const char *text, bool found[OPS][OPS])
{
	int a, b;

	for (const char *p = text; (p = strstr(p, "Race reported")); p++) {
		const char *one = strstr(p, "In[4]:"), *two = strstr(one + 1, "In[4]:");

		assert_int_equal(sscanf(one, "In[4]:%d", &a) + sscanf(two, "In[4]:%d", &b), 2);
		found[a - LINE][b - LINE] = found[b - LINE][a - LINE] = true;
	}
}

/* Which of the accesses in the text an operation is: they stand in the order of their lines. */
static int number_of(const struct model *m, const struct op *o)
{
	int before = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		bool seen = m->records[i].op->source >= o->source;

		for (uint32_t j = 0; j < i && !seen; j++)
			seen = m->records[j].op == m->records[i].op;
		before += !seen;
	}
	return before;
}

/* Returns whether the model knows of a race. */
static bool compare(const struct model *m, const char *text, const char *report, bool all_tell)
{
	bool found[OPS][OPS] = { 0 }, known[OPS][OPS] = { 0 }, any = false,
	     told = strstr(report, "Race reported");
	int numbers[RECORDS];

	read_report(report, found);
	for (uint32_t i = 0; i < m->count; i++)
		numbers[i] = i && m->records[i].op == m->records[i - 1].op
				     ? numbers[i - 1]
				     : number_of(m, m->records[i].op);
	for (uint32_t i = 0; i < m->count; i++)
		for (uint32_t j = 0; j < i; j++)
			if (races(&m->records[i], &m->records[j]))
				any = known[numbers[i]][numbers[j]] =
					known[numbers[j]][numbers[i]] = true;
	for (int i = 0; i < OPS; i++)
		for (int j = 0; j < OPS; j++)
			if (found[i][j] && !known[i][j])
				fail_msg("no race of lines %d and %d:\n%s\n%s", i + LINE, j + LINE,
					 text, report);
	if (any && all_tell && !told)
		fail_msg("a race was not found:\n%s", text);
	return any;
}

static void check_program(uint32_t seed)
{
	struct race_options options = { 0 };
	struct race *race = race_new(&options);
	struct model *m = calloc(1, sizeof(*m));
	struct observer *observers[] = { race_observer(race), &m->observer };
	struct device *d = device_new();
	struct buffer ptx = BUFFER_INIT, out = BUFFER_INIT;
	uint64_t p = device_buffer(d, "d_x", 4096 * 4);
	struct race_count count = { 0 };
	struct machine_launch l = { .memory = &d->memory,
				    .params = &p,
				    .params_size = 8,
				    .grid = { BLOCKS, 1, 1 },
				    .block = { THREADS, 1, 1 },
				    .threads = 1,
				    .observers = observers,
				    .observer_count = 2 };
	bool all_tell = true, shared = seed % 4 == 0;

	m->observer.class = &model_class;
	buffer_puts(&ptx,
		    ".visible .entry _Z1kPi(.param .u64 p)\n{\n"
		    ".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %rd<10>;\n"
		    ".shared .align 16 .b8 tile[8192];\n"
		    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r5, %ctaid.x; sub.u32 "
		    "%r6, 2, %r5;\n"
		    "setp.lt.u32 %p1, %r1, 40;\n");
	for (int i = 0, n = 1 + (int)(next(&seed) % OPS); i < n; i++)
		all_tell &= add_access(&ptx, &seed, LINE + i, shared);
	buffer_puts(&ptx, "ret;\n}\n.file 1 \"In[4]\"\n");
	device_load(d, ptx.data);
	l.kernel = ptx_module_function(d->module, "_Z1kPi");
	if (machine_launch(&l, &d->fault, NULL, &d->err)) {
		gpu_fault_print(&d->fault, &out);
		fail_msg("%s\n%s", ptx.data, d->err.text[0] ? d->err.text : buffer_text(&out));
	}
	race_report(race, &l, NULL, NULL, &out, &count);
	compare(m, ptx.data, buffer_text(&out), all_tell);
	race_free(race);
	free(m);
	buffer_release(&ptx);
	buffer_release(&out);
	device_free(d);
}

/* How often what happened, so that a check that watches all, or says that it saw nothing, is found
 * out. */
struct tally {
	uint32_t races, told, strayed;
};

static void run_formed_program(struct device *d, const uint64_t *params, struct model *m,
			       bool unplanned, struct buffer *out, struct race_count *ret)
{
	struct race_options options = { .unplanned = unplanned };
	struct race *race = race_new(&options);
	struct observer *observers[] = { race_observer(race), &m->observer };
	struct machine_launch l = { .memory = &d->memory,
				    .params = params,
				    .params_size = sizeof(*params) * (BUFFERS + 1),
				    .grid = { BLOCKS, 1, 1 },
				    .block = { 16, THREADS / 16, 1 },
				    .threads = 1,
				    .observers = observers,
				    .observer_count = unplanned ? 1 : 2 };

	for (int i = 0; i < BUFFERS; i++)
		memset(device_bytes(d, params[i]), 0, BUFFER_BYTES);
	l.kernel = ptx_module_function(d->module, "_Z1kPi");
	if (machine_launch(&l, &d->fault, NULL, &d->err)) {
		gpu_fault_print(&d->fault, out);
		fail_msg("%s", d->err.text[0] ? d->err.text : buffer_text(out));
	}
	race_report(race, &l, NULL, NULL, out, ret);
	race_free(race);
}

static void check_formed_program(uint32_t seed, struct tally *tally)
{
	struct model *m = calloc(1, sizeof(*m));
	struct device *d = device_new();
	struct buffer ptx = BUFFER_INIT, out = BUFFER_INIT, all = BUFFER_INIT;
	struct race_count count = { 0 }, count_of_all = { 0 };
	uint64_t params[BUFFERS + 1];
	bool all_tell = true, strays = false;

	for (int i = 0; i < BUFFERS; i++)
		params[i] = device_buffer(d, "d_x", BUFFER_BYTES);
	params[BUFFERS] = device_buffer(d, "d_p", 4096);
	memcpy(device_bytes(d, params[BUFFERS]), params, sizeof(params));
	m->observer.class = &model_class;
	m->pointers = params[BUFFERS];
	buffer_puts(
		&ptx,
		".visible .entry _Z1kPi(.param .u64 p, .param .u64 q, .param .u64 s, .param .u64 "
		"t)\n{\n"
		".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<100>; .reg .b64 %rd<100>;\n"
		"ld.param.u64 %rd11, [p]; ld.param.u64 %rd12, [q]; ld.param.u64 %rd13, [s];\n"
		"ld.param.u64 %rd10, [t]; mov.u32 %r3, %tid.x; mov.u32 %r4, %tid.y; mov.u32 %r5, "
		"%ctaid.x;\n"
		"mad.lo.u32 %r1, %r4, 16, %r3; sub.u32 %r6, 2, %r5; setp.lt.u32 %p1, %r1, 40;\n");
	for (int i = 0, n = 1 + (int)(next(&seed) % OPS); i < n; i++)
		all_tell &= add_formed_access(&ptx, &seed, i, &strays);
	buffer_puts(&ptx, "ret;\n}\n.file 1 \"In[4]\"\n");
	device_load(d, ptx.data);
	run_formed_program(d, params, m, false, &out, &count);
	run_formed_program(d, params, m, true, &all, &count_of_all);
	assert_false(count_of_all.strayed);
	if (count.strayed && !strays)
		fail_msg("nothing goes to another buffer:\n%s", ptx.data);
	if (!count.strayed && strcmp(buffer_text(&out), buffer_text(&all)))
		fail_msg("found\n%s\nand with everything watched\n%s\n%s", buffer_text(&out),
			 buffer_text(&all), ptx.data);
	tally->races += compare(m, ptx.data, buffer_text(&out), all_tell && !count.strayed);
	tally->told += out.len != 0;
	tally->strayed += count.strayed;
	free(m);
	buffer_release(&ptx);
	buffer_release(&out);
	buffer_release(&all);
	device_free(d);
}

static void addresses_with_a_form_beside_a_model(void **state)
{
	struct tally tally = { 0 };

	(void)state;
	for (uint32_t seed = 1; seed <= 1500; seed++)
		check_formed_program(seed * 2654435761u, &tally);
	assert_true(tally.races > 300 && tally.races < 1200);
	assert_true(tally.told > tally.races * 8 / 10);
	assert_true(tally.strayed > 10);
}

static void random_accesses_beside_a_model(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 1000; seed++)
		check_program(seed * 2654435761u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_accesses_beside_a_model),
		cmocka_unit_test(addresses_with_a_form_beside_a_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
