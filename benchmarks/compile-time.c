/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processor time of compilations, of the thread that compiles, in the compiler's own code, without
 * kernel and client:
 *
 *	make -C build/tree benchmarks/compile-time
 *	CGPU_PRELUDE=build/tree/compiler/include build/tree/benchmarks/compile-time COUNT VARIABLES
 *	                                         TEXT [BEFORE]...
 *
 * compiles TEXT, in which `@` is another number each time, COUNT times in a session of VARIABLES
 * variables and of what the cells BEFORE declare. Prints the least and the median of the way of the
 * cell and of what is prepared between two cells.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "compiler/frontend/compile.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "compile-time: %s\n", what);
	exit(EXIT_FAILURE);
}

static struct compile_result compile(struct compiler *c, const char *text)
{
	struct compile_request request = {
		.cell = 3, .cell_name = "In[3]", .text = text, .cflags = "", .nvflags = "", .sm = 75
	};
	struct compile_result result;
	struct error err = ERROR_INIT;

	if (compiler_compile(c, &request, &result, &err))
		fail(err.text);
	if (!result.ok)
		fail(buffer_text(&result.all));
	return result;
}

static void add(struct compiler *c, const struct declaration *d)
{
	struct error err = ERROR_INIT;

	if (session_set(&c->session, session_count(&c->session), d, &err))
		fail(err.text);
}

/* As the kernel does with what a cell has declared. */
static void accept(struct compiler *c, const char *text)
{
	struct compile_result result = compile(c, text);
	struct unit u;
	struct error err = ERROR_INIT;

	if (unit_decode(result.unit.data, result.unit.len, &u, &err))
		fail(err.text);
	for (uint32_t i = 0; i < u.n_declarations; i++)
		add(c, &u.declarations[i]);
	unit_release(&u);
	compile_result_release(&result);
}

static void add_variables(struct compiler *c, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char name[32], host[64];

		snprintf(name, sizeof(name), "variable_%u", i);
		snprintf(host, sizeof(host), "extern int variable_%u;", i);
		add(c, &(struct declaration){ .kind = DECLARATION_VARIABLE,
					      .cell = i,
					      .line = 1,
					      .name = name,
					      .host = host,
					      .device = "" });
	}
}

static void write_text(struct buffer *ret, const char *pattern, uint64_t number)
{
	buffer_clear(ret);
	for (const char *p = pattern; *p; p++)
		if (*p == '@')
			buffer_printf(ret, "%llu", (unsigned long long)number);
		else
			buffer_append(ret, p, 1);
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void show(const char *what, double *ms, size_t n)
{
	qsort(ms, n, sizeof(*ms), by_size);
	printf("%s %.2f ms, median %.2f ms\n", what, ms[0], ms[n / 2]);
}

int main(int argc, char **argv)
{
	size_t n = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
	double *way = calloc(n + 1, sizeof(*way)), *between = calloc(n + 1, sizeof(*between));
	struct timespec started;
	struct buffer text = BUFFER_INIT;
	struct compiler c;
	struct error err = ERROR_INIT;

	if (!n || !way || !between)
		fail("give COUNT VARIABLES TEXT [BEFORE]...");
	if (compiler_init(&c, &err))
		fail(err.text);
	clock_gettime(CLOCK_REALTIME, &started);
	for (int i = 4; i < argc; i++)
		accept(&c, argv[i]);
	add_variables(&c, (unsigned)strtoul(argv[2], NULL, 10));
	for (size_t i = 0; i < n; i++) {
		double at[3];

		write_text(&text, argv[3], (uint64_t)started.tv_sec % 100000 * 10000 + i);
		while (!compiler_rest(&c))
			;
		at[0] = now_ms();
		struct compile_result result = compile(&c, buffer_text(&text));
		at[1] = now_ms();
		compile_result_release(&result);
		while (!compiler_rest(&c))
			;
		at[2] = now_ms();
		way[i] = at[1] - at[0];
		between[i] = at[2] - at[1];
	}
	show("on the way of the cell", way, n);
	show("between cells         ", between, n);
	compiler_release(&c);
	buffer_release(&text);
	free(way);
	free(between);
	return EXIT_SUCCESS;
}
