/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device compilation of a C++ cell, on a thread of its own beside the host compilation, which
 * finds out that there is device code. The thread uses nothing of the cell's but the text, which
 * does not change meanwhile: diagnostics are kept, and reported by the thread that has joined it,
 * when the host compilation succeeds.
 *
 * The order of calls: _begin() at most once, _join(), then _tell() and the fields, or nothing;
 * _release().
 */
#ifndef CGPU_COMPILER_DEVICE_HALF_H
#define CGPU_COMPILER_DEVICE_HALF_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"
#include "common/base/deep-thread.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/clang/job/clang-shim.h"

struct cpp_header_watch;
struct options;

struct device_half {
	const struct options *options;
	struct clang_job job;           /* with options for the device */
	const char *includes;           /* the source of its precompiled header */
	struct cpp_header_watch *watch; /* of that header; borrowed, the thread's while it runs */
	bool begun;
	/* Valid when it has been joined: */
	int failed; /* there was no compilation, for the reason in err */
	struct error err;
	bool compiled; /* ptx is set */
	char *ptx;     /* malloc-ed */
	size_t ptx_len;
	/* Used by the thread: */
	bool has_thread;
	struct deep_thread thread;
	struct mem_pool pool;
	struct buffer said;   /* struct clang_diagnostic */
	struct buffer header; /* path */
};

/* job is the host's. Its texts, and includes, must stay until the end. */
void device_half_begin(struct device_half *h, const struct options *o,
		       const struct clang_options *clang, const struct clang_job *job,
		       const char *includes, struct cpp_header_watch *watch);
void device_half_join(struct device_half *h);
/* Calls `told` with each diagnostic, in order. */
void device_half_tell(const struct device_half *h, void *context,
		      void (*told)(void *context, const struct clang_diagnostic *d));
/* Releases one that has been joined, or was never begun. */
void device_half_release(struct device_half *h);

#endif
