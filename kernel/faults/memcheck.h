/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %%memcheck on the kernel's side. The cell is compiled with checks, and so are once more the
 * functions of earlier cells; all of it runs in the active worker, which is thrown away afterwards
 * whatever came out, so that the session is as it was. What the worker has found becomes one
 * report.
 */
#ifndef CGPU_KERNEL_FAULTS_MEMCHECK_H
#define CGPU_KERNEL_FAULTS_MEMCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct error;
struct fault_report;
struct memcheck_findings;
struct record;
struct unit_table;

struct memcheck {
	bool on;               /* the cell that was compiled last, or runs, is checked */
	struct buffer units;   /* [bytes unit] as WORKER_RUN takes it: functions of earlier cells */
	struct buffer refused; /* "In[2], In[5]": cells whose functions are not checked */
};

void memcheck_release(struct memcheck *m);

/* The end of COMPILER_COMPILE: whether the cell is checked, and the earlier cells whose functions
 * still are the newest of their name. */
void memcheck_put_request(struct memcheck *m, bool on, const struct unit_table *units,
			  struct buffer *out);
/* The end of COMPILER_COMPILED. */
int memcheck_take_answer(struct memcheck *m, struct record *r, struct error *err);
/* The earlier functions get records of their own for as long as the cell runs; before the cell's
 * own. */
int memcheck_begin(const struct memcheck *m, struct unit_table *units, struct error *err);
/* The end of WORKER_RUN: the checked functions of earlier cells. */
void memcheck_put_units(const struct memcheck *m, struct buffer *out);

/* One error of all findings; false when there are none. */
bool memcheck_report(const struct memcheck *m, const struct memcheck_findings *found,
		     const struct unit_table *units, struct fault_report *ret);
/* Appended to the report of a fault in a checked cell; nothing when there are no findings. */
void memcheck_add(const struct memcheck *m, const struct memcheck_findings *found,
		  const struct unit_table *units, struct fault_report *r);
/* What a checked cell without findings is told, lines. */
void memcheck_put_clean(const struct memcheck *m, struct buffer *out);

#endif
