/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the text of a fault from the record that the dying worker wrote, or from how it died, and
 * from the debugging information of the units. The record is validated, since the cell could write
 * to it.
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

/* The report as the user sees it. */
struct fault_report {
	char ename[80];
	struct buffer evalue;    /* one line */
	struct buffer traceback; /* lines */
	/* Names that nobody defines, with blanks between; "" when that is not the fault. */
	char missing[256];
};

void fault_report_release(struct fault_report *r);

/*
 * Reports a fault by its record. The running unit is the last of the table. pid: the worker, which
 * waits at its fault, so that variables can be read; 0 when it has gone on or is gone. control: its
 * control area, for questions about addresses; NULL when it does not wait.
 */
void fault_report_from_record(struct fault_report *r, const struct fault_record *shared,
			      const struct unit_table *units, pid_t pid,
			      struct worker_control *control);

/* Reports the death of a worker without a record. memory_text: figures of host memory, "" for none;
 * oom: Linux ended it because memory was out. */
void fault_report_from_death(struct fault_report *r, const siginfo_t *death, bool oom,
			     const char *memory_text);

/* Appends one clause that names the owner of the address and its distance. */
void fault_report_put_owner(const struct address_description *d, uint64_t address,
			    const struct unit_table *units, struct buffer *out);

/* Appends the place of the worker, by its record: the calls, behind the existing text. */
void fault_report_add_place(struct fault_report *r, const struct fault_record *shared,
			    const struct unit_table *units, pid_t pid);

/* Reports any other end: ename, one line, further lines ("" for none). */
void fault_report_plain(struct fault_report *r, const char *ename, const char *evalue,
			const char *more);

/* Appends the last paragraph, which says what happened to the state. */
void fault_report_add(struct fault_report *r, const char *sentence);

#endif
