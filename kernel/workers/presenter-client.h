/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of cgpu-presenter, which makes the reports of faults, and views of values, traces and
 * profiles. The process is started while the first cell runs, and again when it is needed and has
 * ended. The kernel process waits for a text, answers what the presenter asks for it, and gives it
 * up after a few seconds; then, or when the presenter dies over it, a report says so in place of
 * where it was, and there is no view.
 */
#ifndef CGPU_KERNEL_WORKERS_PRESENTER_CLIENT_H
#define CGPU_KERNEL_WORKERS_PRESENTER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/base/process.h"
#include "kernel/workers/helper-setup.h"

struct address_description;
struct buffer;
struct error;
struct fault_record;
struct fault_report;
struct memcheck;
struct memcheck_findings;
struct presenter_view;
struct unit_table;
struct worker;
struct worker_control;

#define PRESENTER_REPORT_MS 3000
#define PRESENTER_QUESTIONS 100000

struct presenter_client {
	struct helper_setup setup;
	struct process process;
	unsigned report_ms; /* the time for one text, as kernel/base/cpu-deadline.h counts */
	unsigned questions; /* how many it may ask for one text */
};

/* What a report is about; all of it is borrowed. */
struct presenter_subject {
	const struct unit_table *units; /* the running unit is the last one */
	pid_t pid;                      /* of the worker */
	/* The worker stands at its fault: its memory can be read, and it answers questions by this
	 * area. NULL: it has gone on or is gone. */
	struct worker_control *control;
	/* What the emulated device has is read, too. */
	bool reads_device;
};

/* Starts nothing. */
void presenter_client_init(struct presenter_client *c, const struct helper_setup *setup);
void presenter_client_release(struct presenter_client *c);
/* Starts the process if there was none yet, so that the first report does not wait for it. */
void presenter_client_prepare(struct presenter_client *c);

/* What the presenter may read for a view. */
struct presenter_memory {
	/* Reads a page; false: it is not there. */
	bool (*read)(void *data, uint64_t address, void *ret, size_t len);
	/* Describes what an address belongs to; false: that is not known. */
	bool (*owner)(void *data, uint64_t address, struct address_description *ret);
	void *data;
};

/*
 * Makes a view: PRESENTER_VALUE, PRESENTER_TRACE, PRESENTER_PROFILE or PRESENTER_PICTURE, with its
 * body. The caller
 * releases ret, also on error. ERROR_PROTOCOL: the presenter says that the body is malformed;
 * otherwise it has made none.
 */
int presenter_client_view(struct presenter_client *c, uint32_t type, const struct buffer *body,
			  const struct unit_table *units, const struct presenter_memory *memory,
			  struct presenter_view *ret, struct error *err);

/* Lets the presenter read the memory of a worker that stands; the subject must live as long. */
struct presenter_memory presenter_client_memory_of(struct presenter_subject *subject);

/* Asks about a worker that stands: PRESENTER_STACK, or PRESENTER_LOCALS or PRESENTER_EXPRESSION
 * with what they are about in `body`. Appends the answer as presenter_frames_take(),
 * presenter_parts_take() or presenter_result_take() reads it. */
int presenter_client_stack(struct presenter_client *c, uint32_t type,
			   const struct fault_record *shared, struct presenter_subject *subject,
			   const struct buffer *body, struct buffer *ret, struct error *err);

/* Asks for a list, by PRESENTER_VARIABLES or PRESENTER_PARTS, and appends it as
 * presenter_parts_take() reads it. */
int presenter_client_list(struct presenter_client *c, uint32_t type, const struct buffer *body,
			  const struct unit_table *units, const struct presenter_memory *memory,
			  struct buffer *ret, struct error *err);

/* Reports a fault by its record, which is in memory that cells can write. */
void presenter_client_report(struct presenter_client *c, const struct fault_record *shared,
			     const struct presenter_subject *subject, struct fault_report *ret);
/* The same for a worker that has gone on or is gone. */
void presenter_client_report_gone(struct presenter_client *c, const struct worker *w,
				  const struct unit_table *units, struct fault_report *ret);
/* Appends the place of the worker, by its record: the calls, behind the existing text. */
void presenter_client_add_place(struct presenter_client *c, const struct fault_record *shared,
				const struct presenter_subject *subject, struct fault_report *r);
/* Reports the findings of a checked cell as one error; false when there are none. */
bool presenter_client_findings(struct presenter_client *c, const struct memcheck *m,
			       const struct memcheck_findings *found,
			       const struct unit_table *units, struct fault_report *ret);
/* Appends the findings to the report of a fault in a checked cell; nothing when there are none. */
void presenter_client_add_findings(struct presenter_client *c, const struct memcheck *m,
				   const struct memcheck_findings *found,
				   const struct unit_table *units, struct fault_report *r);

#endif
