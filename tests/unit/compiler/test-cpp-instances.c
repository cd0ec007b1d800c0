/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instances of templates that cells have used come to stand in a precompiled header, by names that
 * lead to them in another tree; what that cannot have does not keep the others out.
 */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/code/unit.h"
#include "config.h"
#include "tests/unit/compiler/compiler-fixture.h"

#define HEADERS                                                                                    \
	"#include <algorithm>\n#include <array>\n#include <bitset>\n#include <chrono>\n#include "  \
	"<functional>\n"                                                                           \
	"#include <iostream>\n#include <iterator>\n#include <map>\n#include <memory>\n#include "   \
	"<optional>\n"                                                                             \
	"#include <sstream>\n#include <string>\n#include <variant>\n#include <vector>\n"
/* Types, numbers, templates and packs as arguments; operators, constructors, members of members,
 * functions by their address. */
#define USES(n)                                                                                    \
	"std::map<std::string, std::vector<std::pair<int, double>>> m" n "; m" n                   \
	"[\"a\"].emplace_back(1, 2.0);\n"                                                          \
	"std::function<int(int)> f" n " = std::negate<int>(); f" n "(3);\n"                        \
	"std::unique_ptr<int, void (*)(void *)> u" n "(nullptr, free); auto s" n                   \
	" = std::make_shared<std::string>(\"q\");\n"                                               \
	"std::array<int, 4> a" n "{4, 3, 2, 1}; std::sort(a" n ".begin(), a" n ".end());\n"        \
	"std::variant<int, std::string> v" n " = \"v\"; v" n                                       \
	" = 3; std::optional<std::vector<int>> o" n "; o" n ".emplace(3, 1);\n"                    \
	"std::bitset<9> b" n "(5); b" n ".to_string(); std::chrono::milliseconds t" n "(5); t" n   \
	" += std::chrono::seconds(1);\n"                                                           \
	"std::map<int, int> c" n "; c" n ".clear(); std::stringstream x" n "; x" n                 \
	" << 3 << ' ' << 2.5;\n"
/* Clang has no such operator where the header is made. */
#define REFUSED                                                                                    \
	"namespace std { ostream &operator<<(ostream &o, const vector<int> &) { return o; } }\n"   \
	"std::vector<std::vector<int>> lists(2);\n"                                                \
	"std::copy(lists.begin(), lists.end(), "                                                   \
	"std::ostream_iterator<std::vector<int>>(std::cout));\n"

static void run(struct compiler *c, uint32_t cell, const char *text)
{
	struct compile_request request = { .cell = cell,
					   .cell_name = "In[3]",
					   .text = text,
					   .cflags = "",
					   .nvflags = "",
					   .sm = 75 };
	struct compile_result result;
	struct unit u;

	assert_int_equal(compiler_compile(c, &request, &result, NULL), 0);
	if (!result.ok)
		fail_msg("%s", buffer_text(&result.all));
	assert_int_equal(unit_decode(result.unit.data, result.unit.len, &u, NULL), 0);
	for (uint32_t i = 0; i < u.n_declarations; i++)
		assert_int_equal(session_set(&c->session, session_count(&c->session),
					     &u.declarations[i], NULL),
				 0);
	unit_release(&u);
	compile_result_release(&result);
}

/* Until nothing is left to be prepared. */
static void rest(struct compiler *c)
{
	for (int ms; (ms = compiler_rest(c)) >= 0;)
		poll(NULL, 0, ms);
}

static bool is_wanted(const struct compiler *c)
{
	return c->cpp_instances.keys.len != 0;
}

/* Lines of the list, and those that are marked as refused. */
static void count(const char *folder, unsigned *ret_all, unsigned *ret_refused)
{
	char command[300];
	FILE *f;

	snprintf(command, sizeof(command),
		 "head -q -c -16 %s/cgpu/*-instances.use | " /* without the seal */
		 "awk '{ n++ } /^!/ { r++ } END { print n + 0, r + 0 }'",
		 folder);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u %u", ret_all, ret_refused), 2);
	pclose(f);
}

static void remove_all(const char *pattern)
{
	char command[300];

	snprintf(command, sizeof(command), "rm %s/cgpu/%s", compiler_fixture_folder(), pattern);
	assert_int_equal(system(command), 0);
}

static void test_what_a_cell_uses_is_precompiled(void **state)
{
	struct compiler c = compiler_fixture_start();
	unsigned n, n_refused;

	(void)state;
	run(&c, 3, HEADERS USES("1"));
	assert_true(is_wanted(&c));
	rest(&c);
	assert_false(is_wanted(&c));
	count(compiler_fixture_folder(), &n, &n_refused);
	assert_true(n > 300);
	assert_int_equal(n_refused, 0);
	run(&c, 4, USES("2"));
	assert_false(is_wanted(&c));
	compiler_release(&c);
}

/*
 * Behind the last test: the headers are there. Each test has other names, so that no unit is one
 * that was compiled before.
 */
static void test_a_new_session_has_them(void **state)
{
	struct compiler c = compiler_fixture_start();

	(void)state;
	run(&c, 3, HEADERS USES("3"));
	assert_false(is_wanted(&c));
	compiler_release(&c);
}

/* Clang guesses among the members of a class whose place in it is known. */
static void test_a_misspelt_member_of_an_instance(void **state)
{
	struct compiler c = compiler_fixture_start();
	struct compile_request request = { .cell = 4,
					   .cell_name = "In[4]",
					   .text = "m.cler();",
					   .cflags = "",
					   .nvflags = "",
					   .sm = 75 };
	struct compile_result result;

	(void)state;
	run(&c, 3, HEADERS "std::map<int, int> m;");
	assert_false(is_wanted(&c));
	assert_int_equal(compiler_compile(&c, &request, &result, NULL), 0);
	assert_false(result.ok);
	assert_non_null(strstr(buffer_text(&result.all), "did you mean 'clear'?"));
	compile_result_release(&result);
	compiler_release(&c);
}

static void test_a_cell_may_specialise_what_is_precompiled(void **state)
{
	struct compiler c = compiler_fixture_start();

	(void)state;
	run(&c, 3, HEADERS USES("1"));
	run(&c, 4,
	    "template <> void std::map<int, int>::clear() noexcept { }\nstd::map<int, int> other; "
	    "other.clear();");
	run(&c, 5, USES("5"));
	compiler_release(&c);
}

static void test_what_is_refused_is_left_out(void **state)
{
	struct compiler c = compiler_fixture_start();
	unsigned before, n, n_refused;

	(void)state;
	count(compiler_fixture_folder(), &before, &n_refused);
	run(&c, 3, HEADERS REFUSED "std::vector<short> shorts; shorts.push_back(1);\n");
	rest(&c);
	count(compiler_fixture_folder(), &n, &n_refused);
	assert_true(n > before);
	assert_in_range(n_refused, 1, 10);
	run(&c, 4, USES("2") "std::vector<short> others; others.push_back(1);\n");
	assert_false(is_wanted(&c));
	compiler_release(&c);
}

/* Then the numbers of its declarations, which the second one has, may be others. */
static void test_a_header_made_again_gets_its_own(void **state)
{
	struct compiler c = compiler_fixture_start();

	(void)state;
	remove_all("cpp-*[0-9a-f].fil");
	run(&c, 3, HEADERS USES("1"));
	assert_true(is_wanted(&c));
	rest(&c);
	run(&c, 4, USES("2"));
	assert_false(is_wanted(&c));
	compiler_release(&c);
}

/* A list that something else has written, or half of one. */
static void test_a_damaged_list(void **state)
{
	struct compiler c;
	char command[300];
	unsigned n, n_refused;

	(void)state;
	remove_all("cpp-*-instances.pch");
	snprintf(command, sizeof(command),
		 "for f in %s/cgpu/*.use; do printf 'size x\\npush_back _Z7 instance vector 9 "
		 "type\\n!\\n\\nfile' > $f; done",
		 compiler_fixture_folder());
	assert_int_equal(system(command), 0);
	c = compiler_fixture_start();
	run(&c, 3, HEADERS USES("4"));
	assert_true(is_wanted(&c));
	rest(&c);
	count(compiler_fixture_folder(), &n, &n_refused);
	/* It is as none. */
	assert_true(n > 300);
	assert_int_equal(n_refused, 0);
	run(&c, 4, USES("2"));
	assert_false(is_wanted(&c));
	compiler_release(&c);
}

/* A child of this process that writes a header, and has begun with it. */
static pid_t maker(void)
{
	char command[300];
	int pid = 0, found;

	/* Another number behind it: the file is not whole yet (sealed_file_write()). */
	snprintf(command, sizeof(command),
		 "ls %s/cgpu | sed -n 's/.*-instances[.]use[.]\\([0-9]*\\)$/\\1/p'",
		 compiler_fixture_folder());
	for (int i = 0; i < 10000 && !pid; i++) {
		FILE *f = popen(command, "r");

		assert_non_null(f);
		/* This process, in which the compiler is, writes such a file, too. */
		while (!pid && fscanf(f, "%d", &found) == 1)
			pid = found == getpid() ? 0 : found;
		pclose(f);
		if (!pid)
			poll(NULL, 0, 1);
	}
	assert_int_not_equal(pid, 0);
	return pid;
}

/* To be ended says nothing of what it was at work on; a crash does. */
static void test_a_maker_that_does_not_end_well(void **state)
{
	struct compiler c = compiler_fixture_start();
	unsigned n, n_refused;

	(void)state;
	remove_all("cpp-*-instances.use");
	remove_all("cpp-*-instances.pch");
	run(&c, 3, HEADERS USES("a"));
	compiler_rest(&c);
	kill(maker(), SIGKILL);
	rest(&c);
	remove_all("cpp-*-instances.use.*");
	count(compiler_fixture_folder(), &n, &n_refused);
	assert_int_equal(n, 0);
	/* Cells of this session call what the first one has compiled, and need few of them. */
	compiler_release(&c);
	c = compiler_fixture_start();
	run(&c, 4, HEADERS USES("b"));
	assert_true(is_wanted(&c));
	compiler_rest(&c);
	kill(maker(), SIGSEGV);
	rest(&c);
	count(compiler_fixture_folder(), &n, &n_refused);
	assert_true(n > 300);
	assert_int_equal(n_refused, n);
	run(&c, 5, USES("c") "std::vector<short> list; list.push_back(1);\n");
	rest(&c);
	count(compiler_fixture_folder(), &n, &n_refused);
	assert_true(n_refused > 300 && n > n_refused);
	compiler_release(&c);
}

/* Clang does not free all that it has made for a cell that does not compile, and one of these cells
 * does not at first. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_cell_uses_is_precompiled),
		cmocka_unit_test(test_a_new_session_has_them),
		cmocka_unit_test(test_a_misspelt_member_of_an_instance),
		cmocka_unit_test(test_a_cell_may_specialise_what_is_precompiled),
		cmocka_unit_test(test_what_is_refused_is_left_out),
		cmocka_unit_test(test_a_header_made_again_gets_its_own),
		cmocka_unit_test(test_a_damaged_list),
		cmocka_unit_test(test_a_maker_that_does_not_end_well),
	};

	return cmocka_run_group_tests(tests, compiler_fixture_set_up, compiler_fixture_tear_down);
}
