/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of faults, and of the findings of %%memcheck, from the records that the worker has
 * written. They are as fault_record_take() gives them: counts and texts are bounded, all else may
 * be arbitrary.
 */
#ifndef CGPU_KERNEL_PRESENTER_FAULT_TEXT_H
#define CGPU_KERNEL_PRESENTER_FAULT_TEXT_H

#include <stdint.h>
#include <sys/types.h>

struct fault_record;
struct fault_report;
struct session_view;

/* Makes the whole report. The running unit is the last one of the session. */
void fault_text_make(const struct fault_record *f, pid_t worker, struct session_view *view,
		     struct fault_report *r);
/* Appends where the worker is; nothing when that is not known. */
void fault_text_place(const struct fault_record *f, struct session_view *view,
		      struct fault_report *r);
/* Appends one finding, counted from 1; the first one is the report's line too. */
void fault_text_finding(const struct fault_record *f, uint32_t number, struct session_view *view,
			struct fault_report *r);

#endif
