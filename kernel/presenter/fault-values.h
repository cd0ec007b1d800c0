/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the values of expressions in the line that faulted. The line is parsed as in a debugger:
 * each chain of names, members and elements is followed through the stopped process as far as
 * possible, and the one that leads to the faulting address is named. Calls and casts are not
 * followed, and expressions with side effects are not evaluated.
 */
#ifndef CGPU_KERNEL_PRESENTER_FAULT_VALUES_H
#define CGPU_KERNEL_PRESENTER_FAULT_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "kernel/presenter/debug-value.h"
#include "kernel/presenter/unit-debug.h"

struct session_unit;
struct session_view;

/* The context in which names are looked up. */
struct fault_scene {
	struct session_view *view;
	const struct session_unit *unit;
	/* Number of the call at this instruction, as unit_debug_places() counts. */
	unsigned place;
	struct debug_frame frame;
	bool has_address;
	uint64_t address; /* the address that could not be accessed */
	/* Appends the owner of a pointer's value, or nothing; NULL when owners are not known. */
	void (*owner)(void *data, uint64_t address, struct buffer *out);
	void *owner_data;
};

struct fault_values {
	struct buffer lines; /* "p = 0x0" each */
	/* Describes the faulting address: "member `next` of struct node", "element 7 of `a`"; "" if
	 * not known. */
	char member[200];
};

void fault_values_release(struct fault_values *v);
void fault_values_read(const struct fault_scene *s, const char *line, struct fault_values *ret);
/* Appends the known parameters of the call: "p = 0x0, n = 3". */
void fault_values_parameters(const struct fault_scene *s, Dwarf_Die *function, struct buffer *out);

#endif
