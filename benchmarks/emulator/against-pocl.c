/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast device code runs on cgpu's machine, beside pocl in the same run:
 *
 *	make -C build/tree bench-emulator
 *	build/tree/against-pocl benchmarks/emulator [--alone] [--shape NAME]
 *
 * Each shape is compiled from source and launched once by each side ("first"), which also gives the
 * results that are compared; then they take turns, and the least time of a launch counts. One core
 * is measured in a process that has only that one, in processor time; all cores by the clock.
 * Prints Markdown tables. --alone leaves pocl out.
 */
#define _GNU_SOURCE
#include "benchmarks/emulator/shapes.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHAPES_MAX 16
#define TURNS 5
#define TURN_MS 60.0
#define FIRST_LAUNCHES 3

enum { MACHINE, HOT, POCL, SIDES };
static const struct side *const sides[SIDES] = { &machine_side, &hot_side, &pocl_side };

/* What a measuring process finds; its parent reads it. */
struct figures {
	double ms[SIDES], first[SIDES];
	uint64_t operations;
};

struct run {
	unsigned threads;
	struct figures of[SHAPES_MAX];
	char device[SIDES][256];
};

struct options {
	const char *folder, *shape;
	bool alone;
};

static double now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void fill(const struct side *side)
{
	float *numbers = calloc(1, BUFFER_BYTES);

	if (!numbers)
		shapes_fail("out of memory");
	side->write(2, numbers);
	for (unsigned i = 0; i < BUFFER_BYTES / 4; i++)
		numbers[i] = (float)(i * 2654435761u >> 16) / 65536;
	side->write(0, numbers);
	side->write(1, numbers);
	free(numbers);
}

/* Compilation and launch of a text that was not compiled before, by the clock. */
static double first_launch(const struct side *side, const struct shape *s, const char *folder,
			   unsigned variant)
{
	double began;

	fill(side);
	began = now_ms(CLOCK_MONOTONIC);
	side->compile(s, folder, variant);
	side->launch(s);
	return now_ms(CLOCK_MONOTONIC) - began;
}

static double turn(const struct side *side, const struct shape *s, clockid_t clock)
{
	double best = INFINITY, end = now_ms(CLOCK_MONOTONIC) + TURN_MS;

	do {
		double began, t;

		if (side->renew)
			side->renew(s);
		began = now_ms(clock);
		side->launch(s);
		t = now_ms(clock) - began;
		best = t < best ? t : best;
	} while (now_ms(CLOCK_MONOTONIC) < end);
	return best;
}

static char *result_of(const struct side *side, const struct shape *s)
{
	char *bytes = malloc(BUFFER_BYTES);

	if (!bytes)
		shapes_fail("out of memory");
	side->read(s->result, bytes);
	return bytes;
}

/* Results of a launch from fresh buffers, against those of the machine that interprets. */
static void compare(const struct shape *s, const char *expected, int k)
{
	char *result;

	fill(sides[k]);
	if (sides[k]->renew)
		sides[k]->renew(s);
	sides[k]->launch(s);
	result = result_of(sides[k], s);
	for (unsigned i = 0; i < BUFFER_BYTES; i += 4)
		if (memcmp(expected + i, result + i, 4))
			shapes_fail("%s: element %u is another one %s", s->name, i / 4,
				    k == POCL ? "on pocl" : "when hot");
	free(result);
}

static void measure(const struct options *o, const struct shape *s, int count, clockid_t clock,
		    struct figures *f)
{
	char *expected = NULL;

	for (int k = 0; k < count; k++) {
		f->first[k] = f->ms[k] = INFINITY;
		for (unsigned i = 1; i <= FIRST_LAUNCHES && k != HOT; i++)
			f->first[k] = fmin(f->first[k], first_launch(sides[k], s, o->folder, i));
		if (k == MACHINE)
			expected = result_of(sides[k], s);
		else
			compare(s, expected, k);
	}
	free(expected);
	f->operations = machine_side_operations(s);
	for (int i = 0; i < TURNS; i++)
		for (int k = 0; k < count; k++)
			f->ms[k] = fmin(f->ms[k], turn(sides[k], s, clock));
}

static bool wanted(const struct options *o, const struct shape *s)
{
	return !o->shape || !strcmp(o->shape, s->name);
}

static void measure_all(const struct options *o, struct run *r)
{
	clockid_t clock = r->threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
	int count = o->alone ? POCL : SIDES;

	if (r->threads == 1) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET((unsigned)sched_getcpu(), &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	for (int k = 0; k < count; k++) {
		sides[k]->start(r->threads);
		/* What is done once a process is no part of a first launch. */
		first_launch(sides[k], &shapes[0], o->folder, 0);
	}
	snprintf(r->device[MACHINE], sizeof(r->device[0]), "%s", machine_side_device());
	snprintf(r->device[POCL], sizeof(r->device[0]), "%s", pocl_side_device());
	for (size_t i = 0; i < shape_count; i++)
		if (wanted(o, &shapes[i]))
			measure(o, &shapes[i], count, clock, &r->of[i]);
}

/* In a process of its own: pocl's threads are made once. */
static void measure_apart(const struct options *o, struct run *r)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		measure_all(o, r);
		exit(EXIT_SUCCESS);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(EXIT_FAILURE);
}

static void print_rows(const struct options *o, const struct run *r, const char *title)
{
	printf("\n| %s | interpreted | G/s | hot | G/s |%s\n|---|---|---|---|---|%s\n", title,
	       o->alone ? "" : " pocl | interpreted / pocl | hot / pocl |",
	       o->alone ? "" : "---|---|---|");
	for (size_t i = 0; i < shape_count; i++) {
		const struct figures *f = &r->of[i];
		double lanes = (double)f->operations * 32 / 1e6;

		if (!wanted(o, &shapes[i]))
			continue;
		printf("| %s, %s | %.2f ms | %.1f | %.2f ms | %.1f |", shapes[i].name,
		       shapes[i].what, f->ms[MACHINE], lanes / f->ms[MACHINE], f->ms[HOT],
		       lanes / f->ms[HOT]);
		if (!o->alone)
			printf(" %.2f ms | %.2f | %.2f |", f->ms[POCL],
			       f->ms[MACHINE] / f->ms[POCL], f->ms[HOT] / f->ms[POCL]);
		putchar('\n');
	}
}

static void print_first(const struct options *o, const struct run *r)
{
	printf("\n| compile and first launch | cgpu |%s\n|---|---|%s\n",
	       o->alone ? "" : " pocl | ratio |", o->alone ? "" : "---|---|");
	for (size_t i = 0; i < shape_count; i++) {
		const struct figures *f = &r->of[i];

		if (!wanted(o, &shapes[i]))
			continue;
		printf("| %s | %.1f ms |", shapes[i].name, f->first[MACHINE]);
		if (!o->alone)
			printf(" %.0f ms | %.2f |", f->first[POCL],
			       f->first[MACHINE] / f->first[POCL]);
		putchar('\n');
	}
}

static void print_tables(const struct options *o, const struct run *one, const struct run *all)
{
	char title[32];

	printf("cgpu: core %s.", one->device[MACHINE]);
	if (!o->alone)
		printf(" pocl: %s.", one->device[POCL]);
	printf(" G/s are operations of all lanes, as the PTX has them.\n");
	print_rows(o, one, "one core");
	snprintf(title, sizeof(title), "%u cores", all->threads);
	print_rows(o, all, title);
	print_first(o, one);
}

static unsigned usable_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct run *runs = mmap(NULL, 2 * sizeof(*runs), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--alone"))
			o.alone = true;
		else if (!strcmp(argv[i], "--shape") && i + 1 < argc)
			o.shape = argv[++i];
		else
			o.folder = argv[i];
	}
	if (!o.folder || runs == MAP_FAILED || shape_count > SHAPES_MAX)
		shapes_fail("usage: against-pocl FOLDER [--alone] [--shape NAME]; FOLDER is "
			    "benchmarks/emulator");
	runs[0].threads = 1;
	runs[1].threads = usable_cores();
	for (int i = 0; i < 2; i++)
		measure_apart(&o, &runs[i]);
	print_tables(&o, &runs[0], &runs[1]);
	return 0;
}
