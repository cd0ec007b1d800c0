/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One timer a cell. Memory that malloc() gives is counted before it is given, by the allocator in
 * the worker; here the rest is found: mmap(), stacks, pages of a child, files of memory, and blocks
 * that were asked for without the allocator. Processes are counted only after the whole machine has
 * gained many: that number is one cheap call.
 */
#define _GNU_SOURCE
#include "kernel/cell-run/watchdog.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "common/base/cleanup.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/base/loop.h"
#include "kernel/cell-run/in-place.h"
#include "kernel/cell-run/memory-use.h"
#include "kernel/cell-run/pressure.h"
#include "kernel/cell-run/shared-memory.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/faults/fault-report.h"
#include "kernel/sandbox/cgroup.h"
#include "kernel/sandbox/machine-memory.h"
#include "kernel/settings/size-text.h"
#include "kernel/workers/orphans.h"
#include "kernel/workers/output-drain.h"
#include "kernel/workers/worker-pool.h"

#define TICK_MS 20
#define ANSWER_MS 100 /* as kernel/base/cpu-deadline.h counts */
#define PROCESSES_MAX 512
#define SUSPICIOUS 200
#define LOOK_PAUSE 10 /* times what an exact look has taken */
#define BLAME_GROWTH (64ull << 20)

static void on_tick(void *data);

static unsigned tasks_of_machine(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : info.procs;
}

uint64_t watchdog_oom_kills(const struct supervisor *s)
{
	cleanup_file FILE *f = NULL;
	char line[128], path[PATH_MAX];
	uint64_t n = 0;

	snprintf(path, sizeof(path), "%s/vmstat", s->proc_dir);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "oom_kill %" SCNu64, &n) == 1)
			break;
	return n;
}

void watchdog_start(struct supervisor *s)
{
	s->run.tasks_at_start = tasks_of_machine();
	s->run.refusals_at_start = cgroup_refusals(&s->sandbox.cgroup);
	s->run.tick = loop_add_timer(s->loop, TICK_MS, on_tick, s);
}

void watchdog_stop(struct supervisor *s)
{
	if (s->loop)
		loop_remove(s->loop, s->run.tick);
	s->run.tick = NULL;
}

/* Tells whether the session may have more than its limit: by what it has mapped, or by what the
 * machine has gained in files of memory beside those of the session's state, which nobody need have
 * mapped. */
static bool may_be_too_much(const struct supervisor *s, const struct memory_use *u)
{
	uint64_t shared = shared_memory_of_machine();
	uint64_t known = s->shared_at_start + memory_use_kept(s);
	uint64_t gained = shared > known ? shared - known : 0;

	return s->host_limit && memory_use_total(u) + gained > s->host_limit + MEMORY_USE_BASE;
}

/* Takes the exact look in place of u, for a tenth of the time at most. False: it is too early. */
static bool look_again(struct supervisor *s, const struct worker *w, struct memory_use *u)
{
	int64_t began = loop_now_ms();

	if (began < s->run.exact_at_ms)
		return false;
	*u = memory_use_now(s, w, true);
	s->run.exact_at_ms = loop_now_ms() + LOOK_PAUSE * (loop_now_ms() - began);
	return true;
}

/*
 * Measures the memory. The first look is some milliseconds after the start of a cell: what short
 * cells use does not matter. ret_exact: the figures can be compared with the limit.
 */
static struct memory_use look(struct supervisor *s, const struct worker *w, bool *ret_exact)
{
	struct memory_use u = memory_use_now(s, w, false);

	*ret_exact = may_be_too_much(s, &u) && look_again(s, w, &u);
	s->run.memory_seen = memory_use_total(&u);
	if (!s->run.memory_at_start) {
		s->run.memory_at_start = s->run.memory_seen;
		pressure_begin(s->pressure, loop_now_ms());
	}
	if (s->run.memory_seen > s->run.memory_most)
		s->run.memory_most = s->run.memory_seen;
	return u;
}

/* Ends the cell as OutOfMemory; the table is made while its process still has the memory. */
static void out_of_memory(struct supervisor *s, const struct worker *w, const struct memory_use *u,
			  const char *evalue, const char *advice)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	memory_use_holders(s, w, u, &text);
	buffer_puts(&text, advice);
	fault_report_plain(&s->run.report, "OutOfMemory", evalue, buffer_text(&text));
	/* The signal makes the worker record its line (runtime/faults/host-fault.c). */
	if (kill(w->pid, SIGXCPU))
		s->hooks->fail(s);
	s->run.asked_where = s->run.phase == RUN_RUNNING;
	cpu_deadline_begin(&s->run.where_deadline, w->pid, CPU_DEADLINE_ANSWER);
}

static bool too_much_memory(struct supervisor *s, struct worker *w)
{
	bool is_exact;
	struct memory_use u = look(s, w, &is_exact);
	char evalue[256], used[SIZE_TEXT_MAX], limit[SIZE_TEXT_MAX];

	/* Shadow copies only make cells fast and are not counted; kernel/cell-run/in-place.c keeps
	 * them small. */
	if (!is_exact || s->run.memory_seen - u.shadow_copies <= s->host_limit + MEMORY_USE_BASE)
		return false;
	snprintf(evalue, sizeof(evalue), "the session uses %s of host memory, the limit is %s",
		 size_text(s->run.memory_seen, used), size_text(s->host_limit, limit));
	out_of_memory(s, w, &u, evalue,
		      "Free what is not needed, or set another limit with %limit ram SIZE.");
	return true;
}

/* Tells whether the cell is the cause of the thrashing: its memory has grown, or the session is a
 * large part of the machine's memory. */
static bool is_to_blame(const struct supervisor *s)
{
	return s->run.memory_seen > s->run.memory_at_start + BLAME_GROWTH ||
	       s->run.memory_seen > machine_memory_total() / 4;
}

static bool thrashes(struct supervisor *s, struct worker *w)
{
	char evalue[256], used[SIZE_TEXT_MAX];
	struct memory_use u;
	bool is_exact;

	if (!pressure_is_high(s->pressure, loop_now_ms()))
		return false;
	/* Dropping shadow copies may be enough for another window. */
	if (in_place_give_up(s) > BLAME_GROWTH)
		return false;
	u = look(s, w, &is_exact);
	if (!is_to_blame(s))
		return false;
	snprintf(evalue, sizeof(evalue),
		 "the machine was about to freeze: for %u %% of the last %u seconds every process "
		 "waited for memory, and the session uses %s",
		 s->pressure->percent, PRESSURE_WINDOW_MS / 1000,
		 size_text(s->run.memory_seen, used));
	out_of_memory(
		s, w, &u, evalue,
		"The limit of host memory was not reached: other programs have the rest. Free what "
		"is not needed, here or there; %limit ram SIZE stops a cell earlier.");
	return true;
}

static bool too_many_processes(struct supervisor *s, struct worker *w)
{
	unsigned tasks = tasks_of_machine(), n = 0;
	bool refused = cgroup_refusals(&s->sandbox.cgroup) > s->run.refusals_at_start;
	char evalue[256];

	if (tasks > s->run.tasks_at_start + SUSPICIOUS)
		n = orphans_descendants(w->pid, PROCESSES_MAX);
	if (!refused && n < PROCESSES_MAX)
		return false;
	snprintf(evalue, sizeof(evalue),
		 "the cell has started more processes or threads than the %u that it may have",
		 PROCESSES_MAX);
	fault_report_plain(&s->run.report, "ProcessLimit", evalue, "All of them have been ended.");
	s->hooks->fail(s);
	return true;
}

static void on_tick(void *data)
{
	struct supervisor *s = data;
	struct worker *w = s->pool->active;

	s->run.tick = NULL;
	if (!w || s->run.phase != RUN_RUNNING)
		return;
	s->run.tick = loop_add_timer(s->loop, TICK_MS, on_tick, s);
	output_drain(s, w);
	if (s->run.asked_where) {
		if (cpu_deadline_used_ms(&s->run.where_deadline) > ANSWER_MS)
			s->hooks->fail(s);
		return;
	}
	if (!too_much_memory(s, w) && !thrashes(s, w))
		too_many_processes(s, w);
}

static void memory_text(const struct supervisor *s, char *buf, size_t size)
{
	char used[SIZE_TEXT_MAX], limit[SIZE_TEXT_MAX];

	size_text(s->host_limit, limit);
	if (!s->run.memory_most)
		snprintf(buf, size, "The limit of host memory is %s.", limit);
	else
		snprintf(buf, size,
			 "The session used up to %s of host memory while the cell ran; the limit "
			 "is %s.",
			 size_text(s->run.memory_most, used), limit);
}

void watchdog_report_death(struct supervisor *s, const struct worker *w)
{
	uint64_t kills = watchdog_oom_kills(s);
	bool killed = w->death.si_code != CLD_EXITED && w->death.si_status == SIGKILL;
	bool oom = killed && kills > s->oom_kills;
	char memory[256];

	s->oom_kills = kills;
	memory_text(s, memory, sizeof(memory));
	fault_report_from_death(&s->run.report, &w->death, oom, killed ? memory : "");
}
