/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make bench-checks: what watching a launch for races costs: processor time of each shape on one
 * host thread, without the check, with it, and with a check that watches what cannot race, too; the
 * best of some turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "benchmarks/emulator/shapes.h"

#define TURNS 5

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double best_turn(const struct shape *s)
{
	double best = 0;

	for (int i = 0; i < TURNS; i++) {
		double start = now(), took;

		machine_side.launch(s);
		took = now() - start;
		best = i && best < took ? best : took;
	}
	return best;
}

int main(int argc, char **argv)
{
	float *values = malloc(BUFFER_BYTES);

	if (argc < 2 || !values)
		shapes_fail("usage: check-cost FOLDER [SHAPE]");
	for (size_t i = 0; i < BUFFER_BYTES / sizeof(*values); i++)
		values[i] = (float)(i % 1000) * 1e-3f;
	machine_side.start(1);
	printf("%-12s %10s %10s %6s %10s %6s\n", "shape", "plain ms", "checked ms", "times",
	       "all ms", "times");
	for (size_t i = 0; i < shape_count; i++) {
		double plain, checked, all;

		if (argc > 2 && strcmp(argv[2], shapes[i].name))
			continue;
		for (int b = 0; b < BUFFERS; b++)
			machine_side.write(b, values);
		machine_side.compile(&shapes[i], argv[1], 0);
		machine_side_check(CHECK_NOTHING);
		plain = best_turn(&shapes[i]);
		machine_side_check(CHECK_RACES);
		checked = best_turn(&shapes[i]);
		machine_side_check(CHECK_ALL);
		all = best_turn(&shapes[i]);
		printf("%-12s %10.2f %10.2f %6.2f %10.2f %6.2f\n", shapes[i].name, plain, checked,
		       checked / plain, all, all / plain);
	}
	free(values);
	return 0;
}
