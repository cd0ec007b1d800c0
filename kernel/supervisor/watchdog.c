/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One timer a cell. Memory is what the worker has of its own and shares with the session, without emulated device memory,
 * which has a limit of its own. Processes are counted only after the whole machine has gained many: that number is one cheap
 * call.
 */
#define _GNU_SOURCE
#include "kernel/supervisor/watchdog.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "common/cleanup.h"
#include "common/worker-protocol.h"
#include "kernel/loop.h"
#include "kernel/supervisor/cell-run.h"
#include "kernel/supervisor/output-drain.h"
#include "kernel/supervisor/strays.h"
#include "kernel/supervisor/supervisor-state.h"

#define TICK_MS 20
#define PROCESSES_MAX 512
#define SUSPICIOUS 200
/* A worker without a session: its libraries, the emulator's tables. */
#define WORKER_BASE (96ull << 20)

static void on_tick(void *data);

static unsigned tasks_of_machine(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : info.procs;
}

uint64_t watchdog_oom_kills(void)
{
	cleanup_file FILE *f = fopen("/proc/vmstat", "re");
	char line[128];
	uint64_t n = 0;

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

static uint64_t device_bytes(const struct supervisor *s)
{
	uint64_t bytes = 0;

	if (!s->pool.hello.emulated)
		return 0;
	for (size_t i = 0; i < s->device.chunks.n; i++)
		bytes += s->device.chunks.at[i].size;
	return bytes;
}

static uint64_t memory_of(const struct supervisor *s, const struct worker *w)
{
	uint64_t resident = 0, device = device_bytes(s);
	cleanup_file FILE *f = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)w->pid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%*u %" SCNu64, &resident) != 1)
		return 0;
	resident *= 4096;
	return resident > device ? resident - device : 0;
}

static const char *size_text(uint64_t bytes, char *buf, size_t size)
{
	if (bytes >= 10ull << 30)
		snprintf(buf, size, "%" PRIu64 " GiB", bytes >> 30);
	else
		snprintf(buf, size, "%" PRIu64 " MiB", bytes >> 20);
	return buf;
}

static void memory_text(const struct supervisor *s, char *buf, size_t size)
{
	char used[32], limit[32];

	if (!s->run.memory_seen)
		snprintf(buf, size, "The limit of host memory is %s.", size_text(s->host_limit, limit, sizeof(limit)));
	else
		snprintf(buf, size, "The cell's process had %s of memory when it was last looked at; the limit is %s.",
			 size_text(s->run.memory_seen, used, sizeof(used)),
			 size_text(s->host_limit, limit, sizeof(limit)));
}

static bool too_much_memory(struct supervisor *s, struct worker *w)
{
	char evalue[256], used[32], limit[32];

	s->run.memory_seen = memory_of(s, w);
	if (!s->host_limit || s->run.memory_seen <= s->host_limit + WORKER_BASE)
		return false;
	snprintf(evalue, sizeof(evalue), "the cell uses %s of host memory, the limit is %s",
		 size_text(s->run.memory_seen, used, sizeof(used)), size_text(s->host_limit, limit, sizeof(limit)));
	fault_report_plain(&s->run.report, "OutOfMemory", evalue, "%limit ram SIZE sets another limit.");
	cell_run_fail(s);
	return true;
}

static bool too_many_processes(struct supervisor *s, struct worker *w)
{
	unsigned tasks = tasks_of_machine(), n = 0;
	bool refused = cgroup_refusals(&s->sandbox.cgroup) > s->run.refusals_at_start;
	char evalue[256];

	if (tasks > s->run.tasks_at_start + SUSPICIOUS)
		n = strays_descendants(w->pid, PROCESSES_MAX);
	if (!refused && n < PROCESSES_MAX)
		return false;
	snprintf(evalue, sizeof(evalue), "the cell has started more processes or threads than the %u that it may have",
		 PROCESSES_MAX);
	fault_report_plain(&s->run.report, "ProcessLimit", evalue, "All of them have been ended.");
	cell_run_fail(s);
	return true;
}

static void on_tick(void *data)
{
	struct supervisor *s = data;
	struct worker *w = s->pool.active;

	s->run.tick = NULL;
	if (!w || s->run.phase != RUN_RUNNING)
		return;
	s->run.tick = loop_add_timer(s->loop, TICK_MS, on_tick, s);
	output_drain(s, w);
	if (!too_much_memory(s, w))
		too_many_processes(s, w);
}

void watchdog_report_death(struct supervisor *s, const struct worker *w)
{
	uint64_t kills = watchdog_oom_kills();
	bool killed = w->death.si_code != CLD_EXITED && w->death.si_status == SIGKILL;
	bool oom = killed && kills > s->oom_kills;
	char memory[256];

	s->oom_kills = kills;
	memory_text(s, memory, sizeof(memory));
	fault_report_from_death(&s->run.report, &w->death, oom, killed ? memory : "");
}
