/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report of a failed cell, and those reports that need no process to read what the cell has left:
 * kernel/workers/presenter-client.h has the others.
 */
#ifndef CGPU_KERNEL_FAULTS_FAULT_REPORT_H
#define CGPU_KERNEL_FAULTS_FAULT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>

#include "common/base/buffer.h"

/* The report as the user sees it. */
struct fault_report {
	char ename[80];
	struct buffer evalue;    /* one line */
	struct buffer traceback; /* lines */
	/* Names that nobody defines, with blanks between; "" when that is not the fault. */
	char missing[256];
};

void fault_report_release(struct fault_report *r);

/* Begins a report: no text yet. */
void fault_report_begin(struct fault_report *r, const char *ename);
/* Begins the traceback with the error's name and its line. */
void fault_report_put_headline(struct fault_report *r);

/* Reports the death of a worker without a record. memory_text: figures of host memory, "" for none;
 * oom: Linux ended it because memory was out. */
void fault_report_from_death(struct fault_report *r, const siginfo_t *death, bool oom,
			     const char *memory_text);

/* Reports any other end: ename, one line, further lines ("" for none). */
void fault_report_plain(struct fault_report *r, const char *ename, const char *evalue,
			const char *more);

/* Appends the last paragraph, which says what happened to the state. */
void fault_report_add(struct fault_report *r, const char *sentence);

#endif
