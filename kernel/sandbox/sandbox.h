/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The containment of cells, which keeps them away from the session that carries them: the ordered
 * list of steps, the steps that this machine can take, and reports of the zygote and the workers
 * about theirs. The policy is here; common/sandbox/sandbox-apply.c carries it out.
 */
#ifndef CGPU_KERNEL_SANDBOX_SANDBOX_H
#define CGPU_KERNEL_SANDBOX_SANDBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/sandbox/cgroup.h"
#include "kernel/sandbox/read-only-mount.h"
#include "kernel/settings/profile.h"

enum sandbox_step_id {
#define STEP(symbol, name, required, flag, mend) SANDBOX_STEP_##symbol,
#include "kernel/sandbox/steps.def"
	SANDBOX_STEPS
};

/* A thread that moves the zygote into the control group. */
struct sandbox_adoption {
	const struct cgroup *cgroup;
	pid_t pid;
	pthread_t thread;
	bool running, failed;
	struct error err;
};

/* What sandbox_init() works with; borrowed, and must live as long. */
struct sandbox_setup {
	enum profile profile;
	unsigned disabled;      /* enum sandbox_flag: steps that tests disable */
	bool hides;             /* there is a connection file to hide */
	const char *programs;   /* folder of the programs that are started, below their prefix */
	const char *readable;   /* a folder that cells can read in each profile; NULL: none */
	uint64_t private_bytes; /* of the private folders of the profile `locked` */
};

struct sandbox {
	struct sandbox_setup setup;
	unsigned flags;        /* enum sandbox_flag: the orders for zygote and workers */
	bool scoped;           /* Landlock keeps signals inside the worker */
	struct buffer program; /* seccomp filter of workers, and of helpers that end no process */
	/* That of the compiler, which ends the tools that it has started; empty where Landlock
	 * keeps signals inside and one filter is right for both. */
	struct buffer compiler_program;
	struct buffer command_program; /* made for the first command */
	struct cgroup cgroup;
	struct read_only_mount memory; /* for the files behind session memory */
	int view;                      /* kernel/sandbox/private-view.h; 0: none */
	struct sandbox_adoption adoption;
	char *missing[SANDBOX_STEPS]; /* why a step is not in force; NULL: it is, or is not wanted
				       */
};

/* Takes the steps of the kernel process itself and prepares those of the workers. It fails only for
 * a required step. */
int sandbox_init(struct sandbox *s, const struct sandbox_setup *setup, struct error *err);
void sandbox_release(struct sandbox *s);

/* Moves the zygote, which has been started, into the control group. Linux may take 20 ms for that,
 * so a thread does it. */
void sandbox_adopt_zygote(struct sandbox *s, pid_t pid);
/* Waits until the zygote is in the group and may fork workers. */
void sandbox_await_zygote(struct sandbox *s);
/* Records that zygote or worker could not take a step; `step` is a REPORT name of steps.def or
 * another text. */
void sandbox_report(struct sandbox *s, const char *step, const char *why);

/* The system call filter of the compiler process. */
static inline const struct buffer *sandbox_compiler_filter(const struct sandbox *s)
{
	return s->scoped ? &s->program : &s->compiler_program;
}

/* The system call filter of helpers that start and end no process: that of cells. */
static inline const struct buffer *sandbox_filter(const struct sandbox *s)
{
	return &s->program;
}

/* The system call filter of cgpu-launcher and its commands. */
const struct buffer *sandbox_command_filter(struct sandbox *s);

/* Tells whether the step belongs to the profile. */
bool sandbox_wants(const struct sandbox *s, enum sandbox_step_id id);
const char *sandbox_step_name(enum sandbox_step_id id);
const char *sandbox_step_mend(enum sandbox_step_id id);

#endif
