/* SPDX-License-Identifier: Apache-2.0 */
/* One function makes a row or a group of rows; add() writes a row. */
#include "kernel/supervisor/doctor-rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/memory/address-map.h"
#include "config.h"
#include "kernel/cell-run/pressure.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/device-share.h"
#include "kernel/device/version-rules.h"
#include "kernel/device/version-watch.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/settings/limits.h"
#include "kernel/settings/size-text.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/workers/worker-pool.h"

#define LIMIT_LINES 5
#define ROWS_MAX (SANDBOX_STEPS + 16 + LIMIT_LINES)

static __attribute__((format(printf, 5, 6))) void
add(struct doctor_rows *d, const char *what, bool ok, const char *mend, const char *fmt, ...)
{
	va_list ap;

	if (d->n == ROWS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(d->details[d->n], sizeof(d->details[0]), fmt, ap);
	va_end(ap);
	d->rows[d->n] = (struct doctor_row){ what, ok, d->details[d->n], ok ? "" : mend };
	d->n++;
}

static void add_linux(struct doctor_rows *d)
{
	struct utsname u;

	if (!uname(&u))
		add(d, "linux", true, "", "%s %s %s", u.sysname, u.release, u.machine);
}

static void add_commit(struct doctor_rows *d, const struct supervisor *s)
{
	bool best = s->dirty_pages == &dirty_pages_ioctl;

	add(d, "commit", best,
	    "Use Linux 6.7 or newer: cells that fill much memory are committed faster there.",
	    "overwritten pages are found by %s", s->dirty_pages->name);
}

static void add_compiler(struct doctor_rows *d, const struct supervisor *s)
{
	const struct compiler_client *c = s->compiler;

	if (!c->said_hello) {
		add(d, "compiler", false,
		    "See the log of the kernel; run cgpu-compiler by hand to see what it lacks.",
		    "cgpu-compiler does not answer%s%s", *c->last_death ? "; the last one " : "",
		    c->last_death);
		return;
	}
	add(d, "compiler", true, "", "clang %s%s", c->clang,
	    c->restarts ? " (was started again)" : "");
}

static void add_device(struct doctor_rows *d, const struct supervisor *s)
{
	const struct worker_hello *h = &s->pool->hello;

	if (!s->pool->said_hello) {
		add(d, "worker", false,
		    "See the log of the kernel; run `cgpu-kernel --doctor` in a terminal.",
		    "cgpu-worker has not started");
		return;
	}
	add(d, "device", !*h->problem,
	    HAVE_CUDA ? "Without a GPU that works, cells run on the emulated device."
		      : "C and C++ cells need none.",
	    "%s%s, driver API %u.%u, %llu MiB in %.1f GiB of addresses%s%s", h->device,
	    h->emulated ? " (emulated on the CPU)" : "", h->driver_version / 1000,
	    h->driver_version % 1000 / 10, (unsigned long long)(h->device_memory >> 20),
	    (double)h->window / (double)GIB, *h->problem ? "; " : "", h->problem);
}

static void add_traits(struct doctor_rows *d, const struct supervisor *s)
{
	uint32_t traits = s->pool->said_hello ? s->pool->hello.traits : 0;

	if (traits & DEVICE_MPS)
		add(d, "sharing by MPS", false,
		    "End MPS by `echo quit | nvidia-cuda-mps-control`, and let several processes "
		    "use the GPU by `sudo nvidia-smi -c DEFAULT`; then start the kernel again.",
		    "cells use the GPU as clients of NVIDIA's Multi-Process Service: a fault of "
		    "another client ends the cell that runs");
	else if (traits & DEVICE_EXCLUSIVE)
		add(d, "exclusive mode", false,
		    "`sudo nvidia-smi -c DEFAULT` lets several processes use the GPU.",
		    "one process at a time may use the GPU: other notebooks cannot, and none waits "
		    "with a context for the next fault");
	if (traits & DEVICE_HMM)
		add(d, "host memory by HMM", true, "",
		    "device code reaches all memory of the host: a pointer to the wrong one is no "
		    "fault");
}

static void add_nvidia_nodes(struct doctor_rows *d, const struct supervisor *s)
{
	const struct nvidia_nodes *n = &s->nvidia_nodes;

	if (n->outcome != NVIDIA_NODES_NO_DRIVER)
		add(d, "device files", n->outcome != NVIDIA_NODES_LACKING,
		    "Run `sudo nvidia-modprobe -c0 -u`, or nvidia-smi, once after each start of "
		    "the machine, or enable nvidia-persistenced; then start the kernel again.",
		    "%s%s", n->text,
		    n->outcome == NVIDIA_NODES_MADE ? " (made at the start of the kernel)" : "");
}

/* Adds rows for broken version rules only. */
static void add_versions(struct doctor_rows *d, const struct supervisor *s)
{
	struct version_facts f;
	struct version_verdict v;

	version_watch_facts(s, &f);
	for (size_t i = 0; i < version_rules_count(); i++) {
		version_rules_check(i, &f, &v);
		if (!v.ok)
			add(d, v.name, false, v.hint, "%s", v.detail);
	}
}

static void add_memory(struct doctor_rows *d, const struct supervisor *s)
{
	char limit[SIZE_TEXT_MAX];
	bool told = s->pressure->fd >= 0;

	add(d, "host memory", told,
	    "Boot Linux with psi=1: a cell that drives the machine into thrashing is stopped there "
	    "before it freezes.",
	    "a session may use %s; memory pressure is %s", size_text(s->host_limit, limit),
	    told ? "watched" : "not told by this Linux");
}

static void add_share(struct doctor_rows *d, const struct supervisor *s)
{
	const struct device_share *h = s->share;

	if (h->open)
		add(d, "sharing", true, "",
		    "kernels that name %s share device memory with this one", h->share.file.path);
	else if (*h->problem)
		add(d, "sharing", false,
		    "Name a file with --share that you may write, and start the kernel again: "
		    "until then other kernels do not see what this one holds of the device, nor "
		    "this one what they hold.",
		    "%s", h->problem);
}

static void add_limits(struct doctor_rows *d, const struct supervisor *s)
{
	const char *line = s->limits ? buffer_text(&s->limits->problems) : "";

	for (int i = 0; *line && i < LIMIT_LINES; i++) {
		int len = (int)strcspn(line, "\n");

		add(d, "limits", false, "Mend this line, or remove it: it counts for nothing.",
		    "%.*s", len, line);
		line += len + (line[len] == '\n');
	}
}

static void add_steps(struct doctor_rows *d, const struct supervisor *s)
{
	for (int i = 0; i < SANDBOX_STEPS; i++) {
		const char *why = s->sandbox.missing[i];

		if ((i == SANDBOX_STEP_OTHER && !why) || !sandbox_wants(&s->sandbox, i))
			continue;
		add(d, sandbox_step_name(i), !why, sandbox_step_mend(i), "%s",
		    why ? why : "in force");
	}
}

size_t doctor_rows_make(struct doctor_rows *d, const struct supervisor *s,
			const struct doctor_row **ret)
{
	if (!d->rows)
		d->rows = calloc(ROWS_MAX, sizeof(*d->rows));
	if (!d->details)
		d->details = calloc(ROWS_MAX, sizeof(*d->details));
	*ret = d->rows;
	d->n = 0;
	if (!d->rows || !d->details)
		return 0;
	add_linux(d);
	add_device(d, s);
	add_traits(d, s);
	add_nvidia_nodes(d, s);
	add_compiler(d, s);
	add_versions(d, s);
	add_commit(d, s);
	add_memory(d, s);
	add_share(d, s);
	add_limits(d, s);
	add(d, "profile", true, "", "%s: %s", profile_word(s->sandbox.setup.profile),
	    profile_meaning(s->sandbox.setup.profile));
	add_steps(d, s);
	return d->n;
}

void doctor_rows_release(struct doctor_rows *d)
{
	free(d->rows);
	free(d->details);
	*d = (struct doctor_rows){ 0 };
}
