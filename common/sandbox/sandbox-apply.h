/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containment of zygote, worker and compiler, as ordered lists of steps. Which steps are wanted is
 * the kernel's decision (enum sandbox_flag); a step that cannot be applied is appended to the
 * report and the others go on.
 */
#ifndef CGPU_COMMON_SANDBOX_SANDBOX_APPLY_H
#define CGPU_COMMON_SANDBOX_SANDBOX_APPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;

/* The steps that were not applied: so many {str step, str why} records in `list`. */
struct sandbox_report {
	struct buffer *list;
	uint32_t n;
};

struct sandbox_policy {
	uint32_t flags;
	const char *hidden;  /* path to hide, "" for none */
	bool hidden_already; /* the zygote has hidden it */
	const void *filter;  /* struct sock_filter[] */
	size_t filter_len;   /* bytes */
};

/* In the zygote, once, while it has one thread. True if the file is hidden from here on. */
bool sandbox_apply_zygote(const struct sandbox_policy *p, struct sandbox_report *report);
/* In the zygote, when it has hidden the file: cover another one. Workers that live already are in
 * the same namespace. */
int sandbox_apply_cover(const char *path, struct error *err);
/* In the worker, before it has any other thread. */
void sandbox_apply_worker(const struct sandbox_policy *p, struct sandbox_report *report);

/* In the compiler process, behind sandbox_apply_zygote(): the text that it reads is a cell's, and
 * so are the flags, plug-ins and tools that it is told to use. */
void sandbox_apply_compiler(const struct sandbox_policy *p, struct sandbox_report *report);

#endif
