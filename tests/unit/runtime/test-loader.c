/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as compilers make them, of C and C++, in a real worker: what the loader has to understand
 * of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory/arena-layout.h"
#include "tests/unit/runtime/worker-harness.h"

#define PLAIN_C CC " -std=gnu17 -O1 -w -fPIC"
#define PLAIN_CPP CXX " -x c++ -std=gnu++17 -O1 -w -fPIC"

static struct session_process s;

static int set_up(void **state)
{
	(void)state;
	harness_compiler = PLAIN_C;
	harness_start(&s, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	harness_compiler = HARNESS_C;
	harness_program = 0;
	harness_stop(&s);
	return 0;
}

static void ok(uint32_t cell, const char *text, const char *const *types)
{
	harness_ok(&s, cell, text, types);
}

static void prints(uint32_t cell, const char *text, const char *output)
{
	ok(cell, text, NULL);
	assert_string_equal(buffer_text(&s.text), output);
}

static void refused(uint32_t cell, const char *text, const char *why)
{
	const struct fault_record *f = &s.control->fault;

	assert_int_not_equal(harness_cell(&s, cell, text, NULL), OUTCOME_OK);
	if (!strstr(f->text, why))
		fail_msg("'%s' says nothing of '%s'", f->text, why);
}

/* Highest priority first, and those without one last, whatever the order of the sections. */
static void test_constructors_in_order(void **state)
{
	(void)state;
	prints(1,
	       "#include <stdio.h>\n"
	       "__attribute__((constructor)) static void d(void) { printf(\"last \"); }\n"
	       "__attribute__((constructor(300))) static void c(void) { printf(\"300 \"); }\n"
	       "__attribute__((constructor(101))) static void a(void) { printf(\"101 \"); }\n"
	       "__attribute__((constructor(1000))) static void e(void) { printf(\"1000 \"); }\n"
	       "__attribute__((constructor(101))) static void b(void) { printf(\"101b \"); }\n"
	       "void run(void) { printf(\"run\"); }",
	       "101 101b 300 1000 last run");
}

static void test_function_chosen_at_load(void **state)
{
	(void)state;
	prints(1,
	       "#include <stdio.h>\n"
	       "static int one(void) { return 1; }\nstatic int two(void) { return 2; }\n"
	       "static volatile int wanted = 2;\n"
	       "static void *choose(void) { return wanted == 2 ? two : one; }\n"
	       "int chosen(void) __attribute__((ifunc(\"choose\")));\n"
	       "static int hidden(void) __attribute__((ifunc(\"choose\")));\n"
	       "int (*pointer)(void) = chosen;\n"
	       "__attribute__((constructor)) static void early(void) { printf(\"%d \", chosen()); "
	       "}\n"
	       "void run(void) { printf(\"%d %d %d\", chosen(), hidden(), pointer()); }",
	       "2 2 2 2");
	prints(2,
	       "#include <stdio.h>\nint chosen(void); void run(void) { printf(\"%d\", chosen()); }",
	       "2");
}

#if defined(__x86_64__)
static void test_function_for_this_processor(void **state)
{
	(void)state;
	prints(1,
	       "#include <stdio.h>\n__attribute__((target_clones(\"avx2\", \"default\"))) int "
	       "sum(const int *p, int n) {\n"
	       "int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n"
	       "void run(void) { int a[] = { 1, 2, 3 }; printf(\"%d %d\", sum(a, 3), "
	       "!!__builtin_cpu_supports(\"sse2\")); }",
	       "6 1");
}

/* Everything 64 bits wide: the code reaches its own data and functions by distances from the GOT.
 */
static void test_large_code_model(void **state)
{
	static const char *const text =
		"#include <stdio.h>\nstatic int table[100] = { 7, 8 }; int shared = 5; static int "
		"zero[50];\n"
		"__attribute__((noinline)) static int inner(int i) { return table[i] + zero[i]; }\n"
		"int (*pointer)(int) = inner;\n"
		"void run(void) { printf(\"%d %d %d\", inner(1), shared, pointer(0)); }";

	(void)state;
	harness_compiler = PLAIN_C " -mcmodel=large";
	prints(1, text, "8 5 7");
	harness_compiler = PLAIN_C " -mcmodel=medium -mlarge-data-threshold=16";
	prints(2, text, "8 5 7");
}

static void test_reference_that_does_not_reach(void **state)
{
	(void)state;
	harness_compiler = CC " -std=gnu17 -O1 -w -fno-pic -mcmodel=small";
	refused(1, "int table[100]; int *volatile p; void run(void) { p = table; }", "-fPIC");
}

static void test_older_version_of_a_function(void **state)
{
	(void)state;
	/* glibc 2.14 gave memcpy() a new version and kept the old one, which may overlap. */
	prints(1,
	       "#include <stdio.h>\n#include <string.h>\n"
	       "__asm__(\".symver old_memcpy, memcpy@GLIBC_2.2.5\");\n"
	       "__asm__(\".symver new_memcpy, memcpy@GLIBC_2.14\");\n"
	       "void *old_memcpy(void *, const void *, size_t), *new_memcpy(void *, const void *, "
	       "size_t);\n"
	       "void run(void) { char a[4] = \"\", b[4] = \"\"; old_memcpy(a, \"old\", 4); "
	       "new_memcpy(b, \"new\", 4);\n"
	       "printf(\"%s %s %d %d\", a, b, old_memcpy == new_memcpy, new_memcpy == memcpy); }",
	       "old new 0 1");
	refused(2,
		"__asm__(\".symver f, memcpy@GLIBC_1.0\"); void f(void); void run(void) { f(); }",
		"'memcpy@GLIBC_1.0'");
}
#endif

static void test_native_thread_local(void **state)
{
	static const char *const *none = NULL;

	(void)state;
	ok(1,
	   "#include <stdio.h>\n#include <pthread.h>\n"
	   "_Thread_local int shared = 40; _Thread_local char name[100]; static _Thread_local int "
	   "mine = 2;\n"
	   "static _Thread_local int *pointer_to_constant = &(int){ 9 };\n"
	   "int total(void) { return shared + mine + name[3]; }\n"
	   "static void *other(void *p) { *(int *)p = total(); shared = mine = 1000; return 0; }\n"
	   "void run(void) { int in_thread = 0; pthread_t t; mine++; name[3] = 100;\n"
	   "pthread_create(&t, 0, other, &in_thread); pthread_join(t, 0);\n"
	   "printf(\"%d %d\", total(), in_thread); }",
	   none);
	assert_string_equal(buffer_text(&s.text), "143 42");
	/* Another unit, of the same model and of the emulated one. */
	prints(2,
	       "#include <stdio.h>\nextern _Thread_local int shared; extern _Thread_local char "
	       "name[]; int total(void);\n"
	       "void run(void) { shared = 50; printf(\"%d %d\", name[3], total()); }",
	       "100 153");
	harness_compiler = CLANG " -std=gnu17 -O1 -w -fPIC -femulated-tls";
	prints(3,
	       "#include <stdio.h>\nextern _Thread_local int shared; _Thread_local int emulated = "
	       "6;\n"
	       "void run(void) { shared++; printf(\"%d\", shared); }",
	       "51");
	harness_compiler = PLAIN_C;
	prints(4,
	       "#include <stdio.h>\nextern _Thread_local int shared, emulated;\n"
	       "void run(void) { printf(\"%d %d\", shared, ++emulated); }",
	       "51 7");
	/* It is session memory. */
	assert_int_not_equal(harness_cell(&s, 5,
					  "extern _Thread_local int shared; void run(void) { "
					  "shared = 0; *(volatile int *)0 = 0; }",
					  NULL),
			     OUTCOME_OK);
	harness_replace(&s);
	prints(6,
	       "#include <stdio.h>\nextern _Thread_local int shared, emulated;\n"
	       "void run(void) { printf(\"%d %d\", shared, emulated); }",
	       "51 7");
	/* Defined anew, it starts anew, also for units that know it already. */
	ok(7, "_Thread_local int shared = 1;", NULL);
	prints(8,
	       "#include <stdio.h>\nint total(void); extern _Thread_local int shared;\n"
	       "void run(void) { printf(\"%d %d\", shared, total()); }",
	       "1 104");
	refused(9,
		"static __attribute__((tls_model(\"local-exec\"))) _Thread_local int x; int "
		"*volatile p;\n"
		"void run(void) { p = &x; }",
		"thread-local");
}

static void test_thread_local_of_a_library(void **state)
{
	(void)state;
	harness_compiler = PLAIN_CPP;
	prints(1,
	       "#include <cstdio>\n#include <mutex>\n#include <future>\nstatic std::once_flag "
	       "flag; static int n;\n"
	       "extern \"C\" void run(void) { for (int i = 0; i < 3; i++) std::call_once(flag, [] "
	       "{ n++; });\n"
	       "auto f = std::async(std::launch::async, [] { return 41 + n; }); printf(\"%d %d\", "
	       "n, f.get()); }",
	       "1 42");
	harness_replace(&s);
	harness_compiler = CLANG "++ -x c++ -std=gnu++17 -O1 -w -fPIC -femulated-tls";
	prints(2,
	       "#include <cstdio>\n#include <mutex>\nstatic std::once_flag flag; static int n;\n"
	       "extern \"C\" void run(void) { for (int i = 0; i < 3; i++) std::call_once(flag, [] "
	       "{ n++; });\n"
	       "printf(\"%d\", n); }",
	       "1");
}

static void test_common_and_alignment(void **state)
{
	(void)state;
	harness_compiler = PLAIN_C " -fcommon";
	prints(1,
	       "#include <stdio.h>\n#include <stdint.h>\nint common[10]; double other;\n"
	       "_Alignas(64) char line[3]; _Alignas(65536) char huge[10]; static _Alignas(4096) "
	       "char page[1];\n"
	       "static const _Alignas(32768) char constant[5] = \"abcd\"; char one;\n"
	       "void run(void) { page[0] = 1; common[9] = 4; printf(\"%d %d\", ((uintptr_t)line % "
	       "64 | (uintptr_t)huge % 65536 |\n"
	       "(uintptr_t)page % 4096 | (uintptr_t)constant % 32768 | (uintptr_t)&other % 8) == "
	       "0, common[9] + common[0]); }",
	       "1 4");
	/* Another unit's tentative definition is the same variable. */
	prints(2,
	       "#include <stdio.h>\nextern int common[10]; void run(void) { printf(\"%d\", "
	       "common[9]); }",
	       "4");
}

static void test_weak_symbols(void **state)
{
	static const char *const strong[] = { "f", "int (void)", NULL };

	(void)state;
	prints(1,
	       "#include <stdio.h>\nextern int nowhere(void) __attribute__((weak)); extern int "
	       "data_nowhere __attribute__((weak));\n"
	       "__attribute__((weak)) int f(void) { return 1; }\n"
	       "void run(void) { printf(\"%d %d %d\", nowhere != 0, &data_nowhere != 0, f()); }",
	       "0 0 1");
	ok(2, "int f(void) { return 2; }", strong);
	prints(3,
	       "#include <stdio.h>\n__attribute__((weak)) int f(void) { return 3; }\n"
	       "void run(void) { printf(\"%d\", f()); }",
	       "3");
	prints(4, "#include <stdio.h>\nint f(void); void run(void) { printf(\"%d\", f()); }", "2");
}

/* Units, the newest first; then what the worker has in place of libraries; then libraries. */
static void test_order_of_looking(void **state)
{
	static const char *const puts_type[] = { "puts", "int (const char *)", NULL };

	(void)state;
	prints(1, "#include <stdio.h>\nvoid run(void) { puts(\"library\"); }", "library\n");
	ok(2,
	   "int printf(const char *, ...); int puts(const char *t) { return printf(\"unit %s\", "
	   "t); }",
	   puts_type);
	prints(3, "#include <stdio.h>\nvoid run(void) { puts(\"2\"); }", "unit 2");
	ok(4,
	   "int printf(const char *, ...); int puts(const char *t) { return printf(\"newer %s\", "
	   "t); }",
	   puts_type);
	prints(5, "#include <stdio.h>\nvoid run(void) { puts(\"4\"); }", "newer 4");
	/* exit() of libc would end the process without a word. */
	refused(6, "#include <stdlib.h>\nvoid run(void) { exit(3); }", "");
	assert_int_equal(atomic_load(&s.control->fault.kind), FAULT_EXITED);
}

static void test_undefined(void **state)
{
	(void)state;
	refused(1,
		"int nowhere(void); extern int nothing; extern _Thread_local int none;\n"
		"void run(void) { nowhere(); nothing = none; }",
		"are declared but defined nowhere");
	assert_non_null(strstr(s.control->fault.text, "'nowhere'"));
	assert_non_null(strstr(s.control->fault.text, "'nothing'"));
	assert_non_null(strstr(s.control->fault.text, "'none'"));
}

/*
 * Both units have their own code and classes of what C++ makes in each that uses it: classes of one
 * name need not be the same. A variable is there once.
 */
static void test_comdat_groups(void **state)
{
	(void)state;
	harness_compiler = PLAIN_CPP;
	prints(1,
	       "#include <cstdio>\nstruct S { int a[4]; virtual int get() { return sizeof *this; } "
	       "};\n"
	       "inline int size() { return sizeof(S); } inline int kept = 1;\n"
	       "template <class T> T twice(T x) { static int calls; calls++; return 2 * x + calls; "
	       "}\n"
	       "extern \"C\" int first() { return size() + kept; }\n"
	       "extern \"C\" void run() { S s; S *p = &s; printf(\"%d %d %d %g\", p->get(), "
	       "size(), twice(3), twice(1.5)); }",
	       "24 24 7 4");
	prints(2,
	       "#include <cstdio>\nstruct S { virtual int get() { return 1; } };\ninline int "
	       "size() { return sizeof(S); }\n"
	       "inline int kept = 100; extern \"C\" int first();\n"
	       "extern \"C\" void run() { S s; S *p = &s; printf(\"%d %d %d %d\", p->get(), "
	       "size(), first(), kept); }",
	       "1 8 25 1");
}

static void test_exceptions_in_every_worker(void **state)
{
	static const char *const text =
		"#include <cstdio>\n#include <stdexcept>\n#include <string>\nint depth(int n);\n"
		"extern \"C\" void run() { try { depth(20); } catch (const std::runtime_error &e) "
		"{ printf(\"%s\", e.what()); } }";

	(void)state;
	harness_compiler = PLAIN_CPP;
	ok(1,
	   "#include <stdexcept>\n#include <string>\nstruct Count { static int n; ~Count() { n++; "
	   "} }; int Count::n;\n"
	   "int depth(int n) { Count c; if (!n) throw std::runtime_error(\"at \" + "
	   "std::to_string(Count::n)); return depth(n - 1) + 1; }",
	   NULL);
	prints(2, text, "at 0");
	prints(3, text, "at 21");
	harness_replace(&s); /* which maps the units and knows their tables */
	prints(4, text, "at 42");
}

static void test_uncaught(void **state)
{
	const struct fault_record *f = &s.control->fault;

	(void)state;
	harness_compiler = PLAIN_CPP;
	refused(1,
		"#include <stdexcept>\nextern \"C\" void run() { throw std::logic_error(\"no "
		"one\"); }",
		"std::logic_error: no one");
	assert_int_equal(atomic_load(&f->kind), FAULT_UNCAUGHT_EXCEPTION);
	harness_replace(&s);
	refused(2,
		"#include <stdexcept>\nstruct E : std::exception {}; E e; extern \"C\" void run() "
		"{ throw &e; }",
		"E*");
	harness_replace(&s);
	refused(3,
		"namespace deep { template <class T> struct Odd {}; }\nextern \"C\" void run() { "
		"throw deep::Odd<int>(); }",
		"deep::Odd<int>");
	assert_string_equal(f->text, "deep::Odd<int>");
}

static uint64_t top_of_code(void)
{
	struct arena_header h;

	assert_int_equal(pread(s.arena, &h, sizeof(h), 0), sizeof(h));
	return h.top[ARENA_CODE];
}

static void runs_as(uint32_t cell, const char *text, const char *output, uint32_t replaces)
{
	prints(cell, text, output);
	assert_int_equal(s.replaces, replaces);
}

/* Nothing is left over, and pointers into the earlier run mean the same. */
static void test_code_of_a_cell_that_is_run_again(void **state)
{
	static const char *const text = "#include <stdio.h>\nint total = 10; int add(int n) { "
					"return total += n; } int (*pointer)(int) = add;\n"
					"void run(void) { printf(\"%d\", add(1)); }";
	static const char *const keep = "#include <stdio.h>\nint add(int); int (*kept)(int) = add; "
					"void run(void) { printf(\"%d\", kept == add); }";
	uint64_t top;

	(void)state;
	harness_compiler = HARNESS_C;
	runs_as(1, text, "11", 0);
	runs_as(2, keep, "1", 0);
	top = top_of_code();
	runs_as(3, text, "11", 1);
	runs_as(4, text, "11", 3);
	assert_int_equal(top_of_code(), top);
	runs_as(5,
		"#include <stdio.h>\nint add(int); extern int (*kept)(int), (*pointer)(int); int "
		"n(void) { return pointer(5); }\n"
		"void run(void) { printf(\"%d %d %d\", kept == add, kept == pointer, n()); }",
		"1 1 16", 0);
	/* What a function means now decides, and not what it was when the code was made. */
	runs_as(6, "int add(int n) { return -n; }", "", 0);
	runs_as(7, text, "11", 4);
	harness_replace(&s);
	runs_as(8, text, "11", 7);
	assert_int_equal(atomic_load(&s.control->fault.kind), FAULT_NONE);
}

/* Constants that are given a new value lie in the code of the unit that had them first. */
static void test_constants_of_a_cell_that_is_run_again(void **state)
{
	static const char *const text =
		"#include <stdio.h>\nconst int limit = 3; const int *at(void) { return &limit; }\n"
		"void run(void) { printf(\"%d\", *at()); }";
	uint64_t top;

	(void)state;
	harness_compiler = HARNESS_C;
	runs_as(1, text, "3", 0);
	runs_as(2, "const int limit = 4;", "", 0);
	runs_as(3, text, "3", 0);
	top = top_of_code();
	runs_as(4, "const int limit = 5;", "", 0);
	runs_as(5, text, "3", 3);
	assert_int_equal(top_of_code(), top);
}

/* Static variables of functions, as compound literals of statements, are other objects in each run.
 */
static void test_static_objects_of_a_cell_that_is_run_again(void **state)
{
	static const char *const text = "#include <stdio.h>\nextern int *before; int *next(void) { "
					"static int n; n++; return &n; }\n"
					"void run(void) { printf(\"%d \", next() == before); "
					"before = next(); printf(\"%d\", *before); }";

	(void)state;
	harness_compiler = HARNESS_C;
	ok(1, "int *before;", NULL);
	runs_as(2, text, "0 2", 0);
	runs_as(3, text, "0 2", 0);
	runs_as(4, text, "0 2", 0);
}

/* The text is the same each time, what its name means is not. */
static void test_code_that_is_linked_to_another_variable(void **state)
{
	static const char *const text =
		"#include <stdio.h>\nextern char x[]; char *where(void) { return x; }\n"
		"void run(void) { printf(\"%d\", where()[0]); }";
	uint64_t top;

	(void)state;
	harness_compiler = HARNESS_C;
	ok(1, "char x[4] = { 1 };", NULL);
	runs_as(2, text, "1", 0);
	ok(3, "char x[8] = { 2 };", NULL);
	runs_as(4, text, "2", 0);
	top = top_of_code();
	/* Of its earlier type again, the name has the earlier place again. */
	ok(5, "char x[4] = { 3 };", NULL);
	runs_as(6, text, "3", 2);
	ok(7, "char x[8] = { 4 };", NULL);
	runs_as(8, text, "4", 4);
	assert_int_equal(top_of_code(), top);
}

/* A failed run leaves the unit to the run before it. */
static void test_failed_run_of_the_same_code(void **state)
{
	static const char *const text =
		"extern int bad; void run(void) { if (bad) *(volatile int *)0 = 1; }";

	(void)state;
	harness_compiler = HARNESS_C;
	ok(1, "extern int bad; int bad; int *set(void) { return &bad; }", NULL);
	ok(2, text, NULL);
	ok(3, "int *set(void); void run(void) { *set() = 1; }", NULL);
	assert_int_not_equal(harness_cell(&s, 4, text, NULL), OUTCOME_OK);
	assert_int_equal(s.control->fault.frames[0].cell, 4);
	harness_replace(&s);
	ok(5, "int *set(void); void run(void) { *set() = 0; }", NULL);
	runs_as(6, text, "", 2);
}

static void runs_program(uint32_t cell, const char *format, const char *output, uint32_t replaces)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	buffer_printf(&text, format, cell);
	harness_compiler = PLAIN_CPP;
	harness_program = 77;
	runs_as(cell, buffer_text(&text), output, replaces);
	harness_compiler = PLAIN_C;
	harness_program = 0;
}

/* Its constants have the number of the cell in them; all that is static begins anew where it was.
 */
static void test_program_that_is_run_again(void **state)
{
	static const char *const text =
		"#include <cstdio>\n#include <cstdlib>\n"
		"struct Loud { int n; Loud(int n) : n(n) { printf(\"+%%d \", n); } ~Loud() { "
		"printf(\"-%%d \", n); n = 0; } };\n"
		"static int counts[30000], hundred[] = { 100, 101 }; static Loud one(1); inline "
		"Loud two(2);\n"
		"static int *at = hundred + 1;\n"
		"static void bye() { printf(\"bye \"); }\n"
		"struct Early { Early() { atexit(bye); } } early;\n"
		"extern \"C\" int next(void) { static Loud three(3);\n"
		"return ++counts[29999] + ++hundred[0] + *at + one.n + two.n + three.n; }\n"
		"static const unsigned number[] = { %u }; static const unsigned *volatile in_data "
		"= number;\n"
		"extern \"C\" void run() { printf(\"%%d In[%%u]\", next(), *in_data); }";
	static const char *const once =
		"#include <stdio.h>\nint next(void); void run(void) { printf(\"%d\", next()); }";
	char wanted[64];
	uint64_t top;

	(void)state;
	runs_program(1, text, "+1 +2 +3 209 In[1]", 0);
	prints(2, once, "211");
	top = top_of_code();
	for (uint32_t cell = 3; cell < 6; cell++) {
		snprintf(wanted, sizeof(wanted), "-3 bye -2 -1 +1 +2 +3 209 In[%u]", cell);
		runs_program(cell, text, wanted, cell > 3 ? cell - 1 : 1);
	}
	assert_int_equal(top_of_code(), top);
	harness_replace(&s);
	prints(6, once, "211");
	runs_program(7, text, "-3 bye -2 -1 +1 +2 +3 209 In[7]", 5);
}

/* Code that is linked in another way is another unit, whatever the compiler says, and what there is
 * stays as it is. */
static void test_program_whose_code_is_another(void **state)
{
	(void)state;
	runs_program(1,
		     "static int n[] = { 5 }; int *p = n; extern \"C\" void run() { ++*p; } // %u",
		     "", 0);
	prints(2,
	       "#include <stdio.h>\nextern int *p; int *kept; void run(void) { kept = p; "
	       "printf(\"%d\", *kept); }",
	       "6");
	runs_program(3, "static int n[] = { 5 }; int *p = n; extern \"C\" void run() { *p -= %u; }",
		     "", 0);
	prints(4,
	       "#include <stdio.h>\nextern int *p, *kept; void run(void) { printf(\"%d %d\", "
	       "*kept, *p); }",
	       "6 2");
}

/* Destructors of thread-local objects run before their memory goes. */
static void test_thread_local_objects(void **state)
{
	(void)state;
	harness_compiler = CLANG "++ -x c++ -std=gnu++17 -O1 -w -fPIC -femulated-tls";
	prints(1,
	       "#include <cstdio>\n#include <string>\n#include <thread>\n"
	       "struct Loud { std::string s = std::string(50, 'x'); ~Loud() { printf(\"%zu \", "
	       "s.size()); } };\n"
	       "thread_local Loud loud;\n"
	       "extern \"C\" void run() { for (int i = 0; i < 2; i++) { std::thread t([i] { loud.s "
	       "+= std::string(i, 'y'); }); t.join(); } printf(\"%zu\", loud.s.size()); }",
	       "50 51 50");
}

static void test_pure_virtual_call(void **state)
{
	(void)state;
	harness_compiler = PLAIN_CPP;
	refused(1,
		"struct B { B() { g(); } void g() { f(); } virtual void f() = 0; }; struct D : B { "
		"void f() override {} };\n"
		"extern \"C\" void run() { D d; }",
		"pure virtual");
	assert_int_equal(atomic_load(&s.control->fault.kind), FAULT_ABORTED);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_constructors_in_order),
		TEST(test_function_chosen_at_load),
#if defined(__x86_64__)
		TEST(test_function_for_this_processor),
		TEST(test_large_code_model),
		TEST(test_reference_that_does_not_reach),
		TEST(test_older_version_of_a_function),
#endif
		TEST(test_native_thread_local),
		TEST(test_thread_local_of_a_library),
		TEST(test_common_and_alignment),
		TEST(test_weak_symbols),
		TEST(test_order_of_looking),
		TEST(test_undefined),
		TEST(test_comdat_groups),
		TEST(test_exceptions_in_every_worker),
		TEST(test_uncaught),
		TEST(test_thread_local_objects),
		TEST(test_pure_virtual_call),
		TEST(test_code_of_a_cell_that_is_run_again),
		TEST(test_constants_of_a_cell_that_is_run_again),
		TEST(test_static_objects_of_a_cell_that_is_run_again),
		TEST(test_code_that_is_linked_to_another_variable),
		TEST(test_failed_run_of_the_same_code),
		TEST(test_program_that_is_run_again),
		TEST(test_program_whose_code_is_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
