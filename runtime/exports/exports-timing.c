/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %timeit: the cell's code runs in rounds (common/cell-timing.h). How many loops one takes is tried
 * first, ten times as many each time, until a round is long enough to be measured; then as many as
 * make a fifth of a second, and seven such rounds count. What the device was given to do in a round
 * belongs to it, so the device is waited for before the clock is read.
 */
#define _GNU_SOURCE
#include "common/cell-timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/cell-display.h"
#include "runtime/cuda/device.h"
#include "runtime/exports/exports.h"
#include "runtime/process/cell-mode.h"

#define ROUNDS 7
#define ROUND_NS 200e6
/* A round of this length tells how many loops a whole one has. */
#define TRIAL_NS 10e6
#define LOOPS_MAX 10000000000ul

/* Returns false when the device has failed, which ends the cell. */
static bool device_is_done(void)
{
	int (*synchronize)(void) = NULL;

	if (device_is_usable())
		synchronize = (int (*)(void))device_symbol("cudaDeviceSynchronize");
	return !synchronize || !synchronize();
}

/* Returns the smallest of 1, 2, 5, 10, 20 ... that is not below n. */
static unsigned long round_up(double n)
{
	unsigned long power = 1;

	while (power * 10.0 < n)
		power *= 10;
	return n <= power         ? power
	       : n <= 2.0 * power ? 2 * power
	       : n <= 5.0 * power ? 5 * power
				  : 10 * power;
}

/* Takes the length of a trial: more loops for the next one, or what a round has. */
static void take_trial(struct cgpu_timing *t, double ns)
{
	t->found = ns >= TRIAL_NS || t->loops >= LOOPS_MAX;
	if (!t->found)
		t->loops *= 10;
	else if (ns < ROUND_NS && t->loops < LOOPS_MAX)
		t->loops = round_up((double)t->loops * ROUND_NS / ns);
}

static void put_ns(char ret[32], double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t i = 0;

	for (; i < 3 && ns >= 999.5; i++)
		ns /= 1000;
	snprintf(ret, 32, "%.3g %s", ns, units[i]);
}

static void show(const struct cgpu_timing *t)
{
	double mean = t->sum / t->done, spread = t->squares / t->done - mean * mean;
	char text[160], each[32], deviation[32];

	put_ns(each, mean);
	put_ns(deviation, spread > 0 ? sqrt(spread) : 0);
	snprintf(text, sizeof(text),
		 "%s +- %s per loop (mean +- std. dev. of %u run%s, %lu loop%s each)", each,
		 deviation, t->done, t->done > 1 ? "s" : "", t->loops, t->loops > 1 ? "s" : "");
	cgpu_display("text/plain", text, strlen(text));
}

/* Takes the round that has ended; false: it was the last one. */
static bool take_round(struct cgpu_timing *t)
{
	double ns;

	if (!t->begin_ns) {
		t->found = t->loops > 0;
		t->loops = t->found ? t->loops : 1;
		t->rounds = t->rounds ? t->rounds : ROUNDS;
		return true;
	}
	ns = (double)(clock_now_ns() - t->begin_ns);
	if (!t->found) {
		take_trial(t, ns);
		return true;
	}
	t->sum += ns / (double)t->loops;
	t->squares += ns / (double)t->loops * (ns / (double)t->loops);
	return ++t->done < t->rounds;
}

int exports_timing_next(struct cgpu_timing *t)
{
	bool more;

	if (!device_is_done())
		return 0;
	cell_mode_enter_library();
	more = take_round(t);
	if (!more)
		show(t);
	cell_mode_leave_library();
	t->begin_ns = clock_now_ns();
	return more;
}
