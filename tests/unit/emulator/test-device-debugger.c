/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debugger.c, debug-code.c, debug-image.c: where a thread stops, what it says of itself then, and
 * the debugging information of its module; in the machine, and through the driver API.
 */
#define _GNU_SOURCE
#include "emulator/debug/debugger.h"

#include <elf.h>

#include "emulator/report/code-image.h"
#include "tests/unit/emulator.h"
#include "tests/unit/emulator/debugger-ptx.h"
#include "tests/unit/emulator/machine.h"

#define N 3 /* rounds of the loop in line 39 */

/* What a stop does beside telling itself. */
typedef void stop_fn(const struct device_stop *s);

/* The user of the debugger. */
static struct user {
	struct device_debugger wish;
	struct debugger_source source;
	const char *commands; /* c n i o g; c behind the end */
	stop_fn *look;        /* may be NULL */
	struct buffer told;   /* b36 s37: reason and line of each stop */
	struct device_stop last;
	uint32_t stops;
	bool foreign; /* it was called from another thread */
	bool over;    /* the rest of the launch ran without it */
	pthread_t thread;
} user;

static enum debug_command stopped(enum debug_reason reason, const struct device_stop *s)
{
	static const char letters[] = { 'c', 'n', 'i', 'o', 'p', 'g' };
	enum debug_command command = DEBUG_CONTINUE;

	user.last = *s;
	user.stops++;
	user.foreign |= !pthread_equal(user.thread, pthread_self());
	buffer_printf(&user.told, "%s%c%u", user.told.len ? " " : "",
		      reason == DEBUG_AT_STEP ? 's' : 'b', s->frames[0].line);
	for (size_t i = 0; *user.commands && i < sizeof(letters); i++)
		if (letters[i] == *user.commands)
			command = (enum debug_command)i;
	if (*user.commands)
		user.commands++;
	if (user.look)
		user.look(s);
	return command;
}

static void break_at(uint32_t line)
{
	user.wish.at[user.wish.n++] = (struct device_breakpoint){ "In[3]", line };
}

static void start(void)
{
	buffer_release(&user.told);
	user = (struct user){ .told = BUFFER_INIT, .commands = "", .thread = pthread_self() };
	user.wish.stopped = stopped;
	user.source.now = &user.wish;
	pthread_mutex_init(&user.source.lock, NULL);
}

static void name_thread(uint32_t block, uint32_t thread)
{
	user.wish.has_thread = true;
	user.wish.block[0] = block;
	user.wish.thread[0] = thread;
}

static void load_text(struct device *d, const char *text, size_t len)
{
	struct ptx_placer placer = { .data = d, .place = device_place };

	d->module = ptx_module_load(text, len, &machine_ptx, &d->err);
	if (!d->module)
		fail_msg("%s", d->err.text);
	if (ptx_module_place(d->module, &placer, &d->err))
		fail_msg("%s", d->err.text);
}

/* run(N, out) in two blocks of 64 threads. */
static void run_in(struct device *d)
{
	struct debugger debugger;
	struct observer *observers[] = { &debugger.observer };
	struct {
		int n;
		uint64_t out;
	} params = { N, device_buffer(d, "out", 128 * 4) };
	int32_t *out = device_bytes(d, params.out);

	debugger_init(&debugger, &user.source, &user.wish);
	d->observers = observers;
	d->observer_count = 1;
	assert_runs(d, "_Z3runiPi", 2, 64, &params, sizeof(params));
	user.over = debugger.observer.over;
	debugger_release(&debugger);
	/* Nobody's values change by being looked at. */
	for (int i = 0; i < 128; i++)
		assert_int_equal(out[i], (i % 2 ? 100 : 200) + 1 + 3 + 5 + i);
}

/* Runs with these commands: the stops. */
static const char *told(const char *commands)
{
	struct device *d = device_new();

	user.commands = commands;
	load_text(d, debugger_ptx, strlen(debugger_ptx));
	run_in(d);
	device_free(d);
	return buffer_text(&user.told);
}

/* ---- breakpoints ---- */

static void first_thread_stops_once(void **state)
{
	(void)state;
	start();
	break_at(34);
	assert_string_equal(told(""), "b34");
	assert_true(user.over);
	assert_string_equal(user.last.kernel, "_Z3runiPi");
	assert_int_equal(user.last.block[0], 0);
	assert_int_equal(user.last.thread[0], 0);
	assert_int_equal(user.last.grid[0], 2);
	assert_int_equal(user.last.block_size[0], 64);
	assert_int_equal(user.last.lane, 0);
	assert_int_equal(user.last.lanes, ALL_LANES);
	assert_int_equal(user.last.n_frames, 1);
	assert_string_equal(user.last.frames[0].function, "_Z3runiPi");
	assert_string_equal(user.last.frames[0].file, "In[3]");
}

static void named_thread_stops(void **state)
{
	(void)state;
	start();
	break_at(36);
	name_thread(1, 43);
	assert_string_equal(told(""), "b36");
	assert_int_equal(user.last.block[0], 1);
	assert_int_equal(user.last.thread[0], 43);
	assert_int_equal(user.last.lane, 11);
	start();
	break_at(36); /* where the even ones do not come */
	name_thread(1, 42);
	assert_string_equal(told(""), "");
	start();
	break_at(34);
	name_thread(0, 64);
	assert_string_equal(told(""), "");
}

static void lanes_of_a_branch(void **state)
{
	(void)state;
	start();
	break_at(36);
	assert_string_equal(told(""), "b36");
	assert_int_equal(user.last.thread[0], 1);
	assert_int_equal(user.last.lane, 1);
	assert_int_equal(user.last.lanes, 0xaaaaaaaa);
	start();
	break_at(38);
	assert_string_equal(told(""), "b38");
	assert_int_equal(user.last.thread[0], 0);
	assert_int_equal(user.last.lanes, 0x55555555);
}

static void loops_stop_each_time(void **state)
{
	(void)state;
	start();
	break_at(41);
	assert_string_equal(told(""), "b41 b41 b41");
	start();
	break_at(9);
	assert_string_equal(told(""), "b9 b9 b9");
	assert_int_equal(user.last.n_frames, 2);
}

/* What a function does before its first line is no line; where there is none, it is the next. */
static void breakpoints_stand_at_code(void **state)
{
	(void)state;
	start();
	break_at(29);
	assert_string_equal(told(""), "b31");
	start();
	break_at(8);
	assert_string_equal(told("g"), "b9");
	start();
	break_at(30);
	break_at(33);
	break_at(40);
	assert_string_equal(told(""), "b31 b34 b41 b41 b41");
	start();
	break_at(28);
	break_at(46);
	assert_string_equal(told(""), "");
	start();
	user.wish.at[user.wish.n++] = (struct device_breakpoint){ "In[4]", 34 };
	assert_string_equal(told(""), "");
}

/* Lines of add() stand in run(), but not those between the two. */
static void inlined_lines_are_apart(void **state)
{
	(void)state;
	start();
	break_at(16);
	assert_string_equal(told(""), "b16");
	start();
	break_at(20);
	break_at(24);
	assert_string_equal(told(""), "");
}

/* ---- steps ---- */

static void next_goes_over_calls(void **state)
{
	(void)state;
	start();
	break_at(34);
	assert_string_equal(told("nnnnnnnnnnnnnnn"),
			    "b34 s35 s38 s39 s41 s42 s39 s41 s42 s39 s41 s42 s39 s43 s44 s45");
}

static void next_returns(void **state)
{
	(void)state;
	start();
	break_at(10);
	assert_string_equal(told("nng"), "b10 s41 s42");
	assert_int_equal(user.last.n_frames, 1);
}

static void step_in_and_out(void **state)
{
	(void)state;
	start();
	break_at(41);
	assert_string_equal(told("iniiig"), "b41 s9 s10 s41 s42 s39");
	start();
	break_at(41);
	assert_string_equal(told("iog"), "b41 s9 s41");
	start();
	break_at(45);
	assert_string_equal(told("o"), "b45");
}

static void inlined_calls_are_calls(void **state)
{
	(void)state;
	start();
	break_at(43);
	assert_string_equal(told("ng"), "b43 s44");
	start();
	break_at(43);
	assert_string_equal(told("iinng"), "b43 s15 s16 s17 s43");
	start();
	break_at(43);
	assert_string_equal(told("iog"), "b43 s15 s43");
}

static void breakpoint_ends_a_step(void **state)
{
	(void)state;
	start();
	break_at(41);
	break_at(10);
	assert_string_equal(told("nng"), "b41 b10 s41");
	start();
	break_at(34);
	break_at(35);
	assert_string_equal(told("n"), "b34 s35");
}

static void launch_steps_in(void **state)
{
	(void)state;
	start();
	user.wish.steps_in = true;
	assert_string_equal(told("ng"), "s31 s32");
	assert_int_equal(user.last.thread[0], 0);
	start();
	user.wish.steps_in = true;
	name_thread(1, 5);
	assert_string_equal(told("g"), "s31");
	assert_int_equal(user.last.block[0], 1);
	assert_int_equal(user.last.thread[0], 5);
}

/* ---- changes ---- */

static void give_up_ends_it(void **state)
{
	(void)state;
	start();
	break_at(41);
	assert_string_equal(told("cg"), "b41 b41");
}

static void move_breakpoint(const struct device_stop *s)
{
	(void)s;
	user.wish.at[0].line = 44;
}

static void leave(const struct device_stop *s)
{
	(void)s;
	user.source.now = NULL;
}

static void name_another(const struct device_stop *s)
{
	(void)s;
	name_thread(1, 7);
}

static void debugger_changes_at_a_stop(void **state)
{
	(void)state;
	start();
	break_at(41);
	user.look = move_breakpoint;
	assert_string_equal(told(""), "b41 b44");
	start();
	break_at(41);
	user.look = leave;
	assert_string_equal(told(""), "b41");
	start();
	break_at(41);
	user.look = name_another;
	assert_string_equal(told(""), "b41 b41 b41 b41");
	assert_int_equal(user.last.block[0], 1);
	assert_int_equal(user.last.thread[0], 7);
	start();
	break_at(41);
	user.look = name_another;
	assert_string_equal(told("nng"), "b41 s31 s32");
	start();
	break_at(31);
	user.look = name_another;
	assert_string_equal(told("ng"), "b31 s31");
}

/* ---- code that is made by hand ---- */

/* Runs k(out) in one block; body: its instructions. */
static int run_small(struct shape shape, const char *body, const _Atomic int *stop)
{
	struct device *d = device_new();
	struct buffer text = BUFFER_INIT;
	struct debugger debugger;
	struct observer *observers[] = { &debugger.observer };
	uint64_t out = device_buffer(d, "out", 4096);
	int rc;

	buffer_printf(&text,
		      ".version 8.5\n.target sm_90, debug\n.address_size 64\n"
		      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %%p; .reg .b32 %%r<4>; "
		      ".reg .f32 %%f<4>; .reg .b64 %%d<4>;\n.loc 1 2 0\n%sret;\n}\n"
		      ".file 1 \"In[3]\"\n",
		      body);
	load_text(d, text.data, text.len);
	debugger_init(&debugger, &user.source, &user.wish);
	d->observers = observers;
	d->observer_count = 1;
	d->stop = stop;
	rc = device_launch_shape(d, "k", shape, &out, sizeof(out));
	debugger_release(&debugger);
	buffer_release(&text);
	device_free(d);
	return rc;
}

static const struct shape two_warps = { { 1, 1, 1 }, { 64, 1, 1 }, 0 };

#define STORE_THREAD                                                                               \
	"ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; "                 \
	"add.s64 %d1, %d1, %d2;\n"

/* Before a long chain a warp waits for the one beside it, and comes to the same operation again. */
static void a_warp_that_waits_stops_once(void **state)
{
	struct buffer body = BUFFER_INIT;

	(void)state;
	buffer_puts(&body, STORE_THREAD
		    "cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, %f1; bra C;\nC:\n.loc 1 5 3\n");
	for (int i = 0; i < 100; i++)
		buffer_puts(&body, "fma.rn.f32 %f2, %f2, %f1, %f1;\n");
	buffer_puts(&body, ".loc 1 6 3\nst.global.f32 [%d1], %f2;\n");
	start();
	break_at(5);
	break_at(6);
	assert_int_equal(run_small(two_warps, body.data, NULL), 0);
	assert_string_equal(buffer_text(&user.told), "b5 b6");
	buffer_release(&body);
}

static _Atomic int enough;

static void end_third(const struct device_stop *s)
{
	(void)s;
	enough = user.stops == 3;
}

static void a_branch_to_itself_stops_each_time(void **state)
{
	(void)state;
	start();
	break_at(5);
	user.commands = "ccg";
	user.look = end_third;
	assert_int_equal(run_small(two_warps, ".loc 1 5 3\nL: bra L;\n", &enough), 1);
	assert_string_equal(buffer_text(&user.told), "b5 b5 b5");
}

static void guarded_code_stops_its_lanes(void **state)
{
	static const char body[] = STORE_THREAD "setp.gt.u32 %p, %r1, 40;\n"
						".loc 1 5 3\n@%p st.global.u32 [%d1], %r1;\n"
						".loc 1 6 3\nst.global.u32 [%d1], %r1;\n";

	(void)state;
	start();
	break_at(5);
	assert_int_equal(run_small(two_warps, body, NULL), 0);
	assert_string_equal(buffer_text(&user.told), "b5");
	assert_int_equal(user.last.thread[0], 41);
	assert_int_equal(user.last.lanes, 0xfffffe00);
	start();
	break_at(5);
	break_at(6);
	name_thread(0, 40);
	assert_int_equal(run_small(two_warps, body, NULL), 0);
	assert_string_equal(buffer_text(&user.told), "b6");
}

/* The line of the function's name counts, though no instruction is of it. */
static void functions_begin_at_their_names(void **state)
{
	(void)state;
	start();
	break_at(3);
	assert_int_equal(run_small(two_warps,
				   ".loc 1 5 3\n" STORE_THREAD "st.global.u32 [%d1], %r1;\n", NULL),
			 0);
	assert_string_equal(buffer_text(&user.told), "b5");
}

static void line_0_is_no_line(void **state)
{
	static const char body[] = ".loc 1 4 3\n" STORE_THREAD "st.global.u32 [%d1], %r1; bra M;\n"
				   ".loc 1 5 3\nst.global.u32 [%d1+4], %r1;\n"
				   "M:\n.loc 1 0 3\nst.global.u32 [%d1], %r1;\n"
				   ".loc 1 6 3\nst.global.u32 [%d1], %r1;\n";

	(void)state;
	start();
	break_at(4);
	user.commands = "n";
	assert_int_equal(run_small(two_warps, body, NULL), 0);
	assert_string_equal(buffer_text(&user.told), "b4 s6");
}

/* Elsewhere the decoder leaves out the second of two branches. */
static void each_instruction_is_there(void **state)
{
	static const char body[] = STORE_THREAD "setp.gt.u32 %p, %r1, 40;\n"
						".loc 1 4 3\n@%p bra L;\n"
						".loc 1 5 3\nbra M;\n"
						"L:\n.loc 1 6 3\nst.global.u32 [%d1], %r1;\n"
						"M:\n.loc 1 7 3\nst.global.u32 [%d1], %r1;\n";

	(void)state;
	start();
	break_at(5);
	assert_int_equal(run_small(two_warps, body, NULL), 0);
	assert_string_equal(buffer_text(&user.told), "b5");
}

static void threads_of_three_dimensions(void **state)
{
	static const struct shape shape = { { 1, 1, 1 }, { 8, 4, 2 }, 0 };
	static const char body[] = ".loc 1 5 3\n" STORE_THREAD "st.global.u32 [%d1], %r1;\n";

	(void)state;
	start();
	break_at(5);
	name_thread(0, 3);
	user.wish.thread[1] = 2;
	user.wish.thread[2] = 1;
	assert_int_equal(run_small(shape, body, NULL), 0);
	assert_string_equal(buffer_text(&user.told), "b5");
	assert_int_equal(user.last.lane, 19);
	start();
	break_at(5);
	name_thread(0, 9); /* not thread (1,1,0) */
	assert_int_equal(run_small(shape, body, NULL), 0);
	assert_string_equal(buffer_text(&user.told), "");
}

/* ---- values ---- */

static const unsigned char *section(const struct device_stop *s, const char *name, size_t *ret_len)
{
	const unsigned char *file = (const unsigned char *)(uintptr_t)s->image;
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *all = (const Elf64_Shdr *)(file + h->e_shoff);
	const char *names = (const char *)file + all[h->e_shstrndx].sh_offset;

	assert_true(s->image_size >= h->e_shoff + h->e_shnum * sizeof(*all));
	for (int i = 1; i < h->e_shnum; i++)
		if (!strcmp(names + all[i].sh_name, name)) {
			*ret_len = all[i].sh_size;
			return file + all[i].sh_offset;
		}
	*ret_len = 0;
	return NULL;
}

/* The bytes of DW_AT_address_class and DW_AT_location stand before a name: class, length,
 * DW_OP_addr and the address, maybe DW_OP_plus_uconst and a number below 128. */
static bool find_variable(const struct device_stop *s, const char *name, int *ret_class,
			  uint64_t *ret_address)
{
	size_t len, size = strlen(name) + 1;
	const unsigned char *info = section(s, ".debug_info", &len);

	for (size_t i = 13; info && i + size <= len; i++) {
		const unsigned char *at = info + i;
		bool added = at[-13] != 0 && at[-12] == 11 && at[-11] == 3 && at[-2] == 35;

		if (memcmp(at, name, size) || (!added && !(at[-10] == 9 && at[-9] == 3)))
			continue;
		memcpy(ret_address, at - (added ? 10 : 8), 8);
		*ret_address += added ? at[-1] : 0;
		*ret_class = at[added ? -13 : -11];
		return true;
	}
	return false;
}

static int32_t local_value(const struct device_stop *s, const char *name)
{
	uint64_t address = 0;
	int class = 0;
	int32_t value;

	assert_true(find_variable(s, name, &class, &address));
	assert_int_equal(class, DEVICE_CLASS_LOCAL);
	memcpy(&value, (void *)(uintptr_t)(s->frames[0].local + address), sizeof(value));
	return value;
}

static void look_in_loop(const struct device_stop *s)
{
	int32_t round = (int32_t)user.stops - 1, next;
	uint64_t offset;
	int class;

	assert_int_equal(local_value(s, "i"), 64 + 43);
	assert_int_equal(local_value(s, "k"), round);
	assert_int_equal(local_value(s, "sum"), 100 + round * round);
	assert_true(find_variable(s, "sum", &class, &offset));
	memcpy(&next, (void *)(uintptr_t)(s->frames[0].local + s->lane_stride + offset),
	       sizeof(next));
	assert_int_equal(next, 200 + round * round);
}

static void look_in_call(const struct device_stop *s)
{
	struct device_stop up = *s;

	assert_int_equal(s->n_frames, 2);
	assert_string_equal(s->frames[0].function, "_Z5twicei");
	assert_string_equal(s->frames[1].function, "_Z3runiPi");
	assert_int_equal(s->frames[1].line, 41);
	assert_int_equal(local_value(s, "w"), 2 * (int32_t)(user.stops - 1));
	up.frames[0] = s->frames[1];
	assert_int_equal(local_value(&up, "i"), 64 + 43);
}

static void look_at_tile(const struct device_stop *s)
{
	size_t len, at = 0;
	const unsigned char *info = section(s, ".debug_info", &len);
	static const unsigned char shape[] = { DEVICE_CLASS_SHARED, 9, 3 };
	const struct device_stop_window *shared = &s->windows[DEVICE_WINDOW_SHARED];
	uint64_t offset;
	int32_t value;

	while (at + sizeof(shape) + 8 < len && memcmp(info + at, shape, sizeof(shape)))
		at++;
	memcpy(&offset, info + at + sizeof(shape), sizeof(offset));
	assert_true(offset + 64 * 4 <= shared->size);
	memcpy(&value, (void *)(uintptr_t)(shared->bytes + offset + 43 * 4), sizeof(value));
	assert_int_equal(value, 64 + 43);
}

static void values_are_in_memory(void **state)
{
	(void)state;
	start();
	break_at(41);
	name_thread(1, 43);
	user.look = look_in_loop;
	assert_string_equal(told(""), "b41 b41 b41");
	start();
	break_at(10);
	name_thread(1, 43);
	user.look = look_in_call;
	assert_string_equal(told(""), "b10 b10 b10");
	start();
	break_at(35);
	name_thread(1, 43);
	user.look = look_at_tile;
	assert_string_equal(told(""), "b35");
}

static void look_at_addresses(const struct device_stop *s)
{
	size_t len;
	const unsigned char *info = section(s, ".debug_info", &len);
	uint64_t low = 0, high = 0;

	assert_non_null(section(s, ".debug_abbrev", &len));
	assert_non_null(section(s, ".debug_line", &len));
	assert_non_null(memmem(section(s, ".debug_line", &len), len, "In[3]", 6));
	assert_non_null(section(s, ".debug_aranges", &len));
	assert_int_equal(len, 48);
	section(s, ".debug_info", &len);
	/* twice() comes first in the text, and a DIE begins with its addresses. */
	for (size_t i = 16; i + 9 < len; i++)
		if (info[i] == 1 && info[i + 1] == 156 && !memcmp(info + i + 2, "_Z5twicei", 10)) {
			memcpy(&low, info + i - 16, 8);
			memcpy(&high, info + i - 8, 8);
		}
	assert_int_equal(low, DEBUG_IMAGE_BASE);
	assert_int_equal(high % CODE_IMAGE_STEP, 0);
	assert_in_range(s->frames[0].address, low, high - 1);
	assert_true(s->frames[1].address >= high);
}

static void code_has_addresses(void **state)
{
	(void)state;
	start();
	break_at(10);
	user.look = look_at_addresses;
	assert_string_equal(told("g"), "b10");
}

/* The text with `from` replaced, once. */
static const char *told_with(const char *from, const char *to)
{
	struct device *d = device_new();
	struct buffer text = BUFFER_INIT;
	const char *at = strstr(debugger_ptx, from);

	assert_non_null(at);
	buffer_append(&text, debugger_ptx, (size_t)(at - debugger_ptx));
	buffer_puts(&text, to);
	buffer_puts(&text, at + strlen(from));
	load_text(d, text.data, text.len);
	run_in(d);
	buffer_release(&text);
	device_free(d);
	return buffer_text(&user.told);
}

/* A declaration before the definition does not change where the code is. */
static void code_is_in_the_order_of_its_text(void **state)
{
	static const char first[] = ".visible .func (.param .b32 func_retval0) _Z5twicei(\n",
			  declared[] = ".visible .func (.param .b32 r) _Z4halfi(.param .b32 a);\n"
				       ".visible .func (.param .b32 func_retval0) _Z5twicei(\n";

	(void)state;
	start();
	break_at(10);
	user.look = look_at_addresses;
	user.commands = "g";
	assert_string_equal(told_with(first, declared), "b10");
}

static void sections_without_sense(void **state)
{
	static const char *const changes[][2] = {
		{ ".section .debug_info", ".section .debug_other" },
		{ ".b64 __local_depot0", ".b64 \"text\"" },
		{ ".section .debug_loc { }", ".section .debug_loc { } .section .debug_loc { }" },
		{ ".section .debug_loc { }", ".section .debug_loc { a b }" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		start();
		break_at(34);
		assert_string_equal(told_with(changes[i][0], changes[i][1]), "b34");
		assert_int_equal(user.last.image, 0);
		assert_int_equal(user.last.image_size, 0);
		assert_int_equal(user.last.frames[0].address, 0);
	}
	start();
	break_at(34);
	assert_string_equal(told_with(".section .debug_loc { }",
				      ".section .debug_loc { a: .b32 1 b: .b32 b-a, -1 }"),
			    "b34");
	assert_true(user.last.image);
}

/* ---- the driver ---- */

static bool device_is_there;
static CUdeviceptr driver_out;

/* Blocks come one after the other, so none of those behind has run. */
static void look_at_results(const struct device_stop *s)
{
	int32_t last;

	usleep(20000);
	memcpy(&last, (char *)extension->bytes(driver_out) + 127 * 4, sizeof(last));
	assert_int_equal(s->block[0], 0);
	assert_int_equal(last, 0);
}

static void launch_by_driver(CUstream stream)
{
	CUmodule module;
	CUfunction f;
	int n = N;
	int32_t last = 0;
	void *params[] = { &n, &driver_out };

	assert_int_equal(EMU(cuModuleLoadData)(&module, debugger_ptx), 0);
	assert_int_equal(EMU(cuModuleGetFunction)(&f, module, "_Z3runiPi"), 0);
	assert_int_equal(EMU(cuMemAlloc)(&driver_out, 128 * 4), 0);
	assert_int_equal(EMU(cuMemsetD8Async)(driver_out, 0, 128 * 4, stream), 0);
	assert_int_equal(EMU(cuLaunchKernel)(f, 2, 1, 1, 64, 1, 1, 0, stream, params, NULL), 0);
	/* A launch that may stop is over. */
	if (user.wish.n)
		memcpy(&last, (char *)extension->bytes(driver_out) + 127 * 4, sizeof(last));
	else
		assert_int_equal(EMU(cuMemcpyDtoH)(&last, driver_out + 127 * 4, sizeof(last)), 0);
	assert_int_equal(last, 100 + 1 + 3 + 5 + 127);
	assert_int_equal(EMU(cuCtxSynchronize)(), 0);
	assert_int_equal(EMU(cuMemFree)(driver_out), 0);
	assert_int_equal(EMU(cuModuleUnload)(module), 0);
}

static void driver_launches_stop(void **state)
{
	CUstream stream;

	(void)state;
	if (!device_is_there)
		emulator_start();
	device_is_there = true;
	start();
	break_at(44);
	name_thread(1, 63);
	extension->debug(&user.wish);
	launch_by_driver(NULL);
	assert_string_equal(buffer_text(&user.told), "b44");
	assert_false(user.foreign);
	assert_int_equal(EMU(cuStreamCreate)(&stream, 0), 0);
	start();
	break_at(9);
	user.look = look_at_results;
	extension->debug(&user.wish);
	launch_by_driver(stream);
	assert_string_equal(buffer_text(&user.told), "b9 b9 b9");
	assert_false(user.foreign);
	/* None any more, and one without a wish. */
	extension->debug(NULL);
	start();
	launch_by_driver(stream);
	extension->debug(&user.wish);
	launch_by_driver(NULL);
	extension->debug(NULL);
	assert_int_equal(user.stops, 0);
	assert_int_equal(EMU(cuStreamDestroy)(stream), 0);
}

static _Atomic int standing, most_standing;

static void stand(const struct device_stop *s)
{
	int now = atomic_fetch_add(&standing, 1) + 1;

	(void)s;
	if (now > most_standing)
		most_standing = now;
	usleep(2000);
	atomic_fetch_sub(&standing, 1);
}

static void *launch_beside(void *unused)
{
	CUstream stream;
	CUcontext context;
	CUmodule module;
	CUfunction f;
	CUdeviceptr out;
	int n = N;
	void *params[] = { &n, &out };
	int failed = EMU(cuDevicePrimaryCtxRetain)(&context, 0) || EMU(cuCtxSetCurrent)(context) ||
		     EMU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) ||
		     EMU(cuModuleLoadData)(&module, debugger_ptx) ||
		     EMU(cuModuleGetFunction)(&f, module, "_Z3runiPi") ||
		     EMU(cuMemAlloc)(&out, 128 * 4) ||
		     EMU(cuLaunchKernel)(f, 2, 1, 1, 64, 1, 1, 0, stream, params, NULL) ||
		     EMU(cuMemFree)(out) || EMU(cuModuleUnload)(module) ||
		     EMU(cuStreamDestroy)(stream) || EMU(cuDevicePrimaryCtxRelease)(0);

	(void)unused;
	return failed ? &standing : NULL;
}

static void launches_stand_one_at_a_time(void **state)
{
	pthread_t threads[3];
	void *failed;

	(void)state;
	start();
	break_at(39);
	break_at(41);
	user.look = stand;
	extension->debug(&user.wish);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, launch_beside, NULL), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	extension->debug(NULL);
	assert_int_equal(user.stops, 3 * (1 + N));
	assert_int_equal(most_standing, 1);
}

/* What a graph launches stops when the graph is launched, not when it is made. */
static void launches_of_graphs_stop(void **state)
{
	CUmodule module;
	CUfunction f;
	CUstream stream;
	CUgraph graph;
	CUgraphExec exec;
	CUdeviceptr out;
	int n = N;
	void *params[] = { &n, &out };

	(void)state;
	start();
	break_at(44);
	assert_int_equal(EMU(cuModuleLoadData)(&module, debugger_ptx), 0);
	assert_int_equal(EMU(cuModuleGetFunction)(&f, module, "_Z3runiPi"), 0);
	assert_int_equal(EMU(cuMemAlloc)(&out, 128 * 4), 0);
	assert_int_equal(EMU(cuStreamCreate)(&stream, 0), 0);
	extension->debug(&user.wish);
	assert_int_equal(EMU(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(EMU(cuLaunchKernel)(f, 2, 1, 1, 64, 1, 1, 0, stream, params, NULL),
				 0);
	assert_int_equal(EMU(cuStreamEndCapture)(stream, &graph), 0);
	assert_int_equal(EMU(cuGraphInstantiate)(&exec, graph, 0), 0);
	assert_int_equal(user.stops, 0);
	assert_int_equal(EMU(cuGraphLaunch)(exec, stream), 0);
	assert_string_equal(buffer_text(&user.told), "b44 b44");
	assert_false(user.foreign);
	extension->debug(NULL);
	assert_int_equal(EMU(cuStreamSynchronize)(stream), 0);
	assert_int_equal(EMU(cuGraphExecDestroy)(exec), 0);
	assert_int_equal(EMU(cuGraphDestroy)(graph), 0);
	assert_int_equal(EMU(cuStreamDestroy)(stream), 0);
	assert_int_equal(EMU(cuMemFree)(out), 0);
	assert_int_equal(EMU(cuModuleUnload)(module), 0);
}

static void launches_that_want_none(void **state)
{
	struct device *d = device_new();
	const struct ptx_function *f;

	(void)state;
	load_text(d, debugger_ptx, strlen(debugger_ptx));
	f = ptx_module_function(d->module, "_Z3runiPi");
	start();
	assert_false(debugger_wants(&user.wish, f));
	user.wish.at[user.wish.n++] = (struct device_breakpoint){ "In[4]", 3 };
	assert_false(debugger_wants(&user.wish, f));
	break_at(3);
	assert_true(debugger_wants(&user.wish, f));
	user.wish.n = 0;
	user.wish.steps_in = true;
	assert_true(debugger_wants(&user.wish, f));
	ptx_module_free(d->module);
	d->module = NULL;
	device_load(d, ".visible .entry k() { ret; }\n.file 1 \"/usr/include/x.h\"\n");
	assert_false(debugger_wants(&user.wish, ptx_module_function(d->module, "k")));
	device_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_thread_stops_once),
		cmocka_unit_test(named_thread_stops),
		cmocka_unit_test(lanes_of_a_branch),
		cmocka_unit_test(loops_stop_each_time),
		cmocka_unit_test(breakpoints_stand_at_code),
		cmocka_unit_test(inlined_lines_are_apart),
		cmocka_unit_test(next_goes_over_calls),
		cmocka_unit_test(next_returns),
		cmocka_unit_test(step_in_and_out),
		cmocka_unit_test(inlined_calls_are_calls),
		cmocka_unit_test(breakpoint_ends_a_step),
		cmocka_unit_test(launch_steps_in),
		cmocka_unit_test(give_up_ends_it),
		cmocka_unit_test(debugger_changes_at_a_stop),
		cmocka_unit_test(a_warp_that_waits_stops_once),
		cmocka_unit_test(a_branch_to_itself_stops_each_time),
		cmocka_unit_test(guarded_code_stops_its_lanes),
		cmocka_unit_test(functions_begin_at_their_names),
		cmocka_unit_test(line_0_is_no_line),
		cmocka_unit_test(each_instruction_is_there),
		cmocka_unit_test(threads_of_three_dimensions),
		cmocka_unit_test(values_are_in_memory),
		cmocka_unit_test(code_has_addresses),
		cmocka_unit_test(code_is_in_the_order_of_its_text),
		cmocka_unit_test(sections_without_sense),
		cmocka_unit_test(launches_that_want_none),
		cmocka_unit_test(driver_launches_stop),
		cmocka_unit_test(launches_of_graphs_stop),
		cmocka_unit_test(launches_stand_one_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
