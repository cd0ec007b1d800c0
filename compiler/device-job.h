/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text for NVRTC, compiled on a thread: most of the time that a cell with an entry takes is NVRTC's, and clang can compile
 * the host's half meanwhile.
 */
#ifndef CGPU_COMPILER_DEVICE_JOB_H
#define CGPU_COMPILER_DEVICE_JOB_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"

struct nvrtc;

/* What is asked; texts are copied. */
struct device_request {
	const char *name; /* "In[3]" */
	const char *text;
	const char *cuda_root; /* NULL: headers are not there */
	const char *prelude;   /* folder of the headers that cells see */
	uint32_t sm;           /* 0: the least */
	const char *flags;     /* of the user */
};

struct device_job {
	struct nvrtc *nvrtc; /* loaded; outlives the job */
	char *name, *text, *flags;
	char arch[32];
	struct buffer own, include, cccl; /* options for folders of headers */
	pthread_t thread;
	bool started;
	/* once waited for */
	int status; /* as nvrtc_compile() says */
	struct error err;
	struct buffer ptx, log;
};

/* NULL: memory is out. */
struct device_job *device_job_new(struct nvrtc *nvrtc, const struct device_request *request);
/* Begin on a thread; where there is none to be had device_job_wait() does it all. */
void device_job_start(struct device_job *job);
void device_job_wait(struct device_job *job);
/* NULL accepted. Waits. */
void device_job_free(struct device_job *job);

#endif
