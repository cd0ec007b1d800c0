/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real cgpu-compiler over its socket: the folders of tests/cells, and what needs more than a
 * cell: a killed process, completion, inspection, is_complete.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "config.h"
#include "tests/unit/compiler/compiler-client.h"

static char cache[] = "/tmp/cgpu-test-compile-XXXXXX";

static char *read_file(const char *folder, const char *name)
{
	struct buffer path = BUFFER_INIT, text = BUFFER_INIT;
	char block[4096];
	size_t n;

	buffer_printf(&path, "%s/%s/%s", CELLS_DIR, folder, name);
	FILE *f = fopen(buffer_text(&path), "re");

	buffer_release(&path);
	if (!f)
		return NULL;
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buffer_append(&text, block, n);
	fclose(f);
	return buffer_steal(&text);
}

static bool has_line(const char *text, const char *line, size_t len)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");

		if (n == len && !memcmp(p, line, len))
			return true;
		p += n + (p[n] == '\n');
	}
	return false;
}

/* Each line of the file is a fact; one that starts with `!` must not be there. Cells that it does
 * not call refused compile. */
static unsigned check_facts(const char *folder, const char *wanted, const char *facts,
			    unsigned n_cells)
{
	unsigned wrong = 0;

	for (const char *p = wanted; *p;) {
		size_t n = strcspn(p, "\n");
		bool absent = *p == '!';

		if (n && has_line(facts, p + absent, n - absent) == absent) {
			print_error("%s: %s: %.*s\n", folder, absent ? "must not be" : "missing",
				    (int)(n - absent), p + absent);
			wrong++;
		}
		p += n + (p[n] == '\n');
	}
	for (unsigned i = 1; i <= n_cells; i++) {
		char ok[40], refused[40];

		snprintf(ok, sizeof(ok), "%u ok", i);
		snprintf(refused, sizeof(refused), "%u refused ", i);
		if (!has_line(facts, ok, strlen(ok)) && !strstr(wanted, refused)) {
			print_error("%s: cell %u was refused\n", folder, i);
			wrong++;
		}
	}
	if (wrong)
		print_error("%s", facts);
	return wrong;
}

static bool is_of_cuda(const char *cells)
{
	return strstr(cells, "__global__") || strstr(cells, "__device__") ||
	       strstr(cells, "cuda") || strstr(cells, "<<<");
}

static unsigned run_folder(const char *folder)
{
	struct buffer facts = BUFFER_INIT;
	struct compiler_client c;
	cleanup_free char *cells = read_file(folder, "cell.c");
	cleanup_free char *wanted = read_file(folder, "facts");
	unsigned wrong;

	if (!wanted)
		return 0; /* a case for the whole kernel: tests/cells/test_cells.py */
	assert_non_null(cells);
	if (!HAVE_CUDA && is_of_cuda(cells))
		return 0;
	compiler_client_start(&c, cache);
	for (char *cell = cells, *next; cell; cell = next) {
		next = strstr(cell, "//---\n");
		if (next) {
			*next = 0;
			next += strlen("//---\n");
		}
		compiler_client_run(&c, cell, "");
		compiler_client_facts(&c, &facts);
	}
	wrong = check_facts(folder, wanted, buffer_text(&facts), c.cell);
	compiler_client_stop(&c);
	buffer_release(&facts);
	return wrong;
}

static void cells(void **state)
{
	DIR *d = opendir(CELLS_DIR);
	unsigned n = 0, wrong = 0;

	(void)state;
	assert_non_null(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (*e->d_name == '.' || *e->d_name == '_' || strchr(e->d_name, '.'))
			continue;
		wrong += run_folder(e->d_name);
		n++;
	}
	closedir(d);
	assert_true(n > 10);
	assert_int_equal(wrong, 0);
}

/* A type that an included header declared is known to the process that did not see the cell. */
static void a_killed_compiler_goes_on(void **state)
{
	struct compiler_client c;

	(void)state;
	compiler_client_start(&c, cache);
	compiler_client_run(
		&c,
		"#include <search.h>\n#include <pthread.h>\nint x = 3;\nint f(int a) { return a; }",
		"");
	assert_true(c.ok);
	compiler_client_restart(&c, cache);
	compiler_client_run(&c, "ENTRY (*e);\npthread_t *t = 0;\nf(x)", "");
	assert_true(c.ok);
	assert_string_equal(c.unit.display_type_code, "i4");
	compiler_client_stop(&c);
}

static void rows_follow_the_code(void **state)
{
	struct compiler_client c;
	bool seen[5] = { false };

	(void)state;
	compiler_client_start(&c, cache);
	compiler_client_run(&c, "int x;\n\nx = 4;\nputs(\"a\");", "");
	assert_true(c.ok);
	for (size_t i = 0; i < c.unit.n_lines; i++) {
		const struct unit_line *row = &c.unit.lines[i];

		assert_string_equal(row->function, "cgpu_cell_1");
		assert_true(!i || row->offset >= row[-1].offset);
		assert_true(row->line < 5);
		seen[row->line] = true;
	}
	assert_true(seen[3] && seen[4] && !seen[1] && !seen[2]);
	compiler_client_stop(&c);
}

/* Far apart lines take another opcode of the line program. */
static void rows_far_apart(void **state)
{
	struct compiler_client c;
	struct buffer text = BUFFER_INIT;
	bool seen = false;

	(void)state;
	compiler_client_start(&c, cache);
	buffer_puts(&text, "puts(\"a\");");
	for (int i = 0; i < 300; i++)
		buffer_putc(&text, '\n');
	buffer_puts(&text, "puts(\"b\");");
	compiler_client_run(&c, buffer_text(&text), "");
	assert_true(c.ok);
	for (size_t i = 0; i < c.unit.n_lines; i++)
		seen |= c.unit.lines[i].line == 301;
	assert_true(seen);
	buffer_release(&text);
	compiler_client_stop(&c);
}

static void cflags(void **state)
{
	struct compiler_client c;

	(void)state;
	compiler_client_start(&c, cache);
	compiler_client_run(&c, "THREE", "-DTHREE=3 -O0");
	assert_true(c.ok);
	compiler_client_run(&c, "1", "-fno-such-flag");
	assert_false(c.ok);
	assert_non_null(strstr(c.first, "fno-such-flag"));
	compiler_client_run(&c, "1", "");
	assert_true(c.ok);
	compiler_client_stop(&c);
}

/* The completions of text at its end, as "name " each. */
static void complete(struct compiler_client *c, const char *text, struct buffer *out)
{
	struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u32(&b, 7);
	record_put_str(&b, text);
	record_put_u32(&b, (uint32_t)strlen(text));
	struct ipc_message m = compiler_client_ask(c, COMPILER_COMPLETE, &b, COMPILER_COMPLETED);
	struct record r = record_open(m.data, m.len);

	buffer_clear(out);
	assert_int_equal(record_u32(&r), 7);
	assert_true(record_u32(&r) <= record_u32(&r));
	for (uint32_t n = record_u32(&r); n; n--) {
		buffer_printf(out, "%s ", record_str(&r));
		record_str(&r);
		record_str(&r);
	}
	assert_int_equal(record_check(&r, "completions", &err), 0);
	ipc_message_release(&m);
	buffer_release(&b);
}

static void completion(void **state)
{
	static const struct {
		const char *text, *first; /* the list starts with */
	} cases[] = {
		{ "prin", "printf " },
		{ "p.", "alpha beta " },
		{ "p.be", "beta " },
		{ "struct pair *q = &p; if (q->", "alpha beta " },
		{ "strange", "strange_name " },
		{ "int f(int argument) { return arg", "argument " },
		{ "x = \"prin", "" },
		{ "// prin", "" },
		{ "int a = 3 +", "p " },
#if HAVE_CUDA
		{ "cudaMemcpyH", "cudaMemcpyHostTo" },
		{ "__global__ void k(int *data) { int i = threadIdx.", "x y z " },
#endif
		{ "}} ) foo( prin", "printf " },
	};
	struct compiler_client c;
	struct buffer got = BUFFER_INIT;

	(void)state;
	compiler_client_start(&c, cache);
	compiler_client_run(&c, "struct pair { int alpha, beta; } p; int strange_name;", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		complete(&c, cases[i].text, &got);
		if (strncmp(buffer_text(&got), cases[i].first, strlen(cases[i].first)) ||
		    (!*cases[i].first && got.len))
			fail_msg("completing `%s` gives: %s", cases[i].text, buffer_text(&got));
	}
	buffer_release(&got);
	compiler_client_stop(&c);
}

static void inspection(void **state)
{
	static const struct {
		const char *text, *code; /* code: "" if nothing is known */
		const char *what, *mark, *comment;
	} cases[] = {
		{ "printf", "int printf(const char *restrict format, ...)",
		  "function printf of <stdio.h>", "", "Write formatted output" },
		{ "counter", "int counter = 5", "variable counter of In[1], line 4", "",
		  "Counts what\nis counted." },
		{ "counted", "static inline int counted(int by, char *name)",
		  "function counted of In[1], line 6", "", "" },
		{ "counted(1, ", "static inline int counted(int by, char *name)",
		  "function counted of In[1], line 6", "char *name", "" },
		{ "memcpy(&counter, ",
		  "void *memcpy(void *restrict dest, const void *restrict src, size_t n)",
		  "function memcpy of <string.h>", "const void *restrict src", "Copy N bytes" },
		{ "int counter(int); { float counter = 1; counter", "float counter = 1",
		  "local variable counter of this cell, line 1", "", "" },
		{ "P.alpha", "int alpha", "member alpha of struct pair, ", "", "" },
		{ "struct pair", "struct pair {\n\tint alpha, beta;\n}",
		  "type pair of In[1], line 7", "", "" },
		{ "INT_MAX", "#define INT_MAX", "macro INT_MAX of <", "", "" },
		{ "TWICE", "#define TWICE(x) (2 * (x))", "macro TWICE of In[1], line 10", "", "" },
		{ "no_such_name", "", "", "", "" },
		{ "1 + ", "", "", "", "" },
		{ "\"counter", "", "", "", "" },
	};
	struct compiler_client c;

	(void)state;
	compiler_client_start(&c, cache);
	compiler_client_run(&c,
			    "\n// Counts what\n// is counted.\nint counter = 5;\n\n"
			    "static inline int counted(int by, char *name) { return by + *name; }\n"
			    "struct pair {\n\tint alpha, beta;\n} P;\n#define TWICE(x) (2 * (x))\n",
			    "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer b = BUFFER_INIT;

		record_put_u32(&b, 1);
		record_put_str(&b, cases[i].text);
		record_put_u32(&b, (uint32_t)strlen(cases[i].text));
		struct ipc_message m =
			compiler_client_ask(&c, COMPILER_INSPECT, &b, COMPILER_INSPECTED);
		struct record r = record_open(m.data, m.len);

		record_u32(&r);
		assert_int_equal(record_u8(&r), *cases[i].code != '\0');
		record_u8(&r);
		const char *code = record_str(&r);
		uint32_t begin = record_u32(&r), end = record_u32(&r);
		const char *what = record_str(&r), *comment = record_str(&r);

		if (strncmp(code, cases[i].code, strlen(cases[i].code)) ||
		    strncmp(what, cases[i].what, strlen(cases[i].what)) ||
		    !strstr(comment, cases[i].comment) || end - begin != strlen(cases[i].mark) ||
		    strncmp(code + begin, cases[i].mark, end - begin))
			fail_msg("inspecting %s gives %s, %s; marked %.*s; %s", cases[i].text, code,
				 what, (int)(end - begin), code + begin, comment);
		ipc_message_release(&m);
		buffer_release(&b);
	}
	compiler_client_stop(&c);
}

static void completeness(void **state)
{
	static const struct {
		const char *text, *answer;
	} cases[] = {
		{ "", "complete" },
		{ "1 + 1", "complete" },
		{ "int x;", "complete" },
		{ "int x", "incomplete" },
		{ "if (a) {", "incomplete" },
		{ "if (a)", "incomplete" },
		{ "x +", "incomplete" },
		{ "f(1,", "incomplete" },
		{ "/* a", "incomplete" },
		{ "#if 1", "incomplete" },
		{ "#if 1\n#endif", "complete" },
		{ "#define A \\", "incomplete" },
		{ "}", "invalid" },
		{ "\"abc", "invalid" },
		{ "f(]", "invalid" },
		{ "int f(void)\n{\n}", "complete" },
	};
	struct compiler_client c;

	(void)state;
	compiler_client_start(&c, cache);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer b = BUFFER_INIT;

		record_put_u32(&b, 1);
		record_put_str(&b, cases[i].text);
		struct ipc_message m =
			compiler_client_ask(&c, COMPILER_IS_COMPLETE, &b, COMPILER_COMPLETENESS);
		struct record r = record_open(m.data, m.len);

		record_u32(&r);
		const char *answer = record_str(&r);

		if (strcmp(answer, cases[i].answer))
			fail_msg("`%s` is %s, not %s", cases[i].text, cases[i].answer, answer);
		ipc_message_release(&m);
		buffer_release(&b);
	}
	compiler_client_stop(&c);
}

static int make_cache(void **state)
{
	(void)state;
	return mkdtemp(cache) ? 0 : -1;
}

static int remove_cache(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", cache);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells),
		cmocka_unit_test(a_killed_compiler_goes_on),
		cmocka_unit_test(rows_follow_the_code),
		cmocka_unit_test(rows_far_apart),
		cmocka_unit_test(cflags),
		cmocka_unit_test(completion),
		cmocka_unit_test(inspection),
		cmocka_unit_test(completeness),
	};

	return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
