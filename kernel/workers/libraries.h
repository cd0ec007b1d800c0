/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared libraries of the session. The zygote loads them, and a zygote that replaces another
 * loads them again; the next report names each library that then has another address or is another
 * build. Workers that were forked before a library was loaded are replaced.
 */
#ifndef CGPU_KERNEL_WORKERS_LIBRARIES_H
#define CGPU_KERNEL_WORKERS_LIBRARIES_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct record;
struct supervisor;

/* problem says why the libraries could not be loaded; "" means that they are. */
typedef void libraries_loaded(void *data, const char *problem);

struct library {
	char *path; /* owned */
	uint64_t base;
	char build_id[64];
};

struct libraries {
	struct library *at; /* owned */
	size_t n;
	uint32_t request; /* id of the ZYGOTE_LOAD without an answer yet; 0: none */
	uint32_t last_id;
	libraries_loaded *fn;
	void *data;
};

void libraries_release(struct libraries *l);
/* See supervisor_load(). */
int libraries_load(struct supervisor *s, const char *const *paths, size_t n, libraries_loaded *fn,
		   void *data, struct error *err);
/* Tells a newly started zygote to load all libraries that are known. */
int libraries_load_again(struct supervisor *s, struct error *err);
/* Reads the payload of ZYGOTE_LOADED behind its id. -1: it is malformed. */
int libraries_on_loaded(struct supervisor *s, uint32_t id, struct record *r, struct error *err);
void libraries_on_zygote_gone(struct supervisor *s);

#endif
