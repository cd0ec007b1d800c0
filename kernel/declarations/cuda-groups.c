/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All files of all groups lie in one array, in the order of saving, and are found by linear search:
 * there are few. A file is copied in full before it replaces the old one, so that running out of
 * memory leaves that as it was. When a group is written, its own files and the shared ones go out
 * in array order; a shared file is left out when the group has one of the same name.
 */
#include "kernel/declarations/cuda-groups.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/compiler-protocol.h"

static void release_file(struct cuda_file *f)
{
	free(f->group);
	free(f->name);
	free(f->text);
}

void cuda_groups_release(struct cuda_groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		release_file(&g->at[i]);
	free(g->at);
	*g = (struct cuda_groups){ 0 };
}

static struct cuda_file *find(const struct cuda_groups *g, const char *group, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->at[i].group, group) && !strcmp(g->at[i].name, name))
			return &g->at[i];
	return NULL;
}

int cuda_groups_save(struct cuda_groups *g, const char *group, const char *name, const char *text,
		     struct error *err)
{
	struct cuda_file *known = find(g, group, name);
	struct cuda_file file = { strdup(group), strdup(name), strdup(text) };
	struct cuda_file *grown = known || !file.group || !file.name || !file.text
					  ? NULL
					  : realloc(g->at, (g->n + 1) * sizeof(*grown));

	if (!file.group || !file.name || !file.text || (!known && !grown)) {
		release_file(&file);
		return error_set(err, ERROR_MEMORY, "out of memory for %s", name);
	}
	if (known) {
		release_file(known);
		*known = file;
		return 0;
	}
	g->at = grown;
	g->at[g->n++] = file;
	return 0;
}

size_t cuda_groups_write(const struct cuda_groups *g, const char *group, struct buffer *out)
{
	size_t own = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct cuda_file *f = &g->at[i];
		bool is_own = !strcmp(f->group, group);

		if (is_own || (!strcmp(f->group, CUDA_GROUPS_SHARED) && !find(g, group, f->name)))
			buffer_printf(out, "\n" COMPILER_CUDA_FILE "%s\n%s\n", f->name, f->text);
		own += is_own;
	}
	return own;
}

size_t cuda_groups_delete(struct cuda_groups *g, const char *group)
{
	size_t kept = 0, n = g->n;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(g->at[i].group, group))
			g->at[kept++] = g->at[i];
		else
			release_file(&g->at[i]);
	}
	g->n = kept;
	return n - kept;
}
