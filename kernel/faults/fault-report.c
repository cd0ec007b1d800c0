/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reports that need nothing of the cell's but how its process ended. Those of faults that a
 * worker has recorded are made by cgpu-presenter; kernel/presenter/fault-text.c has their layout.
 */
#include "kernel/faults/fault-report.h"

#include <stdio.h>
#include <string.h>

#include "common/protocol/worker-protocol.h"
#include "kernel/base/process.h"
#include "kernel/base/text-style.h"
#include "kernel/faults/fault-record.h"

void fault_report_release(struct fault_report *r)
{
	buffer_release(&r->evalue);
	buffer_release(&r->traceback);
	r->ename[0] = '\0';
}

void fault_report_begin(struct fault_report *r, const char *ename)
{
	snprintf(r->ename, sizeof(r->ename), "%s", ename);
	buffer_clear(&r->evalue);
	buffer_clear(&r->traceback);
	r->missing[0] = '\0';
}

void fault_report_put_headline(struct fault_report *r)
{
	buffer_printf(&r->traceback, TEXT_BOLD "%s" TEXT_PLAIN ": %s\n", r->ename,
		      buffer_text(&r->evalue));
}

void fault_report_from_death(struct fault_report *r, const siginfo_t *death, bool oom,
			     const char *memory_text)
{
	char how[64];

	if (oom) {
		fault_report_begin(r, fault_record_ename(FAULT_OUT_OF_MEMORY));
		buffer_puts(&r->evalue, "Linux ended the cell because memory was out");
	} else if (death->si_code == CLD_EXITED) {
		fault_report_begin(r, fault_record_ename(FAULT_EXITED));
		buffer_printf(&r->evalue, "the cell ended its process with exit status %d",
			      death->si_status);
	} else {
		fault_report_begin(r, fault_record_ename(FAULT_KILLED));
		process_death(death, how, sizeof(how));
		buffer_printf(&r->evalue,
			      "the process of the cell %s (signal %d), which did not come from "
			      "this kernel",
			      how, death->si_status);
	}
	fault_report_put_headline(r);
	if (*memory_text)
		buffer_printf(&r->traceback, "%s\n", memory_text);
}

void fault_report_plain(struct fault_report *r, const char *ename, const char *evalue,
			const char *more)
{
	fault_report_begin(r, ename);
	buffer_puts(&r->evalue, evalue);
	fault_report_put_headline(r);
	if (*more)
		buffer_printf(&r->traceback, "\n%s\n", more);
}

void fault_report_add(struct fault_report *r, const char *sentence)
{
	buffer_printf(&r->traceback, "\n%s\n", sentence);
}
