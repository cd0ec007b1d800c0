/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays the kernel to a real cgpu-worker: starts the zygote, forks workers, sends cells that are
 * compiled by CC, reads output and fault records, commits. Every wait has a deadline, at which the
 * test fails.
 */
#ifndef CGPU_TESTS_UNIT_WORKER_HARNESS_H
#define CGPU_TESTS_UNIT_WORKER_HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"
#include "common/protocol/worker-protocol.h"

struct zygote_process {
	pid_t pid;
	int sock;
	const char *hidden; /* borrowed */
	uint32_t n_missing; /* containment steps that it could not apply */
	char missing[1024];
};

struct session_process {
	struct zygote_process zygote;
	int arena;
	int live; /* of the worker */
	/* the worker */
	pid_t pid;
	int channel;
	int out, err; /* read ends of its descriptors 1 and 2 */
	struct worker_control *control;
	int control_fd;
	char steps[2048];      /* what HELLO says was not applied */
	char lost[2048];       /* what ATTACHED says was lost */
	struct buffer text;    /* output so far */
	struct buffer results; /* OUTPUT_RESULT records */
	int outcome;           /* enum cell_outcome, -1: the worker died */
	int status;            /* of waitpid() then */
	char symbols[16][64];
	uint64_t addresses[16];
	uint32_t n_symbols;
	uint32_t replaces; /* the cell whose machine code the last one uses, 0: none */
	bool has_code;
};

void harness_zygote_start(struct zygote_process *z, const char *hidden, uint32_t flags);
/* Closes the socket and waits for its end. */
void harness_zygote_stop(struct zygote_process *z);

void harness_start(struct session_process *s, uint32_t flags);
void harness_stop(struct session_process *s);
/* Fork a worker and wait for HELLO. */
void harness_fork(struct session_process *s);
void harness_attach(struct session_process *s, uint64_t host_limit);
void harness_kill(struct session_process *s);
/* After a fault: reap, fork another, attach it to the same memory. */
void harness_replace(struct session_process *s);

/* How cells are compiled; a test may set it, and sets it back to HARNESS_C. */
#define HARNESS_C CC " -std=gnu17 -O1 -w -fPIC -fno-plt -fno-omit-frame-pointer -fdata-sections"
extern const char *harness_compiler;
/* What the cell to come is as a program (struct unit). */
extern uint64_t harness_program;
/* Compile C text to an object; malloc-ed. */
void *harness_compile(const char *text, size_t *ret_len);
/* The types of a unit's symbols, "name=type" pairs with spaces between; the run function is `run`.
 */
void harness_send(struct session_process *s, uint32_t cell, const char *text,
		  const char *const *types);
/* Collect output until the cell or the worker ends. */
int harness_wait(struct session_process *s);
/* send + wait + commit if it went well. Returns the outcome. */
int harness_cell(struct session_process *s, uint32_t cell, const char *text,
		 const char *const *types);
/* The same for a cell that must go well, else the test fails. */
void harness_ok(struct session_process *s, uint32_t cell, const char *text,
		const char *const *types);
void harness_commit(struct session_process *s);
/* Signals until the cell ends. */
int harness_interrupt(struct session_process *s);
/* Wait until the output contains this. */
void harness_expect_output(struct session_process *s, const char *text);

#endif
