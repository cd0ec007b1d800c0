/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's part of %%memcheck. The cell and, once more, the functions of earlier cells are
 * compiled with checks; all of it runs in the active worker, which is ended afterwards whatever the
 * outcome, so that the session is unchanged. The worker's findings become one report.
 */
#ifndef CGPU_KERNEL_FAULTS_MEMCHECK_H
#define CGPU_KERNEL_FAULTS_MEMCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct error;
struct fault_report;
struct record;
struct unit_table;

struct memcheck {
	bool on;               /* for the cell that was compiled last, or that runs */
	struct buffer units;   /* [bytes unit] as WORKER_RUN takes it: functions of earlier cells */
	struct buffer refused; /* "In[2], In[5]": cells whose functions are not checked */
};

void memcheck_release(struct memcheck *m);

/* Appends the end of COMPILER_COMPILE: whether the cell is checked, and the earlier cells whose
 * functions are still the newest of their name. */
void memcheck_put_request(struct memcheck *m, bool on, const struct unit_table *units,
			  struct buffer *out);
/* Reads the end of COMPILER_COMPILED. */
int memcheck_take_answer(struct memcheck *m, struct record *r, struct error *err);
/* Adds records for the functions of earlier cells, in front of the cell's own, for as long as it
 * runs. */
int memcheck_begin(const struct memcheck *m, struct unit_table *units, struct error *err);
/* Appends the end of WORKER_RUN: the checked functions of earlier cells. */
void memcheck_put_units(const struct memcheck *m, struct buffer *out);

/* Reports findings as one error. first: the line of the error; all: each of them. */
void memcheck_report(const struct memcheck *m, const char *first, const char *all,
		     struct fault_report *ret);
/* Appends the findings, "" for none, to the report of a fault in a checked cell. */
void memcheck_add(const struct memcheck *m, const char *all, struct fault_report *r);
/* Appends the lines for a checked cell without findings. */
void memcheck_put_clean(const struct memcheck *m, struct buffer *out);

#endif
