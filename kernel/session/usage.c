/* SPDX-License-Identifier: Apache-2.0 */
/* All figures are from /proc; those that cannot be read count as 0, since this is a display
 * only. */
#include "kernel/session/usage.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "kernel/base/loop.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

#define DEPTH_MAX 8

struct processes {
	uint64_t ticks; /* of processor time, user and system */
	uint64_t bytes; /* resident and not shared */
};

static void add_memory(long pid, struct processes *sum)
{
	unsigned long long resident, shared;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/statm", pid);
	cleanup_file FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%*u %llu %llu", &resident, &shared) == 2 && resident > shared)
		sum->bytes += (resident - shared) * (unsigned long long)sysconf(_SC_PAGESIZE);
}

static void add_one(long pid, struct processes *sum)
{
	char path[64], line[1024];
	unsigned long user, system;
	const char *end;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	cleanup_file FILE *f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return;
	end = strrchr(line, ')'); /* the name before it may contain anything */
	if (end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
			  &system) == 2)
		sum->ticks += user + system;
	add_memory(pid, sum);
}

/* Adds the process and its descendants. */
static void add_tree(long pid, int depth, struct processes *sum)
{
	char path[64];
	long child;

	add_one(pid, sum);
	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", pid, pid);
	cleanup_file FILE *f = fopen(path, "re");
	while (f && depth && fscanf(f, "%ld", &child) == 1)
		add_tree(child, depth - 1, sum);
}

static void host_ticks(uint64_t *ret_busy, uint64_t *ret_total)
{
	unsigned long long v[8] = { 0 };
	cleanup_file FILE *f = fopen("/proc/stat", "re");

	*ret_total = 0;
	if (f && fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", v, v + 1, v + 2, v + 3,
			v + 4, v + 5, v + 6, v + 7) > 0)
		for (int i = 0; i < 8; i++)
			*ret_total += v[i];
	*ret_busy = *ret_total - v[3] - v[4]; /* idle and iowait */
}

static json_t *host_memory(void)
{
	unsigned long long total = 0, available = 0, mem_free = 0, value;
	char key[64];
	cleanup_file FILE *f = fopen("/proc/meminfo", "re");

	while (f && fscanf(f, "%63[^:]: %llu kB\n", key, &value) == 2) {
		if (!strcmp(key, "MemTotal"))
			total = value << 10;
		else if (!strcmp(key, "MemAvailable"))
			available = value << 10;
		else if (!strcmp(key, "MemFree"))
			mem_free = value << 10;
	}
	return json_pack("{sI sI sf sI sI}", "total", (json_int_t)total, "available",
			 (json_int_t)available, "percent",
			 total ? 100.0 * (total - available) / total : 0.0, "used",
			 (json_int_t)(total - available), "free", (json_int_t)mem_free);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0.0;
}

void usage_request(struct request *r)
{
	struct usage *last = &r->session->usage, at = { .at_ms = loop_now_ms() };
	struct processes sum = { 0 };
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	add_tree(getpid(), DEPTH_MAX, &sum);
	/* The session's memory is in memfds, which several processes or none have mapped. */
	sum.bytes += supervisor_kept_bytes(r->session->supervisor);
	at.cpu_ticks = sum.ticks;
	host_ticks(&at.host_busy, &at.host_total);
	/* A process that has ended since takes its time out of the sum. */
	if (at.cpu_ticks < last->cpu_ticks)
		last->cpu_ticks = at.cpu_ticks;
	request_reply(r, json_pack("{ss si sf sI si sf so}", "hostname", host, "pid", (int)getpid(),
				   "kernel_cpu",
				   last->at_ms ? percent((at.cpu_ticks - last->cpu_ticks) * 1000 /
								 sysconf(_SC_CLK_TCK),
							 at.at_ms - last->at_ms)
					       : 0.0,
				   "kernel_memory", (json_int_t)sum.bytes, "cpu_count",
				   get_nprocs(), "host_cpu_percent",
				   percent(at.host_busy - last->host_busy,
					   at.host_total - last->host_total),
				   "host_virtual_memory", host_memory()));
	*last = at;
}
