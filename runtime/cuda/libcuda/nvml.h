/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVML as cells and libraries reach it: libcgpu-nvml.so stands before it under its name
 * (nvml-shim.c), and its functions come here. What they say of memory is what cudaMemGetInfo()
 * says: the session's limit, not the card. All else is passed on to the machine's NVML. The
 * emulated device has none, so there the answers are ours (nvml-answers.c).
 */
#ifndef CGPU_RUNTIME_CUDA_LIBCUDA_NVML_H
#define CGPU_RUNTIME_CUDA_LIBCUDA_NVML_H

#include <pthread.h>
#include <stdbool.h>

#include "runtime/cuda/libcuda/nvml-shim.h"

struct buffer;
struct error;

#define NVML_NAME "libnvidia-ml.so.1"

/* Load the library that stands before NVML, from this folder, before any other library. Once. */
int nvml_load(const char *folder, struct error *err);
/* Is this file NVML, or called as it is? Then whoever opens it is to get NVML_NAME, unless we open
 * it ourselves. */
bool nvml_is_library(const char *path);
/* The machine's NVML, for ourselves; stays open. NULL: it has none. */
void *nvml_open(void);
/* From here on calls are answered: the driver was chosen, or there is none. */
void nvml_attach(void);
/* A worker has taken the session over: a line, if it had begun to use the machine's NVML. */
void nvml_report(struct buffer *out);

/* ---- for nvml-answers.c ---- */

/* The library before NVML, and NVML behind it, in this process. */
struct nvml {
	struct nvml_shim *shim; /* NULL: none is loaded */
	pthread_once_t looked_for;
	void *library;          /* the machine's; NULL: our own answers */
	void *real[NVML_COUNT]; /* its functions by number; NULL: it has none, or there is none */
};
extern struct nvml nvml;
/* Ours by number, NULL: none; some stand before the machine's, too, and need no nvmlInit() before
 * them. */
void *nvml_answer(unsigned number);
bool nvml_answer_always(unsigned number);
bool nvml_answer_early(unsigned number);
/* Look at the devices, once in a worker. */
void nvml_answers_begin(void);

#endif
