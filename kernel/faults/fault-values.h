/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the expressions of a line were when it faulted: the line is read as a debugger would, each
 * chain of names, members and elements in it is followed through the stopped process as far as it
 * goes, and the one that leads to the faulting address is named. Calls and casts are not followed,
 * nor is anything evaluated that could have changed.
 */
#ifndef CGPU_KERNEL_FAULTS_FAULT_VALUES_H
#define CGPU_KERNEL_FAULTS_FAULT_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "kernel/units/debug-value.h"
#include "kernel/units/unit-debug.h"

struct unit_record;
struct unit_table;

/* Where to look. */
struct fault_scene {
	const struct unit_table *units;
	const struct unit_record *unit;
	unsigned place; /* number of the call at this instruction, as unit_debug_places() counts
			   them */
	struct debug_frame frame;
	bool has_address;
	uint64_t address; /* that could not be accessed */
	/* Appends whom a pointer's value belongs to, or nothing; NULL when nobody can tell. */
	void (*owner)(void *data, uint64_t address, struct buffer *out);
	void *owner_data;
};

struct fault_values {
	struct buffer lines; /* "p = 0x0" each */
	char member[200];    /* "member `next` of struct node", "element 7 of `a`": what the address
				is; "" if not known */
};

void fault_values_release(struct fault_values *v);
void fault_values_read(const struct fault_scene *s, const char *line, struct fault_values *ret);
/* "p = 0x0, n = 3": the parameters of the call, as far as they are known. */
void fault_values_parameters(const struct fault_scene *s, Dwarf_Die *function, struct buffer *out);

#endif
