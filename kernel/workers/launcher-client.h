/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of cgpu-launcher, which runs the commands of `!` and writes the files of %%writefile.
 * The process is started when it is needed first, and again after it has ended. It does one thing
 * at a time.
 */
#ifndef CGPU_KERNEL_WORKERS_LAUNCHER_CLIENT_H
#define CGPU_KERNEL_WORKERS_LAUNCHER_CLIENT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/base/process.h"
#include "kernel/workers/helper-setup.h"

struct error;
struct loop;
struct loop_source;

/* What was asked for has ended, with this status as waitpid() gives it. problem: why it was not
 * done; "": it was. */
typedef void launcher_ended(void *data, int status, const char *problem);

struct launcher_client {
	struct helper_setup setup;
	struct process process;
	struct loop *loop;
	struct loop_source *channel, *death;
	uint32_t number;     /* of the last command or file */
	unsigned interrupts; /* of it */
	launcher_ended *fn;  /* NULL: nothing is at work */
	void *data;
	/* While fn is called: a folder in which something was made that the command could not read,
	 * since Landlock hides the connection file there; "": none. */
	char made_in[PATH_MAX];
};

/* Starts nothing. */
void launcher_client_init(struct launcher_client *c, const struct helper_setup *setup);
void launcher_client_start(struct launcher_client *c, struct loop *loop);
/* Ends the process and what it has started; there is no callback. */
void launcher_client_release(struct launcher_client *c);

/*
 * Two actions in the current folder. fn is called once from the loop, and not when the call fails:
 * ERROR_STATE while another one is at work, ERROR_MEMORY, or why the process cannot be started.
 * out, errors: where the command writes; they stay the caller's.
 */
int launcher_client_run(struct launcher_client *c, const char *command, int out, int errors,
			launcher_ended *fn, void *data, struct error *err);
int launcher_client_write(struct launcher_client *c, const char *path, bool append,
			  const char *content, size_t len, launcher_ended *fn, void *data,
			  struct error *err);
/* The first call sends SIGINT to the command's process group, the second one SIGKILL, and any more
 * ends the launcher. */
void launcher_client_interrupt(struct launcher_client *c);

#endif
