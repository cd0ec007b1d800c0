/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containment of zygote, worker and helpers, as ordered lists of steps. Which steps are wanted is
 * the kernel's decision (enum sandbox_flag); a step that cannot be applied is appended to the
 * report and the others go on.
 */
#ifndef CGPU_COMMON_SANDBOX_SANDBOX_APPLY_H
#define CGPU_COMMON_SANDBOX_SANDBOX_APPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/sandbox/hidden-path.h"

struct buffer;
struct error;

/* The steps that were not applied: so many {str step, str why} records in `list`. */
struct sandbox_report {
	struct buffer *list;
	uint32_t n;
};

void sandbox_report_add(struct sandbox_report *r, const char *step, const char *why);
/* Appends the report to a message: u32 number, and the records. */
void sandbox_report_put(struct buffer *out, const struct sandbox_report *r);

struct sandbox_policy {
	uint32_t flags;
	struct hidden_path hidden; /* the connection file, or the folder in which it is */
	unsigned in_force;         /* enum sandbox_flag: what sandbox_apply_zygote() has done */
	const void *filter;        /* struct sock_filter[] */
	size_t filter_len;         /* bytes */
	pid_t kernel_pid;          /* for SECCOMP_KERNEL_PID; 0: the parent */
	uint64_t memory;           /* bytes that a helper may have of its own; 0: no limit */
	const char *writable;      /* one more folder for SANDBOX_WORKSPACE; NULL: none */
	int view; /* a mount namespace (kernel/sandbox/private-view.h), the caller's; 0: none */
};

/* In a process with one thread: mounts that it makes from here on are its own and its children's.
 * An ordinary user gets a user namespace for that. */
int sandbox_apply_mount_namespace(struct error *err);
/* All mounts of this process's namespace become read-only, but those at these paths, with `below`
 * also those that are mounted below them, and of /proc what belongs to processes. */
int sandbox_apply_read_only(const char *const *writable, size_t n, bool below, struct error *err);
/* In the zygote, once, while it has one thread. Returns which of the steps that need a mount
 * namespace are in force from here on: SANDBOX_HIDE_FILE, SANDBOX_WORKSPACE. Ends the process when
 * there is a view that cannot be entered: who gives one wants nothing to run outside of it. */
unsigned sandbox_apply_zygote(const struct sandbox_policy *p, struct sandbox_report *report);
/* In the zygote or a helper, when it has hidden the file: cover another one, or a folder, with an
 * empty one. Ends the process if it is not there any more: what was to be hidden is open somewhere
 * else. In a view nothing can be moved, and what the view does not have needs no cover. */
int sandbox_apply_cover(const struct hidden_path *h, bool in_view, struct error *err);
/* Tells whether Landlock is to hide the file in place of a mount namespace. `why` says why not, if
 * the notebook lies in a folder above it. */
bool sandbox_apply_hides_by_landlock(const struct sandbox_policy *p, struct error *why);
/* Does that. Ends the process as sandbox_apply_cover() does. */
int sandbox_apply_landlock_hide(const struct hidden_path *h, struct error *err);
/* In the worker, before it has any other thread. */
void sandbox_apply_worker(const struct sandbox_policy *p, struct sandbox_report *report);

/* In the process of a helper, behind sandbox_apply_zygote(): the text that it reads is a cell's,
 * and so are the flags, tools and commands that it is told to use. */
void sandbox_apply_helper(const struct sandbox_policy *p, struct sandbox_report *report);

#endif
