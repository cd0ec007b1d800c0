/* SPDX-License-Identifier: Apache-2.0 */
/* Real aarch64 objects, loaded and run by the loader in tests/unit/runtime/aarch64-host.c under
 * qemu-aarch64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"

#define GCC AARCH64_CC " -std=gnu17 -w"
#define FOR_AARCH64                                                                                \
	CLANG " --target=aarch64-linux-gnu --sysroot=/usr/aarch64-linux-gnu -std=gnu17 -w"

static char folder[] = "/tmp/cgpu-aarch64-XXXXXX";

static void put_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Compile each text into an object and load all into one session; what they print. Returns the exit
 * status. */
static int run(const char *compiler, const char *const *texts, struct buffer *ret)
{
	cleanup_buffer struct buffer command = BUFFER_INIT, objects = BUFFER_INIT;
	char part[4096], path[64];
	size_t n;
	FILE *p;

	for (unsigned i = 0; texts[i]; i++) {
		snprintf(path, sizeof(path), "%s/%u.c", folder, i);
		put_text(path, texts[i]);
		buffer_clear(&command);
		buffer_printf(&command, "%s -c -o %s/%u.o %s", compiler, folder, i, path);
		assert_int_equal(system(buffer_text(&command)), 0);
		buffer_printf(&objects, " %s/%u.o", folder, i);
	}
	buffer_clear(&command);
	buffer_printf(&command, QEMU " " HOST "%s 2>&1", buffer_text(&objects));
	p = popen(buffer_text(&command), "r");
	assert_non_null(p);
	while ((n = fread(part, 1, sizeof(part), p)) > 0)
		buffer_append(ret, part, n);
	return pclose(p);
}

static void check(const char *compiler, const char *const *texts, const char *output)
{
	cleanup_buffer struct buffer printed = BUFFER_INIT;

	if (run(compiler, texts, &printed) || strcmp(buffer_text(&printed), output))
		fail_msg("%s: '%s', not '%s'", compiler, buffer_text(&printed), output);
}

static void refused_of(const char *compiler, const char *text, const char *why)
{
	cleanup_buffer struct buffer printed = BUFFER_INIT;

	assert_int_not_equal(run(compiler, (const char *const[]){ text, NULL }, &printed), 0);
	if (!strstr(buffer_text(&printed), why))
		fail_msg("'%s' says nothing of '%s'", buffer_text(&printed), why);
}

static void refused(const char *text, const char *why)
{
	refused_of(GCC " -O1 -fPIC", text, why);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static const char *const compilers[] = {
	GCC " -O2 -fPIC",
	GCC " -O0 -fPIC",
	GCC " -O1 -fPIC -fdata-sections -ffunction-sections",
	GCC " -O2 -fPIC -mcmodel=large -fno-pic",
	FOR_AARCH64 " -O2 -fPIC",
	FOR_AARCH64 " -O0 -fPIC -fno-plt",
	FOR_AARCH64 " -O2 -fPIC -fsemantic-interposition -fdata-sections",
};

static void check_all(const char *const *texts, const char *output)
{
	for (unsigned i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++)
		check(compilers[i], texts, output);
}

/* Loads and stores of all widths, calls, a jump table, pointers in data, constants, a large array,
 * zeroed memory. */
static void test_one_unit(void **state)
{
	static const char *const texts[] = {
		"int printf(const char *, ...); void *memset(void *, int, unsigned long); void "
		"qsort();\n"
		"char c = 1; short h = 2; int w = 3; long d = 4; static double x = 5.5; static "
		"long double q = 6.25L, r;\n"
		"static const char *const words[] = { \"zero\", \"one\", \"two\" }; static int "
		"zero[50]; long big[100000];\n"
		"static const double table[] = { 1.5, 2.5, 3.5, 4.5 };\n"
		"static int less(const void *a, const void *b) { return *(const int *)a - *(const "
		"int *)b; }\n"
		"__attribute__((noinline)) static int pick(int i) {\n"
		"switch (i) { case 0: return c; case 1: return h * 10; case 2: return w + i; case "
		"3: return (int)d; case 4: return 44;\n"
		"case 5: return zero[i] + 7; default: return -1; } }\n"
		"void run(void) { int sum = 0, sort[] = { 3, 1, 2 }; c++; h++; w++; d++; x *= 2; r "
		"= q; big[99999] = 9;\n"
		"for (int i = 0; i < 7; i++) sum += pick(i) * (i + 1); qsort(sort, 3, 4, less); "
		"memset(zero, 1, 4);\n"
		"printf(\"%d %s %g %Lg %ld %d%d%d %x %g\\n\", sum, words[2], x, r, big[99999] + "
		"big[0], sort[0], sort[1], sort[2],\n"
		"zero[0], table[c]); }",
		NULL
	};

	(void)state;
	check_all(texts, "355 two 11 6.25 9 123 1010101 3.5\n");
}

/* A later definition reaches the earlier unit; a variable of the same type keeps its place. */
static void test_units_that_use_each_other(void **state)
{
	static const char *const texts[] = {
		"int printf(const char *, ...); int shared[4] = { 1, 2, 3, 4 }; int *place = "
		"shared; int f(int x) { return x + 1; }\n"
		"int g(int x) { return f(x) * 10 + shared[0]; } int (*pointer)(int) = f; void "
		"run(void) { printf(\"%d \", g(1)); }",
		"int printf(const char *, ...); extern int shared[4]; int g(int); int f(int x) { "
		"return x + 2; }\n"
		"void run(void) { shared[0] = 5; printf(\"%d \", g(1)); }",
		"int printf(const char *, ...); int shared[4] = { 9 }; extern int *place; int "
		"g(int);\n"
		"void run(void) { printf(\"%d %d %d\\n\", g(1), place == shared, *place); }",
		NULL
	};

	(void)state;
	/* The compiler may not take a function that can be replaced for the one that it sees. */
	check(GCC " -O1 -fPIC -fno-inline -fdata-sections -fsemantic-interposition", texts,
	      "21 35 39 1 9\n");
	check(FOR_AARCH64 " -O2 -fPIC -fdata-sections -fsemantic-interposition", texts,
	      "21 35 39 1 9\n");
}

static void test_starts(void **state)
{
	static const char *const texts[] = {
		"int printf(const char *, ...);\n"
		"__attribute__((constructor)) static void b(void) { printf(\"b \"); }\n"
		"__attribute__((constructor(200))) static void a(void) { printf(\"a \"); }\n"
		"static int two(void) { return 2; } static void *choose(void) { return two; }\n"
		"int chosen(void) __attribute__((ifunc(\"choose\"))); int nowhere(void) "
		"__attribute__((weak));\n"
		"_Alignas(65536) char aligned[8]; static const _Alignas(16384) char constant[4] = "
		"\"abc\";\n"
		"void run(void) { printf(\"%d %d %d\\n\", chosen(), nowhere != 0, (int)((unsigned "
		"long)aligned % 65536 |\n"
		"(unsigned long)constant % 16384)); }",
		NULL
	};

	(void)state;
	check_all(texts, "a b 2 0 0\n");
}

static void test_what_is_refused(void **state)
{
	(void)state;
	refused("void nowhere(void); void run(void) { nowhere(); }",
		"'nowhere' is declared but defined nowhere");
	refused("__attribute__((tls_model(\"local-exec\"))) _Thread_local int x; int *volatile p; "
		"void run(void) { p = &x; }",
		"'x' is thread-local, and the object wants it at a fixed distance from the thread "
		"pointer");
	refused("__attribute__((tls_model(\"initial-exec\"))) _Thread_local int x; int *volatile "
		"p; void run(void) { p = &x; }",
		"'x' is thread-local, and the object wants it at a fixed distance from the thread "
		"pointer");
	refused("extern _Thread_local int x; int *volatile p; void run(void) { p = &x; }",
		"'x' is declared but defined nowhere");
	refused_of(GCC " -O1 -fPIC -mcmodel=tiny", "int x; void run(void) { x = 1; }",
		   "'x' is out of reach of its reference; compile the object with -fPIC, and "
		   "without -mcmodel=tiny");
}

#define THREADS                                                                                    \
	"int printf(const char *, ...); typedef unsigned long pthread_t;\n"                        \
	"int pthread_create(pthread_t *, const void *, void *(*)(void *), void *), "               \
	"pthread_join(pthread_t, void **);\n"

static const char *const models[] = {
	GCC " -O2 -fPIC",
	GCC " -O0 -fPIC",
	GCC " -O2 -fPIC -mtls-dialect=trad",
	GCC " -O1 -fPIC -fdata-sections -fno-section-anchors",
	FOR_AARCH64 " -O2 -fPIC",
	FOR_AARCH64 " -O0 -fPIC",
	FOR_AARCH64 " -O2 -fPIC -femulated-tls",
};

/* Another thread starts with the initial values and leaves the cell's own alone; earlier units find
 * a new definition. */
static void test_thread_local(void **state)
{
	static const char *const texts[] = {
		THREADS
		"_Thread_local int value = 40; _Thread_local long zero; static _Thread_local char "
		"name[5000];\n"
		"_Thread_local int array[3] = { 1, 2, 3 }; static _Thread_local int *pointer = "
		"&(int){ 9 };\n"
		"static _Thread_local _Alignas(64) char line[64];\n"
		"int count(void) { static _Thread_local int n = 10; return ++n; }\n"
		"double mix(double a, double b, double c) { return a * value + b * zero + c * "
		"array[2]; }\n"
		"int total(void) { return value + (int)zero + name[4999] + array[2] + *pointer + "
		"count() + (unsigned long)line % 64; }\n"
		"static void *other(void *p) { *(int *)p = total(); value = zero = name[4999] = "
		"array[2] = 100; count(); return 0; }\n"
		"void run(void) { int there[2]; pthread_t t[2]; value++; zero += 5; name[4999] = "
		"7; array[2] = 1000;\n"
		"for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, other, &there[i]);\n"
		"for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n"
		"printf(\"%d %d %d %g\\n\", total(), there[0], there[1], mix(1, 2, 0.5)); }",
		THREADS "extern _Thread_local int value, array[3]; extern _Thread_local long zero; "
			"int total(void), count(void);\n"
			"static void *other(void *p) { zero = 3; *(int *)p = value + array[1] + "
			"total(); return 0; }\n"
			"void run(void) { int there; pthread_t t; pthread_create(&t, 0, other, "
			"&there); pthread_join(t, 0);\n"
			"printf(\"%d %d %d %ld \", there, value, array[2], zero); array[2] = 0; "
			"printf(\"%d %d\\n\", total(), count()); }",
		"int printf(const char *, ...); _Thread_local int value = 1; int total(void);\n"
		"void run(void) { printf(\"%d\\n\", total()); }",
		NULL
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		check(models[i], texts, "1073 63 63 551\n108 41 1000 5 74 13\n36\n");
}

static void test_registers_are_kept(void **state)
{
	static const char *const texts[] = { "#include \"" REGISTERS "\"\n", NULL };

	(void)state;
	check(GCC " -O1 -fPIC", texts, "0 changed\n0 changed\n");
	check(FOR_AARCH64 " -O1 -fPIC", texts, "0 changed\n0 changed\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_unit),
		cmocka_unit_test(test_units_that_use_each_other),
		cmocka_unit_test(test_starts),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_thread_local),
		cmocka_unit_test(test_registers_are_kept),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
