/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session without Jupyter: the real supervisor with the built cgpu-worker and cgpu-compiler,
 * driven cell by cell. Calls wait for events, with a deadline that fails the test.
 */
#ifndef CGPU_TESTS_UNIT_SUPERVISOR_HARNESS_H
#define CGPU_TESTS_UNIT_SUPERVISOR_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"
#include "common/protocol/run-options.h"

struct compiled_unit;
struct loop;
struct supervisor;

/* What one cell came to. */
struct outcome {
	bool compiled, ended;
	bool ok, interrupted, rolled_back;
	struct buffer output, errors; /* stdout, stderr */
	struct buffer ename, evalue, traceback, restored, warnings;
	bool has_result;
	uint64_t commit_ns, committed_bytes;
};

struct harness {
	struct supervisor *supervisor;
	struct loop *loop;
	struct outcome last;
	struct compiled_unit *unit;
	struct declaration *declarations; /* texts are owned */
	size_t n_declarations;
	uint32_t cell;
	struct run_options options; /* of the next cell only */
	const char *awaited;        /* output to wait for */
	bool late;
};

/* disabled: enum sandbox_flag bits; connection_file may be NULL. */
void harness_start(struct harness *h, const char *connection_file, unsigned disabled);
void harness_stop(struct harness *h);

/* The end of a folder that the kernel kept files in. 0, or -1. */
int harness_remove_folder(const char *folder);

/* As after %reset: no declarations. */
void harness_forget(struct harness *h);

/* Compile and begin; harness_wait_end() is to follow. */
void harness_begin(struct harness *h, const char *text);
/* Compile and run to the end; the result is in h->last. */
void harness_run(struct harness *h, const char *text);
/* The same, and it must be ok; returns its stdout. */
const char *harness_ok(struct harness *h, const char *text);
/* It must fail with this ename. */
void harness_fault(struct harness *h, const char *text, const char *ename);

/* Compile, start, and wait until this text was printed. */
void harness_start_cell(struct harness *h, const char *text, const char *until);
void harness_wait_end(struct harness *h);
/* Let the loop work until fn(data) is true; it is asked after each pass of the loop, so it sees a
 * state that only lasts until the next event. */
void harness_until(struct harness *h, bool (*fn)(void *data), void *data);

pid_t harness_worker(const struct harness *h);
pid_t harness_spare(const struct harness *h);
pid_t harness_zygote(const struct harness *h);
/* SIGKILL, and wait until the process is one no more. */
void harness_kill(struct harness *h, pid_t pid);

#endif
