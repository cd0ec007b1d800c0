/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's runtime compiler, found when it is first needed: a library of its own, so that cells in
 * C work without it. The names looked for, in this order: CGPU_NVRTC (a file), the CUDA root, its
 * pip wheel, the system's library path.
 */
#ifndef CGPU_COMPILER_NVRTC_H
#define CGPU_COMPILER_NVRTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/device-header.h"

struct buffer;
struct error;

struct nvrtc {
	void *library; /* NULL: not loaded */
	bool tried;
	char version[16];		 /* "13.0" or "" */
	char problem[512];		 /* why there is none; "" */
	bool precompiles;		 /* it can use precompiled headers: from 12.8 on */
	struct device_headers headers;	 /* those that this library has made */
	const struct nvrtc_calls *calls; /* owned */
};

struct nvrtc_program {
	const char *name; /* in diagnostics: "In[3]" */
	const char *text;
	const char *const *options;
	size_t n_options;
};

/*
 * Fill version or problem without keeping the library: a child loads it and tells. It is nearly 30 MB, which a session
 * without CUDA code does not need. One that does not come to an end of it is a problem, too, and is not tried again.
 */
void nvrtc_probe(struct nvrtc *n, const char *cuda_root);
/* Load the library; 0, or -1 with ERROR_NOT_FOUND and the package's name. cuda_root may be NULL. */
int nvrtc_load(struct nvrtc *n, const char *cuda_root, struct error *err);
void nvrtc_release(struct nvrtc *n);

/* The newest compute capability (75 for 7.5) up to `wanted` that the library, which is loaded, makes PTX for. */
uint32_t nvrtc_target(const struct nvrtc *n, uint32_t wanted);

/*
 * Compile to PTX. 0; 1 when the text does not compile (log says why); -1 for all else. The log may hold warnings after
 * success.
 */
int nvrtc_compile(struct nvrtc *n, const struct nvrtc_program *p, struct buffer *ptx, struct buffer *log, struct error *err);

#endif
