/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/PID/task/TID/stat has the state of a thread, schedstat its processor time in
 * nanoseconds. */
#include "kernel/base/cpu-deadline.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "kernel/base/loop.h"

struct seen {
	bool wants; /* a thread could run, or is stopped by a debugger */
	uint64_t cpu_ns;
};

/* Returns the state of a thread from "42 (a name) R 1 ..."; the name may contain anything. '\0':
 * the thread is gone. */
static char state_of(pid_t pid, const char *task)
{
	cleanup_file FILE *f = NULL;
	char path[96], line[256] = "";
	const char *end;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", (int)pid, task);
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return '\0';
	end = strrchr(line, ')');
	return end && end[1] ? end[2] : '\0';
}

/* Returns the processor time of a thread. Where Linux does not tell it, or the thread has just
 * ended, the number differs in each call. */
static uint64_t cpu_of(pid_t pid, const char *task)
{
	cleanup_file FILE *f = NULL;
	char path[96];
	uint64_t ns;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/schedstat", (int)pid, task);
	f = fopen(path, "re");
	return f && fscanf(f, "%" SCNu64, &ns) == 1 ? ns : loop_now_ms();
}

static void add(pid_t pid, const char *task, struct seen *ret)
{
	char state = state_of(pid, task);

	ret->wants |= state == 'R' || state == 't';
	ret->cpu_ns += cpu_of(pid, task);
}

static struct seen look(const struct cpu_deadline *p)
{
	cleanup_dir DIR *d = NULL;
	struct seen s = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "%d", (int)p->pid);
	if (p->kind == CPU_DEADLINE_ANSWER) {
		add(p->pid, path, &s);
		return s;
	}
	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
	d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			add(p->pid, e->d_name, &s);
	return s;
}

void cpu_deadline_begin(struct cpu_deadline *p, pid_t pid, enum cpu_deadline_kind kind)
{
	*p = (struct cpu_deadline){ .pid = pid, .kind = kind, .began_ms = loop_now_ms() };
	p->looked_ms = p->began_ms;
	p->cpu_ns = look(p).cpu_ns;
}

uint64_t cpu_deadline_used_ms(struct cpu_deadline *p)
{
	struct seen s = look(p);
	bool ran = s.cpu_ns != p->cpu_ns;
	bool counts = p->kind == CPU_DEADLINE_ANSWER ? ran || !s.wants : !ran && !s.wants;
	uint64_t now = loop_now_ms(), passed = now - p->looked_ms;

	if (counts)
		p->used_ms += passed < CPU_DEADLINE_LOOK_MS ? passed : CPU_DEADLINE_LOOK_MS;
	p->cpu_ns = s.cpu_ns;
	p->looked_ms = now;
	return now - p->began_ms > CPU_DEADLINE_END_MS ? UINT64_MAX : p->used_ms;
}
