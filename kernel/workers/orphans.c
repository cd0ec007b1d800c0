/* SPDX-License-Identifier: Apache-2.0 */
/* A process that has lost its parent is among the children of this one. So are this one's own
 * helpers, and perhaps the launcher's: their confinement is less. */
#define _GNU_SOURCE
#include "kernel/workers/orphans.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/log.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/base/process-tree.h"

#define CHILDREN_MAX 4096
#define ROUNDS 20
#define REAP_MS 1000 /* as kernel/base/cpu-deadline.h counts */
#define LOOK_EVERY 100

/*
 * Reads the confinement of a process: no_new_privs and its seccomp filter, which a worker sets on
 * itself and its descendants inherit. A zombie still shows no_new_privs; a kernel that itself runs
 * with no_new_privs has at most its own filters.
 */
static long confinement_of(pid_t pid)
{
	cleanup_file FILE *f = NULL;
	char path[64], line[128];
	long marks = 0, n;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "NoNewPrivs: %ld", &n) == 1 ||
		    sscanf(line, "Seccomp_filters: %ld", &n) == 1)
			marks += n;
	return marks;
}

static bool is_kept(pid_t pid, const pid_t *keep, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (keep[i] == pid)
			return true;
	return false;
}

/* Finds the children of this process that a cell has left behind. */
static size_t orphans_of(const pid_t *keep, size_t n, pid_t *ret)
{
	size_t found = process_tree_children(getpid(), ret, CHILDREN_MAX), orphans = 0;
	long own = confinement_of(getpid());

	for (size_t i = 0; i < found; i++)
		if (!is_kept(ret[i], keep, n) && confinement_of(ret[i]) > own)
			ret[orphans++] = ret[i];
	return orphans;
}

/* Waits for killed processes to end. False when one of them hangs inside Linux. */
static bool await_end(const pid_t *pids, size_t n)
{
	const struct timespec pause = { 0, 200000 };
	struct cpu_deadline p;

	for (size_t i = 0; i < n; i++) {
		cpu_deadline_begin(&p, pids[i], CPU_DEADLINE_DEATH);
		for (int tries = 1; waitpid(pids[i], NULL, __WALL | WNOHANG) == 0; tries++) {
			nanosleep(&pause, NULL);
			if (tries % LOOK_EVERY == 0 && cpu_deadline_used_ms(&p) > REAP_MS)
				return false;
		}
	}
	return true;
}

/* Repeats the search until nothing is left, since the children of a killed process become children
 * of this one. */
void orphans_kill(const pid_t *keep, size_t n)
{
	cleanup_free pid_t *pids = malloc(CHILDREN_MAX * sizeof(*pids));

	for (int round = 0; pids && round < ROUNDS; round++) {
		size_t orphans = orphans_of(keep, n, pids);

		if (!orphans)
			return;
		for (size_t i = 0; i < orphans; i++)
			kill(pids[i], SIGKILL);
		if (!await_end(pids, orphans))
			break;
	}
	log_warning("not all processes that a cell has left behind could be ended");
}

void orphans_reap(const pid_t *keep, size_t n)
{
	cleanup_free pid_t *pids = malloc(CHILDREN_MAX * sizeof(*pids));

	size_t orphans = pids ? orphans_of(keep, n, pids) : 0;

	for (size_t i = 0; i < orphans; i++)
		waitpid(pids[i], NULL, __WALL | WNOHANG);
}

size_t orphans_list(pid_t worker, const pid_t *keep, size_t n_keep, pid_t *ret, size_t max)
{
	cleanup_free pid_t *own = malloc(CHILDREN_MAX * sizeof(*own));
	size_t n = process_tree_below(worker, ret, max),
	       orphans = own ? orphans_of(keep, n_keep, own) : 0;

	for (size_t i = 0; i < orphans && n < max; i++) {
		ret[n++] = own[i];
		n += process_tree_below(own[i], ret + n, max - n);
	}
	return n;
}

unsigned orphans_descendants(pid_t pid, unsigned most)
{
	cleanup_free pid_t *found = malloc((most + 1) * sizeof(*found));

	return found ? (unsigned)process_tree_below(pid, found, most) : 0;
}
