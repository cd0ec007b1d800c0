/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared libraries of the session. The zygote loads them; a zygote that replaces another loads
 * them again, and what lies elsewhere then, or is another build, is said in the next report.
 * Workers that were forked before a library was loaded are replaced.
 */
#ifndef CGPU_KERNEL_WORKERS_LIBRARIES_H
#define CGPU_KERNEL_WORKERS_LIBRARIES_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct record;
struct supervisor;

/* problem: why they could not be loaded, or "". */
typedef void libraries_loaded(void *data, const char *problem);

struct library {
	char *path; /* owned */
	uint64_t base;
	char build_id[64];
};

struct libraries {
	struct library *at; /* owned */
	size_t n;
	uint32_t request; /* the ZYGOTE_LOAD that is not answered; 0: none */
	uint32_t last_id;
	libraries_loaded *fn;
	void *data;
};

void libraries_release(struct libraries *l);
/* See supervisor_load(). */
int libraries_load(struct supervisor *s, const char *const *paths, size_t n, libraries_loaded *fn,
		   void *data, struct error *err);
/* A zygote has been started: tell it all that are known. */
int libraries_load_again(struct supervisor *s, struct error *err);
/* The payload of ZYGOTE_LOADED behind its id; -1: malformed. */
int libraries_on_loaded(struct supervisor *s, uint32_t id, struct record *r, struct error *err);
void libraries_on_zygote_gone(struct supervisor *s);

#endif
