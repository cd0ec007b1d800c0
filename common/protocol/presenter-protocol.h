/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between the kernel process and cgpu-presenter, which makes texts from what a cell may
 * have made up: reports from the record of a fault and the debugging information of its object,
 * views of values, traces and profiles, lists of variables and their parts. The presenter keeps
 * nothing from one text to the next, and asks for what it needs.
 *
 *   kernel                              presenter
 *     PRESENTER_CONFINE  ------------->   contains itself
 *             <-------------  PRESENTER_HELLO
 *     PRESENTER_FAULT, PRESENTER_PLACE or PRESENTER_FINDINGS ->
 *             <-------------  PRESENTER_ASK_...      any number of them,
 *     the answer with the same name  -->             one after another
 *             <-------------  PRESENTER_REPORT
 *     PRESENTER_VALUE, PRESENTER_TRACE, PRESENTER_PROFILE or PRESENTER_PICTURE ->
 *             the same questions and answers
 *             <-------------  PRESENTER_VIEW
 *     PRESENTER_STACK    ------------->
 *             the same questions and answers
 *             <-------------  PRESENTER_STACK_IS
 *     PRESENTER_VARIABLES, PRESENTER_PARTS or PRESENTER_LOCALS ->
 *             the same questions and answers
 *             <-------------  PRESENTER_PARTS_ARE
 *     PRESENTER_EXPRESSION ----------->
 *             the same questions and answers
 *             <-------------  PRESENTER_EXPRESSION_IS
 *
 * 1. The kernel process waits for the text, and for a bounded time. A presenter that dies over it
 *    or is ended gets one successor, which makes a report without debugging information.
 * 2. It reads nothing of a question or a text but numbers and texts of bounded size.
 */
#ifndef CGPU_COMMON_PROTOCOL_PRESENTER_PROTOCOL_H
#define CGPU_COMMON_PROTOCOL_PRESENTER_PROTOCOL_H

#define PRESENTER_SOCKET_FD 3
#define PRESENTER_PROTOCOL_VERSION 5u

/* The size of the pieces in which memory is read, in bytes. */
#define PRESENTER_PAGE 4096u
/* The largest report and the largest view that the kernel process takes, in bytes. */
#define PRESENTER_REPORT_MAX (4u << 20)
#define PRESENTER_VIEW_MAX (16u << 20)

enum presenter_message {
	/* kernel -> presenter */
	PRESENTER_CONFINE = 1, /* see common/sandbox/confinement.h */
	/* u8 debugging information is read, u32 pid of the worker, u8 it stands at its fault, bytes
	 * struct fault_record: the whole text of a fault. PLACE: only where the worker is. */
	PRESENTER_FAULT = 2,
	PRESENTER_PLACE = 3,
	/* u8 debugging information is read, [bytes struct fault_record] */
	PRESENTER_FINDINGS = 4,
	PRESENTER_UNIT = 5,     /* u8 there is one, u64 serial of its record */
	PRESENTER_DEFINER = 6,  /* likewise */
	PRESENTER_RECORD = 7,   /* bytes: see unit_record_encode(); none: it is gone */
	PRESENTER_ADDRESS = 8,  /* u64 address, 0: not known */
	PRESENTER_MEMORY = 9,   /* bytes: PRESENTER_PAGE of them, or none */
	PRESENTER_OWNER = 10,   /* bytes struct address_description, or none */
	PRESENTER_VALUE = 11,   /* see kernel/views/presenter-value.h */
	PRESENTER_TRACE = 12,   /* see device_trace_encode() */
	PRESENTER_PROFILE = 13, /* see launch_profile_encode() */
	PRESENTER_TEXT = 14,    /* str; "": it is not known */
	/* [part], see kernel/views/presenter-part.h: the same is answered, with values */
	PRESENTER_VARIABLES = 15,
	/* part, range, u64 address of a struct device_stop, 0: none: the list of its parts */
	PRESENTER_PARTS = 16,
	PRESENTER_PICTURE = 17, /* part: a view of it as a table, and as a picture */
	/* u8 debugging information is read, u32 pid of the worker, u8 it stands, bytes struct
	 * fault_record: the calls of a cell that stands at a breakpoint. LOCALS: the same, u32
	 * frame and u32 call of kernel/views/presenter-frame.h, for its variables as a list of
	 * parts */
	PRESENTER_STACK = 18,
	PRESENTER_LOCALS = 19,
	/* as LOCALS, bytes program (common/code/expression.h): its value in that call */
	PRESENTER_EXPRESSION = 32,

	/* presenter -> kernel */
	/* u32 PRESENTER_PROTOCOL_VERSION, [str step, str why it was not applied] */
	PRESENTER_HELLO = 20,
	PRESENTER_ASK_UNIT = 21,    /* u32 cell: the newest unit of it */
	PRESENTER_ASK_DEFINER = 22, /* str name: the newest unit that defines it */
	PRESENTER_ASK_RECORD = 23,  /* u64 serial */
	PRESENTER_ASK_ADDRESS = 24, /* str name: of its newest definition */
	PRESENTER_ASK_MEMORY = 25,  /* u64 address of a page */
	PRESENTER_ASK_OWNER = 26,   /* u64 address: what it belongs to */
	/* str name of the error, str in one line, str in lines, str names that nobody defines */
	PRESENTER_REPORT = 27,
	PRESENTER_ASK_TEXT = 28,      /* str "In[3]": the text of the cell at its last run */
	PRESENTER_VIEW = 29,          /* see kernel/views/presenter-view.h */
	PRESENTER_PARTS_ARE = 30,     /* see presenter_parts_take() */
	PRESENTER_STACK_IS = 31,      /* see presenter_frames_take() */
	PRESENTER_EXPRESSION_IS = 33, /* see presenter_result_take() */
};

#endif
