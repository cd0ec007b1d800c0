/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load is a request with an id to the zygote, and the list grows when the answer has come. One
 * request at a time has a caller who waits; a load for a new zygote has an id that nobody waits
 * for. An answer about a known library is compared by base address and build id, because variables
 * of the session may hold pointers into it; differences go to the next report. The first load of a
 * library replaces the workers, which were forked without it.
 */
#include "kernel/workers/libraries.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/zygote-client.h"

void libraries_release(struct libraries *l)
{
	while (l->n)
		free(l->at[--l->n].path);
	free(l->at);
	*l = (struct libraries){ 0 };
}

static struct library *find(struct libraries *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].path, path))
			return &l->at[i];
	return NULL;
}

int libraries_load(struct supervisor *s, const char *const *paths, size_t n, libraries_loaded *fn,
		   void *data, struct error *err)
{
	struct libraries *l = s->libraries;
	const char **missing = calloc(n + 1, sizeof(*missing));
	size_t n_missing = 0;
	int failed = 0;

	if (!missing)
		return error_set(err, ERROR_MEMORY, "out of memory for a list of libraries");
	for (size_t i = 0; i < n; i++)
		if (!find(l, paths[i]))
			missing[n_missing++] = paths[i];
	if (n_missing)
		failed = zygote_client_load(&s->pool->zygote, l->last_id + 1, missing, n_missing,
					    err);
	free(missing);
	if (failed || !n_missing)
		return failed;
	l->request = ++l->last_id;
	l->fn = fn;
	l->data = data;
	return 1;
}

int libraries_load_again(struct supervisor *s, struct error *err)
{
	struct libraries *l = s->libraries;
	const char **paths = calloc(l->n + 1, sizeof(*paths));
	int failed = 0;

	if (!paths)
		return error_set(err, ERROR_MEMORY, "out of memory for a list of libraries");
	for (size_t i = 0; i < l->n; i++)
		paths[i] = l->at[i].path;
	if (l->n)
		failed = zygote_client_load(&s->pool->zygote, ++l->last_id, paths, l->n, err);
	free(paths);
	return failed;
}

static int remember(struct libraries *l, const char *path, uint64_t base, const char *build_id,
		    struct error *err)
{
	struct library *grown = realloc(l->at, (l->n + 1) * sizeof(*grown));
	char *copy = strdup(path);

	if (grown)
		l->at = grown;
	if (!grown || !copy) {
		free(copy);
		return error_set(err, ERROR_MEMORY, "out of memory for a list of libraries");
	}
	grown[l->n] = (struct library){ .path = copy, .base = base };
	strncat(grown[l->n++].build_id, build_id, sizeof(grown->build_id) - 1);
	return 0;
}

/* Compares base address and build id: a pointer into the library, held by a variable, is valid only
 * if both are unchanged. */
static void compare(struct supervisor *s, struct library *known, uint64_t base,
		    const char *build_id, const char *problem)
{
	struct buffer *report = &s->run.restored;

	if (*problem)
		buffer_printf(report, "The library %s cannot be loaded again: %s\n", known->path,
			      problem);
	else if (strcmp(known->build_id, build_id))
		buffer_printf(report,
			      "The library %s is another build than before: pointers into it that "
			      "variables hold are wrong.\n",
			      known->path);
	else if (known->base != base)
		buffer_printf(report,
			      "The library %s lies at another address than before: pointers into "
			      "it that variables hold are wrong.\n",
			      known->path);
	if (*problem)
		return;
	known->base = base;
	known->build_id[0] = '\0';
	strncat(known->build_id, build_id, sizeof(known->build_id) - 1);
}

int libraries_on_loaded(struct supervisor *s, uint32_t id, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer problems = BUFFER_INIT;
	struct libraries *l = s->libraries;
	uint32_t n = record_count(r, 18);
	bool fresh = false;

	for (uint32_t i = 0; i < n; i++) {
		const char *path = record_str(r), *problem = record_str(r);
		uint64_t base = record_u64(r);
		const char *build_id = record_str(r);
		struct library *known = find(l, path);

		if (r->failed)
			break;
		if (known)
			compare(s, known, base, build_id, problem);
		else if (*problem)
			buffer_printf(&problems, "%s%s", problems.len ? "; " : "", problem);
		else if (remember(l, path, base, build_id, err))
			return -1;
		fresh |= !known && !*problem;
	}
	if (record_check(r, "ZYGOTE_LOADED", err))
		return -1;
	if (fresh)
		worker_pool_renew(s);
	if (id == l->request) {
		l->request = 0;
		l->fn(l->data, buffer_text(&problems));
	}
	return 0;
}

void libraries_on_zygote_gone(struct supervisor *s)
{
	struct libraries *l = s->libraries;

	if (!l->request)
		return;
	l->request = 0;
	l->fn(l->data, "the process that loads libraries ended over it; none was loaded");
}
