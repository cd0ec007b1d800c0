/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With -minimal NVRTC leaves out textures, surfaces and the runtime functions that device code may call, and takes three
 * quarters of the time. A text that speaks of none is compiled so first; whatever goes wrong then, it is compiled as
 * always, so errors are those of the whole language. A text with includes is not: headers may ask for what is left out.
 */
#include "compiler/device-job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/nvrtc.h"
#include "compiler/options.h"

#define FLAGS_MAX 32
/* "declared but never referenced", "set but never used": a later cell may, and clang is not asked for these either. */
#define SUPPRESSED "-diag-suppress=177,550"

static int copy_names(struct device_job *job, const struct device_request *r)
{
	job->names = calloc(r->n_names + 1, sizeof(*job->names));
	job->mangled = calloc(r->n_names + 1, sizeof(*job->mangled));
	if (!job->names || !job->mangled)
		return -1;
	for (; job->n_names < r->n_names; job->n_names++)
		if (!(job->names[job->n_names] = strdup(r->names[job->n_names])))
			return -1;
	return 0;
}

static void drop_mangled(struct device_job *job)
{
	for (size_t i = 0; job->mangled && i < job->n_names; i++) {
		free(job->mangled[i]);
		job->mangled[i] = NULL;
	}
}

struct device_job *device_job_new(struct nvrtc *nvrtc, const struct device_request *r)
{
	struct device_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->nvrtc = nvrtc;
	job->name = strdup(r->name);
	job->text = strdup(r->text);
	job->flags = strdup(r->flags);
	snprintf(job->arch, sizeof(job->arch), "-arch=compute_%u", r->sm ? r->sm : 75);
	if (r->cuda_root) {
		buffer_printf(&job->include, "--include-path=%s/include", r->cuda_root);
		buffer_printf(&job->cccl, "--include-path=%s/include/cccl", r->cuda_root);
	}
	if (!copy_names(job, r) && job->name && job->text && job->flags && !buffer_check(&job->include, NULL) &&
	    !buffer_check(&job->cccl, NULL))
		return job;
	device_job_free(job);
	return NULL;
}

static bool suits_minimal(const struct device_job *job)
{
	static const char *const left_out[] = { "include", "import", "tex", "surf", "cuda", "MINIMAL" };

	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (strstr(job->text, left_out[i]))
			return false;
	return !*job->flags;
}

static void compile(struct device_job *job, bool minimal)
{
	const char *options[10 + FLAGS_MAX] = { job->arch, "-lineinfo", "-rdc=true", "-default-device", "-std=c++17",
					       "--include-path=.", SUPPRESSED };
	struct nvrtc_program program = { .name = job->name, .text = job->text, .options = options, .n_options = 7,
					 .names = (const char *const *)job->names, .n_names = job->n_names };

	if (job->include.len) {
		options[program.n_options++] = buffer_text(&job->include);
		options[program.n_options++] = buffer_text(&job->cccl);
	}
	if (minimal)
		options[program.n_options++] = "-minimal";
	program.n_options += options_split(job->flags, options + program.n_options, FLAGS_MAX);
	job->status = nvrtc_compile(job->nvrtc, &program, &job->ptx, &job->log, job->mangled, &job->err);
}

static void *run(void *context)
{
	struct device_job *job = context;
	bool minimal = suits_minimal(job);

	compile(job, minimal);
	if (!minimal || !job->status)
		return NULL;
	buffer_clear(&job->ptx);
	buffer_clear(&job->log);
	drop_mangled(job);
	job->err = (struct error)ERROR_INIT;
	compile(job, false);
	return NULL;
}

void device_job_start(struct device_job *job)
{
	job->started = !pthread_create(&job->thread, NULL, run, job);
}

void device_job_wait(struct device_job *job)
{
	if (job->started)
		pthread_join(job->thread, NULL);
	else
		run(job);
	job->started = false;
}

void device_job_free(struct device_job *job)
{
	if (!job)
		return;
	if (job->started)
		pthread_join(job->thread, NULL);
	drop_mangled(job);
	for (size_t i = 0; i < job->n_names; i++)
		free(job->names[i]);
	free(job->names);
	free(job->mangled);
	free(job->name);
	free(job->text);
	free(job->flags);
	buffer_release(&job->include);
	buffer_release(&job->cccl);
	buffer_release(&job->ptx);
	buffer_release(&job->log);
	free(job);
}
