/* SPDX-License-Identifier: Apache-2.0 */
/* The device side of a compilation: device text to PTX, NVRTC's words to diagnostics, the entries
 * with their names. */
#ifndef CGPU_COMPILER_COMPILE_DEVICE_H
#define CGPU_COMPILER_COMPILE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "common/unit.h"
#include "compiler/device-job.h"
#include "compiler/device-follow.h"
#include "compiler/diagnostics.h"
#include "compiler/host-text.h"
#include "compiler/nvrtc.h"

struct compile_device {
	struct nvrtc *nvrtc;
	const char *cuda_root; /* NULL: headers are not there */
	const char *prelude; /* folder of the headers that cells see */
	uint32_t sm;
	const char *flags; /* of the user */
	struct host_text *host;
	struct session *session;
	struct diagnostics *diagnostics;
	struct buffer *ptx;
	struct unit_entry *entries; /* result, in the host text's pool */
	size_t n_entries;
	struct device_followers followers;
	struct device_job *job; /* begun; NULL: none */
};

/*
 * The compilers put the working folder, and clang the place of a declaration, in front of a cell's name:
 * `.file 1 "/home/me/In[3]"` becomes `.file 1 "In[3]"`, in place. Returns the length of the text.
 */
size_t compile_device_name_files(char *ptx, size_t len);
/* Let NVRTC begin beside what is to be done first; whether that can be shows in compile_device(). */
void compile_device_begin(struct compile_device *d);
/* 0 also when the text does not compile: then diagnostics hold an error. */
int compile_device(struct compile_device *d, struct error *err);

#endif
