/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a fault: from the record that the dying worker wrote, or from how it died, and the
 * debugging information of the units. Nothing in a record is believed: the cell could write to it.
 */
#ifndef CGPU_KERNEL_FAULTS_FAULT_REPORT_H
#define CGPU_KERNEL_FAULTS_FAULT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>

#include "common/base/buffer.h"

struct address_description;
struct fault_record;
struct unit_table;
struct worker_control;

/* What the reader gets. */
struct fault_report {
	char ename[80];
	struct buffer evalue;    /* one line */
	struct buffer traceback; /* lines */
	char missing[256]; /* names that nobody defines, with blanks between; "" when that is not
			      the fault */
};

void fault_report_release(struct fault_report *r);

/* The running unit is the last of the table. pid: the worker, which waits at its fault, for the
 * values of variables; 0 when it has gone on or is gone. control: its area, to ask it about
 * addresses; NULL when it does not wait. */
void fault_report_from_record(struct fault_report *r, const struct fault_record *shared,
			      const struct unit_table *units, pid_t pid,
			      struct worker_control *control);

/* The worker is gone without a record. memory_text: figures of host memory, "" for none; oom: Linux
 * ended it for memory. */
void fault_report_from_death(struct fault_report *r, const siginfo_t *death, bool oom,
			     const char *memory_text);

/* One clause: whom the address belongs to, and how far it is away. */
void fault_report_put_owner(const struct address_description *d, uint64_t address,
			    const struct unit_table *units, struct buffer *out);

/* Where the worker was, by its record: the calls, behind what the report says already. */
void fault_report_add_place(struct fault_report *r, const struct fault_record *shared,
			    const struct unit_table *units, pid_t pid);

/* Any other end: ename, one line, further lines ("" for none). */
void fault_report_plain(struct fault_report *r, const char *ename, const char *evalue,
			const char *more);

/* The last paragraph: what has become of the state. */
void fault_report_add(struct fault_report *r, const char *sentence);

#endif
