/* SPDX-License-Identifier: Apache-2.0 */
/* A real zygote, real workers, real objects: what a cell does, how it ends, and what is there
 * afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "tests/unit/runtime/worker-harness.h"

static struct session_process s;

static int set_up(void **state)
{
	(void)state;
	harness_start(&s, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	harness_stop(&s);
	return 0;
}

static void ok(uint32_t cell, const char *text, const char *const *types)
{
	harness_ok(&s, cell, text, types);
}

static void faults(uint32_t cell, const char *text, enum fault_kind kind)
{
	const struct fault_record *f;
	int r = harness_cell(&s, cell, text, NULL);

	f = &s.control->fault;
	if (atomic_load(&f->kind) != kind || r == OUTCOME_OK)
		fail_msg("outcome %d status %x, fault %u, not %u: %s", r, s.status,
			 atomic_load(&f->kind), kind, f->text);
}

static void output_is(const char *text)
{
	assert_string_equal(buffer_text(&s.text), text);
}

static void test_prints(void **state)
{
	(void)state;
	ok(1,
	   "#include <stdio.h>\nvoid run(void) { printf(\"sum %d\\n\", 1 + 1); fputs(\"no "
	   "newline\", stdout); }",
	   NULL);
	output_is("sum 2\nno newline");
}

static void test_keeps_state(void **state)
{
	static const char *const p[] = { "p", "int *", NULL };

	(void)state;
	ok(1,
	   "#include <stdlib.h>\nint *p; void run(void) { p = malloc(1000000); p[200000] = 42; }",
	   p);
	ok(2, "extern int *p; void run(void) { p[0] = 7; }", NULL);
	/* A cell that fails leaves nothing behind. */
	faults(3,
	       "extern int *p; void run(void) { p[0] = 8; p[200000] = 9; *(volatile int *)0 = 1; }",
	       FAULT_SEGMENTATION);
	harness_replace(&s);
	ok(4,
	   "#include <stdio.h>\nextern int *p; void run(void) { printf(\"%d %d\", p[0], "
	   "p[200000]); }",
	   NULL);
	output_is("7 42");
}

static void test_redefines(void **state)
{
	static const char *const f[] = { "f", "int (int)", NULL }, *const g[] = { "g", "int (int)",
										  NULL };
	static const char *const other[] = { "f", "double (double)", NULL };

	(void)state;
	ok(1, "int f(int x) { return x + 1; }", f);
	ok(2, "int f(int); int g(int x) { return f(x) * 10; }", g);
	ok(3, "int f(int x) { return x + 2; }", f);
	ok(4, "#include <stdio.h>\nint g(int); void run(void) { printf(\"%d\", g(1)); }", NULL);
	output_is("30");
	ok(5, "double f(double x) { return x / 2; }", other);
	ok(6,
	   "#include <stdio.h>\nint g(int); double f(double); void run(void) { printf(\"%d %g\", "
	   "g(1), f(1)); }",
	   NULL);
	output_is("30 0.5");
}

static void test_variable_again(void **state)
{
	static const char *const v[] = { "v", "int [4]", NULL }, *const c[] = { "c", "const int",
										NULL };
	uint64_t first;

	(void)state;
	ok(1, "int v[4] = { 1, 2, 3, 4 };", v);
	first = s.addresses[0];
	assert_true(first != 0);
	ok(2,
	   "#include <stdio.h>\nextern int v[4]; int *keep = v; void run(void) { v[0] = 50; "
	   "printf(\"%d\", v[0]); }",
	   NULL);
	ok(3, "int v[4] = { 9, 8 };", v);
	assert_int_equal(s.addresses[0], first);
	ok(4,
	   "#include <stdio.h>\nextern int v[4], *keep; void run(void) { printf(\"%d %d %d\", "
	   "v[0], v[1], keep[3]); }",
	   NULL);
	output_is("9 8 0");
	ok(5, "const int c = 5;", c);
	ok(6, "const int c = 6;", c);
	ok(7, "#include <stdio.h>\nextern const int c; void run(void) { printf(\"%d\", c); }",
	   NULL);
	output_is("6");
}

static void test_constructors(void **state)
{
	(void)state;
	ok(1,
	   "#include <stdio.h>\nstatic __attribute__((constructor)) void first(void) { "
	   "printf(\"first \"); }\n"
	   "void run(void) { printf(\"run\"); }",
	   NULL);
	output_is("first run");
}

static void test_null(void **state)
{
	const struct fault_record *f;

	(void)state;
	faults(3,
	       "int *p; __attribute__((noinline)) void inner(void) { *p = 1; }\n"
	       "void run(void) { inner(); __asm__ volatile(\"\"); }",
	       FAULT_SEGMENTATION);
	f = &s.control->fault;
	assert_int_equal(f->signal, SIGSEGV);
	assert_int_equal(f->address, 0);
	assert_int_equal(f->what.owner, OWNER_NULL);
	assert_true(f->n_frames >= 2);
	assert_string_equal(f->frames[0].name, "inner");
	assert_int_equal(f->frames[0].cell, 3);
	assert_string_equal(f->frames[1].name, "run");
}

static void test_library_frame(void **state)
{
	const struct fault_record *f;

	(void)state;
	faults(1,
	       "#include <string.h>\nvoid run(void) { volatile char *p = (char *)16; strlen((char "
	       "*)p); memset((char *)p, 1, 100000); }",
	       FAULT_SEGMENTATION);
	f = &s.control->fault;
	assert_true(f->n_frames >= 2);
	assert_string_equal(f->frames[f->n_frames - 1].name, "run");
	assert_int_equal(f->frames[0].cell, 0);
}

static void test_freed_block(void **state)
{
	static const char *const a[] = { "a", "char *", NULL };

	(void)state;
	ok(1, "#include <stdlib.h>\nchar *a; void run(void) { a = malloc(5000000); }", a);
	ok(2, "#include <stdlib.h>\nextern char *a; void run(void) { free(a); }", NULL);
	faults(3, "#include <stdlib.h>\nextern char *a; void run(void) { free(a); }",
	       FAULT_HEAP_MISUSE);
	assert_non_null(strstr(s.control->fault.text, "double free"));
	assert_int_equal(s.control->fault.what.owner, OWNER_HEAP_FREED);
	assert_int_equal(s.control->fault.what.freed_cell, 2);
	assert_string_equal(s.control->fault.what.freed.function, "run");
	assert_string_equal(s.control->fault.frames[0].name, "run");
}

static void test_overrun(void **state)
{
	static const char *const a[] = { "a", "double *", NULL };
	const struct address_description *d = &s.control->fault.what;

	(void)state;
	ok(2, "#include <stdlib.h>\ndouble *a; void run(void) { a = malloc(9000000); }", a);
	faults(3, "extern double *a; void run(void) { for (long i = 0;; i++) a[i] = i; }",
	       FAULT_SEGMENTATION);
	d = &s.control->fault.what;
	assert_int_equal(d->owner, OWNER_HEAP_NEAR);
	assert_int_equal(d->size, 9000000);
	assert_int_equal(d->cell, 2);
	assert_string_equal(d->name, "a");
}

static void test_wild_and_code(void **state)
{
	(void)state;
	faults(1, "void run(void) { *(volatile int *)0x123456789000 = 1; }", FAULT_SEGMENTATION);
	assert_int_equal(s.control->fault.what.owner, OWNER_UNKNOWN);
	assert_int_equal(s.control->fault.address, 0x123456789000);
	harness_replace(&s);
	faults(2, "void run(void) { char *t = \"text\"; *(volatile char *)t = 'T'; }",
	       FAULT_SEGMENTATION);
	harness_replace(&s);
	faults(3, "void run(void) { *(volatile int *)0xdeadbeefdeadbeef = 1; }",
	       FAULT_SEGMENTATION);
	assert_non_null(strstr(s.control->fault.text, "upper bits"));
}

static void test_stack_overflow(void **state)
{
	(void)state;
	faults(1,
	       "int deep(volatile int *p) { volatile int a[64]; a[0] = *p + 1; return deep(a) + "
	       "a[1]; }\n"
	       "void run(void) { volatile int x = 0; deep(&x); }",
	       FAULT_STACK_OVERFLOW);
	assert_string_equal(s.control->fault.frames[0].name, "deep");
	harness_replace(&s);
	faults(2,
	       "void run(void) { volatile char big[100 << 20]; big[0] = 1; __asm__ volatile(\"\" "
	       ":: \"r\"(big)); }",
	       FAULT_STACK_OVERFLOW);
}

static void test_arithmetic_and_illegal(void **state)
{
	(void)state;
	faults(1, "void run(void) { volatile int a = 1, b = 0; a = a / b; }", FAULT_ARITHMETIC);
	harness_replace(&s);
	faults(2, "void run(void) { __builtin_trap(); }", FAULT_ILLEGAL_INSTRUCTION);
}

static void test_aborts(void **state)
{
	(void)state;
	faults(1, "#include <stdlib.h>\nvoid run(void) { abort(); }", FAULT_ABORTED);
	harness_replace(&s);
	faults(2, "#include <assert.h>\nvoid run(void) { assert(1 == 2); }", FAULT_ABORTED);
	assert_non_null(strstr(s.control->fault.text, "1 == 2"));
	harness_replace(&s);
	faults(3, "#include <stdlib.h>\nvoid run(void) { int x; free(&x); }", FAULT_HEAP_MISUSE);
	harness_replace(&s);
	faults(4, "#include <stdlib.h>\nvoid run(void) { char *p = malloc(100); free(p + 8); }",
	       FAULT_HEAP_MISUSE);
	assert_int_equal(s.control->fault.what.owner, OWNER_HEAP);
	assert_int_equal(s.control->fault.what.size, 100);
	assert_int_equal(s.control->fault.what.allocated.cell, 4);
	assert_string_equal(s.control->fault.what.allocated.function, "run");
	assert_int_equal(s.control->fault.address - s.control->fault.what.base, 8);
}

static void test_exits(void **state)
{
	(void)state;
	faults(1,
	       "#include <stdio.h>\n#include <stdlib.h>\nstatic void bye(void) { puts(\"bye\"); }\n"
	       "void run(void) { atexit(bye); printf(\"out\"); exit(3); }",
	       FAULT_EXITED);
	assert_int_equal(s.control->fault.exit_status, 3);
	assert_string_equal(s.control->fault.frames[0].name, "run");
	output_is("outbye\n");
	harness_replace(&s);
	faults(2, "#include <unistd.h>\nvoid run(void) { _exit(4); }", FAULT_EXITED);
	assert_int_equal(s.control->fault.exit_status, 4);
}

static void test_out_of_memory(void **state)
{
	static const char *const p[] = { "big", "char *", NULL };

	(void)state;
	harness_kill(&s);
	harness_fork(&s);
	harness_attach(&s, 100 << 20);
	ok(1, "#include <stdlib.h>\nchar *big; void run(void) { big = malloc(60 << 20); }", p);
	faults(2,
	       "#include <stdlib.h>\nvoid *volatile more; void run(void) { more = malloc(50 << "
	       "20); }",
	       FAULT_OUT_OF_MEMORY);
	assert_non_null(strstr(s.control->fault.text,
			       "50.0 MiB asked, 60.0 MiB in use, the limit is 100.0 MiB"));
	assert_non_null(strstr(s.control->fault.text,
			       "cell 1 holds 60.0 MiB in 1 block, the largest 60.0 MiB in big"));
}

static void test_missing_symbols(void **state)
{
	(void)state;
	faults(1,
	       "int nowhere_a(void), nowhere_b(void); void run(void) { nowhere_a(); nowhere_b(); }",
	       FAULT_LINK);
	assert_non_null(strstr(s.control->fault.text,
			       "'nowhere_a', 'nowhere_b' are declared but defined nowhere"));
}

static void test_interrupt_loop(void **state)
{
	static const char *const n[] = { "n", "volatile long", NULL };

	(void)state;
	harness_send(&s, 1,
		     "#include <stdio.h>\nvolatile long n; void run(void) { n = 5; puts(\"go\"); "
		     "for (;;) ; }",
		     n);
	harness_expect_output(&s, "go\n");
	assert_int_equal(harness_interrupt(&s), OUTCOME_INTERRUPTED);
	assert_int_equal(atomic_load(&s.control->fault.kind), FAULT_INTERRUPTED);
	assert_string_equal(s.control->fault.frames[0].name, "run");
	harness_commit(&s);
	ok(2, "#include <stdio.h>\nextern volatile long n; void run(void) { printf(\"%ld\", n); }",
	   NULL);
	output_is("5");
}

static void test_interrupt_library(void **state)
{
	(void)state;
	harness_send(&s, 1,
		     "#include <unistd.h>\n#include <stdio.h>\nvoid run(void) { puts(\"go\"); "
		     "sleep(1000); puts(\"on\"); }",
		     NULL);
	harness_expect_output(&s, "go\n");
	assert_int_equal(harness_interrupt(&s), OUTCOME_INTERRUPTED);
	harness_commit(&s);
	harness_send(&s, 2, "#include <stdio.h>\nvoid run(void) { for (;;) puts(\"line\"); }",
		     NULL);
	harness_expect_output(&s, "line\nline\nline\n");
	assert_int_equal(harness_interrupt(&s), OUTCOME_INTERRUPTED);
	harness_commit(&s);
	harness_send(&s, 3,
		     "#include <stdio.h>\n#include <stdlib.h>\nvoid run(void) { puts(\"go\"); for "
		     "(;;) free(malloc(100)); }",
		     NULL);
	harness_expect_output(&s, "go\n");
	assert_int_equal(harness_interrupt(&s), OUTCOME_INTERRUPTED);
	assert_int_equal(atomic_load(&s.control->allocator_busy), 0);
	harness_commit(&s);
	harness_send(&s, 4,
		     "#include <stdio.h>\n#include <stdlib.h>\nvoid run(void) { puts(\"go\"); "
		     "system(\"sleep 1000\"); puts(\"on\"); }",
		     NULL);
	harness_expect_output(&s, "go\n");
	assert_int_equal(harness_interrupt(&s), OUTCOME_INTERRUPTED);
}

static void test_input(void **state)
{
	(void)state;
	ok(1,
	   "#include <stdio.h>\nvoid run(void) { char b[64]; fgets(b, 64, stdin); printf(\"<%s>\", "
	   "b); }",
	   NULL);
	output_is("<typed text\n>");
}

static void test_fork_is_apart(void **state)
{
	static const char *const v[] = { "v", "int *", NULL };

	(void)state;
	ok(1,
	   "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\n"
	   "int *v; void run(void) { int st; v = malloc(4000); *v = 1; pid_t p = fork();\n"
	   "if (!p) { *v = 2; printf(\"child\"); exit(9); }\n"
	   "waitpid(p, &st, 0); printf(\"%d %d\", *v, WEXITSTATUS(st)); }",
	   v);
	output_is("1 9");
}

static void test_threads(void **state)
{
	(void)state;
	ok(1,
	   "#include <stdio.h>\n#include <pthread.h>\n#include <stdlib.h>\n"
	   "static void *work(void *a) { for (int i = 0; i < 2000; i++) free(malloc(i)); return "
	   "malloc(10); }\n"
	   "void run(void) { pthread_t t[4]; void *p[4]; for (int i = 0; i < 4; i++) "
	   "pthread_create(&t[i], 0, work, 0);\n"
	   "for (int i = 0; i < 4; i++) { pthread_join(t[i], &p[i]); free(p[i]); } "
	   "printf(\"done\"); }",
	   NULL);
	output_is("done");
	faults(2,
	       "#include <pthread.h>\nstatic void *work(void *a) { *(volatile int *)8 = 1; return "
	       "0; }\n"
	       "void run(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); "
	       "}",
	       FAULT_SEGMENTATION);
	assert_string_equal(s.control->fault.frames[0].name, "work");
}

static void test_lost_files(void **state)
{
	static const char *const f[] = { "f", "FILE *", NULL };

	(void)state;
	ok(1, "#include <stdio.h>\nFILE *f; void run(void) { f = fopen(\"/dev/null\", \"w\"); }",
	   f);
	harness_replace(&s);
	assert_string_equal(s.lost, "the open file /dev/null of cell 1\n");
	harness_commit(&s);
	harness_replace(&s);
	assert_string_equal(s.lost, "");
}

static void test_own_handler(void **state)
{
	(void)state;
	ok(1,
	   "#include <stdio.h>\n#include <signal.h>\n#include <setjmp.h>\nstatic sigjmp_buf b;\n"
	   "static void h(int n) { siglongjmp(b, n); }\n"
	   "void run(void) { signal(SIGSEGV, h); int n = sigsetjmp(b, 1); if (!n) *(volatile int "
	   "*)0 = 1; printf(\"%d\", n == SIGSEGV);\n"
	   "signal(SIGSEGV, SIG_DFL); }",
	   NULL);
	output_is("1");
}

static void test_fork_bomb(void **state)
{
	(void)state;
	faults(1, "#include <unistd.h>\nvoid run(void) { for (;;) fork(); }", FAULT_PROCESS_LIMIT);
	kill(-s.pid, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static int living_in_group(pid_t group)
{
	char path[300], state;
	struct dirent *e;
	int n = 0, of;
	DIR *proc = opendir("/proc");

	assert_non_null(proc);
	while ((e = readdir(proc))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		f = atoi(e->d_name) ? fopen(path, "r") : NULL;
		if (f && fscanf(f, "%*d (%*[^)]) %c %*d %d", &state, &of) == 2)
			n += of == group && state != 'Z';
		if (f)
			fclose(f);
	}
	closedir(proc);
	return n;
}

/* An interrupt ends the cell's children too, also one that hands on to its child again and again.
 * Never too many at a time. */
static void test_interrupt_ends_children(void **state)
{
	(void)state;
	harness_send(&s, 1,
		     "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/prctl.h>\n#include "
		     "<unistd.h>\n"
		     "void run(void) { prctl(PR_SET_CHILD_SUBREAPER, 1);\n"
		     "if (!fork()) for (;;) { if (fork()) _exit(0); usleep(100); }\n"
		     "puts(\"go\"); system(\"sleep 1000 & sleep 1000\"); }",
		     NULL);
	harness_expect_output(&s, "go\n");
	assert_int_equal(harness_interrupt(&s), OUTCOME_INTERRUPTED);
	harness_commit(&s);
	assert_int_equal(living_in_group(s.pid), 1);
	ok(2, "#include <stdio.h>\nvoid run(void) { printf(\"on\"); }", NULL);
}

#if HAVE_CUDA
static void test_device_memory(void **state)
{
	static const char *const d[] = { "d", "int *", NULL };

	(void)state;
	ok(1,
	   "#include <stdio.h>\nint cudaMalloc(void **, unsigned long), cudaMemcpy(void *, const "
	   "void *, unsigned long, int);\n"
	   "int *d; void run(void) { int a = 41; int r = cudaMalloc((void **)&d, 4000);\n"
	   "r += cudaMemcpy(d, &a, 4, 1); printf(\"%d\", r); }",
	   d);
	output_is("0");
	ok(2,
	   "#include <stdio.h>\nint cudaMemcpy(void *, const void *, unsigned long, int); extern "
	   "int *d;\n"
	   "void run(void) { int b = 0; cudaMemcpy(&b, d, 4, 2); printf(\"%d\", b + 1); }",
	   NULL);
	output_is("42");
	faults(3, "extern int *d; void run(void) { d[1] = 1; }", FAULT_SEGMENTATION);
	assert_int_equal(s.control->fault.what.owner, OWNER_DEVICE);
}
#endif

static void test_many_lines(void **state)
{
	(void)state;
	ok(1,
	   "#include <stdio.h>\nvoid run(void) { for (int i = 0; i < 100000; i++) printf(\"line "
	   "%d\\n\", i); }",
	   NULL);
	assert_non_null(strstr(buffer_text(&s.text), "line 99999\n"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_prints),
		TEST(test_keeps_state),
		TEST(test_redefines),
		TEST(test_variable_again),
		TEST(test_constructors),
		TEST(test_null),
		TEST(test_library_frame),
		TEST(test_freed_block),
		TEST(test_overrun),
		TEST(test_wild_and_code),
		TEST(test_stack_overflow),
		TEST(test_arithmetic_and_illegal),
		TEST(test_aborts),
		TEST(test_exits),
		TEST(test_out_of_memory),
		TEST(test_missing_symbols),
		TEST(test_interrupt_loop),
		TEST(test_interrupt_library),
		TEST(test_input),
		TEST(test_fork_is_apart),
		TEST(test_threads),
		TEST(test_lost_files),
		TEST(test_own_handler),
		TEST(test_fork_bomb),
		TEST(test_interrupt_ends_children),
#if HAVE_CUDA
		TEST(test_device_memory),
#endif
		TEST(test_many_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
