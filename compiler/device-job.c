/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With -minimal NVRTC leaves out textures, surfaces and the runtime functions that device code may call, and takes three
 * quarters of the time. A text that speaks of none is compiled so first; whatever goes wrong then, it is compiled as
 * always, so errors are those of the whole language. A text with includes is not: headers may ask for what is left out.
 * Large headers are precompiled: compiler/device-header.h.
 */
#include "compiler/device-job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "compiler/nvrtc.h"
#include "compiler/options.h"

#define FLAGS_MAX 32
/*
 * "declared but never referenced", "set but never used": a later cell may, and clang is not asked for these either. And that
 * a #line ends what can be precompiled.
 */
#define SUPPRESSED "-diag-suppress=177,550,20283"

struct device_job *device_job_new(struct nvrtc *nvrtc, const struct device_request *r)
{
	struct device_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->nvrtc = nvrtc;
	job->name = strdup(r->name);
	job->text = strdup(r->text);
	job->flags = strdup(r->flags);
	snprintf(job->arch, sizeof(job->arch), "-arch=compute_%u", nvrtc_target(nvrtc, r->sm ? r->sm : 75));
	if (r->cuda_root) {
		buffer_printf(&job->own, "--include-path=%s/device", r->prelude);
		buffer_printf(&job->include, "--include-path=%s/include", r->cuda_root);
		buffer_printf(&job->cccl, "--include-path=%s/include/cccl", r->cuda_root);
	}
	if (job->name && job->text && job->flags && !buffer_check(&job->own, NULL) &&
	    !buffer_check(&job->include, NULL) &&
	    !buffer_check(&job->cccl, NULL))
		return job;
	device_job_free(job);
	return NULL;
}

static bool suits_minimal(const struct device_job *job, const char *text)
{
	static const char *const left_out[] = { "include", "import", "tex", "surf", "cuda", "MINIMAL" };

	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (strstr(text, left_out[i]))
			return false;
	return !*job->flags;
}

/* extra: options of this run; NULL for none. */
static void compile(struct device_job *job, const char *text, const char *extra, const char *more)
{
	const char *options[13 + FLAGS_MAX] = { job->arch, "-lineinfo", "-rdc=true", "-default-device", "-std=c++17",
					       "--include-path=.", SUPPRESSED };
	struct nvrtc_program program = { .name = job->name, .text = text, .options = options, .n_options = 7 };

	if (job->include.len) {
		options[program.n_options++] = buffer_text(&job->own);
		options[program.n_options++] = buffer_text(&job->include);
		options[program.n_options++] = buffer_text(&job->cccl);
	}
	if (extra)
		options[program.n_options++] = extra;
	if (more)
		options[program.n_options++] = more;
	program.n_options += options_split(job->flags, options + program.n_options, FLAGS_MAX);
	job->status = nvrtc_compile(job->nvrtc, &program, &job->ptx, &job->log, &job->err);
}

static void forget_result(struct device_job *job)
{
	buffer_clear(&job->ptx);
	buffer_clear(&job->log);
	job->err = (struct error)ERROR_INIT;
}

/* Makes the precompiled header on its way. What is wrong with an include can be told by compiling as always only. */
static bool compile_first(struct device_job *job, const char *text, const char *key)
{
	cleanup_buffer struct buffer path = BUFFER_INIT, option = BUFFER_INIT;

	if (device_headers_path(&job->nvrtc->headers, &path))
		return false;
	buffer_printf(&option, "-create-pch=%s", buffer_text(&path));
	compile(job, text, buffer_text(&option), "-pch-messages=false");
	if (!job->status || !access(buffer_text(&path), R_OK))
		device_headers_put(&job->nvrtc->headers, key, buffer_text(&path));
	return !job->status;
}

/* NVRTC passes a header over whose files have changed, and says so. */
static bool compile_again(struct device_job *job, const char *text, struct device_header *header)
{
	char option[48];

	snprintf(option, sizeof(option), "-use-pch=/proc/self/fd/%d", header->fd);
	compile(job, text, option, "-pch-messages=false");
	if (job->status >= 0 && !strstr(buffer_text(&job->log), "precompiled header file"))
		return true;
	device_headers_drop(&job->nvrtc->headers, header);
	return false;
}

/* False: it is to be compiled as always. */
static bool compile_with_header(struct device_job *job, const char *text)
{
	cleanup_buffer struct buffer whole = BUFFER_INIT, key = BUFFER_INIT;
	struct device_header *header;

	device_header_find(text, &whole);
	if (!whole.len || !job->nvrtc->precompiles)
		return false;
	buffer_printf(&key, "%s %s %s %s\n%s", job->arch, buffer_text(&job->include), buffer_text(&job->cccl), job->flags,
		      buffer_text(&whole));
	buffer_printf(&whole, "#pragma nv_hdrstop\n%s", text);
	if (buffer_check(&whole, NULL) || buffer_check(&key, NULL))
		return false;
	header = device_headers_get(&job->nvrtc->headers, buffer_text(&key));
	if (header && header->fd < 0)
		return false;
	return header ? compile_again(job, buffer_text(&whole), header)
		      : compile_first(job, buffer_text(&whole), buffer_text(&key));
}

static void *run(void *context)
{
	struct device_job *job = context;
	cleanup_buffer struct buffer lean = BUFFER_INIT;
	bool is_lean = device_header_lean(job->text, job->name, &lean);
	const char *text = is_lean ? buffer_text(&lean) : job->text;
	bool minimal = suits_minimal(job, text);

	if (minimal)
		compile(job, text, "-minimal", NULL);
	else if (!compile_with_header(job, text)) {
		forget_result(job);
		compile(job, text, NULL, NULL);
	}
	if (!job->status || (!minimal && !is_lean))
		return NULL;
	forget_result(job);
	if (!compile_with_header(job, job->text)) {
		forget_result(job);
		compile(job, job->text, NULL, NULL);
	}
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
	free(job->name);
	free(job->text);
	free(job->flags);
	buffer_release(&job->own);
	buffer_release(&job->include);
	buffer_release(&job->cccl);
	buffer_release(&job->ptx);
	buffer_release(&job->log);
	free(job);
}
