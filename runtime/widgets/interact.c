/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function of numbers is called with all integers and all floating-point numbers that a call can
 * have in registers: on both machines each of the two kinds has registers of its own, in the order
 * of the parameters, and what a function does not take it does not look at. A float is the lower
 * half of its register.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "runtime/display/display.h"
#include "runtime/widgets/comm-deliver.h"
#include "runtime/widgets/comm.h"

#define ARGUMENTS_MAX 4

struct interact {
	struct comm_call f;
	char types[ARGUMENTS_MAX + 1];
	unsigned n;
	cgpu_widget *sliders[ARGUMENTS_MAX], *output;
};

typedef void any_function(long i0, long i1, long i2, long i3, double d0, double d1, double d2,
			  double d3);

static double as_float(double v)
{
	float narrow = (float)v;
	double wide = 0;

	memcpy(&wide, &narrow, sizeof(narrow));
	return wide;
}

static void call(const struct interact *it)
{
	long i[ARGUMENTS_MAX] = { 0 };
	double d[ARGUMENTS_MAX] = { 0 };
	any_function *f = (any_function *)comm_call_function(&it->f);
	unsigned n_i = 0, n_d = 0;

	for (unsigned k = 0; k < it->n; k++) {
		double v = cgpu_value(it->sliders[k]);

		if (it->types[k] == 'i')
			i[n_i++] = (long)(v < 0 ? v - 0.5 : v + 0.5);
		else
			d[n_d++] = it->types[k] == 'f' ? as_float(v) : v;
	}
	f(i[0], i[1], i[2], i[3], d[0], d[1], d[2], d[3]);
}

void interact_call(void *data)
{
	const struct interact *it = data;

	cgpu_output_begin(it->output);
	display_clear_output(1);
	call(it);
	cgpu_output_end();
}

static int check(void (*f)(void), const char *types, const struct cgpu_range *ranges, unsigned n,
		 struct error *err)
{
	if (!f || !types || !*types || strlen(types) > ARGUMENTS_MAX)
		return error_set(err, ERROR_INPUT,
				 "f must be a function of one to four numbers, int, double or "
				 "float, that returns nothing");
	if (!ranges || n != strlen(types))
		return error_set(err, ERROR_INPUT, "f takes %zu numbers, and there are %u ranges",
				 strlen(types), n);
	return 0;
}

/* Our own functions for cells are called as a cell calls them, so this is none of a library. */
static cgpu_widget *make(struct interact *it, const struct cgpu_range *ranges)
{
	cgpu_widget *parts[ARGUMENTS_MAX + 1], *box;

	for (unsigned k = 0; k < it->n; k++) {
		const struct cgpu_range *r = &ranges[k];

		it->sliders[k] = cgpu_slider_new(r->label, r->least, r->most, r->value);
		if (!it->sliders[k])
			return NULL;
		if (it->types[k] == 'i')
			cgpu_slider_step(it->sliders[k], 1);
		comm_row(it->sliders[k])->change =
			(struct comm_call){ COMM_CALL_INTERACT, 0, (uint64_t)(uintptr_t)it };
		parts[k] = it->sliders[k];
	}
	it->output = parts[it->n] = cgpu_output_new();
	box = it->output ? cgpu_vbox(parts, it->n + 1) : NULL;
	if (!box)
		return NULL;
	cgpu_widget_show(box);
	interact_call(it);
	return box;
}

cgpu_widget *cgpu_interact(void (*f)(void), const char *types, const struct cgpu_range *ranges,
			   unsigned n)
{
	struct display_call call = display_begin("cgpu_interact");
	struct error err = ERROR_INIT;
	int rc = check(f, types, ranges, n, &err);
	struct interact *it = rc ? NULL : display_session_alloc(sizeof(*it));

	if (!rc && !it)
		rc = error_set(&err, ERROR_MEMORY, "out of memory");
	display_end(&call, rc, &err);
	if (!it)
		return NULL;
	it->f = comm_call_of((void *)f, NULL);
	strcpy(it->types, types);
	it->n = n;
	return make(it, ranges);
}
