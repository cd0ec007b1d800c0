/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is known by its real path. One whose size and time of change are as before is not read
 * again; any other is hashed (XXH3), and only a different hash makes it a changed file, so that
 * saving the same text twice is no change. Files are few, so the list is searched from its start. A
 * file that cannot be opened counts as unchanged: clang reports it when a cell includes it.
 */
#include "compiler/text/local-include.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "common/base/cleanup.h"
#include "compiler/text/token.h"

/* Extracts the quoted name from the text behind #include, NUL-terminated. False: there is none. */
static bool local_include_name(const char *rest, size_t len, char ret[PATH_MAX])
{
	const char *end = len && *rest == '"' ? memchr(rest + 1, '"', len - 1) : NULL;

	if (!end || end - rest >= PATH_MAX)
		return false;
	memcpy(ret, rest + 1, (size_t)(end - rest - 1));
	ret[end - rest - 1] = '\0';
	return true;
}

/* Makes the path of the file of that name, relative to a folder; "": the working folder. */
static bool local_include_in(const char *folder, const char *name, char ret[PATH_MAX])
{
	bool alone = *name == '/' || !*folder;
	char path[2 * PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s%s", alone ? "" : folder, alone ? "" : "/", name);
	return realpath(path, ret) && !stat(ret, &st) && S_ISREG(st.st_mode);
}

bool local_include_path(const char *rest, size_t len, char ret[PATH_MAX])
{
	char name[PATH_MAX];

	return local_include_name(rest, len, name) && local_include_in("", name, ret);
}

/* Finds the file that the token includes by a quoted name. */
static bool path_at(const struct token_list *tokens, uint32_t i, char ret[PATH_MAX])
{
	const char *rest;
	size_t n;

	if (tokens->at[i].kind != TOKEN_DIRECTIVE || !token_directive_is(tokens, i, "include"))
		return false;
	rest = token_directive_rest(tokens, i, &n);
	return local_include_path(rest, n, ret);
}

void local_include_each(const struct token_list *tokens,
			void (*found)(void *context, const char *path), void *context)
{
	char path[PATH_MAX];

	for (uint32_t i = 0; i < tokens->n; i++)
		if (path_at(tokens, i, path))
			found(context, path);
}

uint32_t local_include_find(const struct token_list *tokens, const char *path)
{
	char found[PATH_MAX];

	for (uint32_t i = 0; i < tokens->n; i++)
		if (path_at(tokens, i, found) && !strcmp(found, path))
			return i;
	return TOKEN_NONE;
}

void local_includes_release(struct local_includes *l)
{
	while (l->n)
		free(l->at[--l->n].path);
	free(l->at);
	*l = (struct local_includes){ 0 };
}

static uint64_t hash_content(int fd, size_t size)
{
	void *p = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	uint64_t hash = 0;

	if (p == MAP_FAILED)
		return 0;
	hash = XXH3_64bits(p, size);
	munmap(p, size);
	return hash;
}

/* Checks whether a file has changed: equal time and size mean that it has not; otherwise its
 * content decides. */
static bool look(struct local_include *i)
{
	cleanup_fd int fd = open(i->path, O_RDONLY | O_CLOEXEC);
	uint64_t before = i->hash;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	if (i->size == st.st_size && i->seconds == st.st_mtim.tv_sec &&
	    i->nanoseconds == st.st_mtim.tv_nsec)
		return false;
	i->size = st.st_size;
	i->seconds = st.st_mtim.tv_sec;
	i->nanoseconds = st.st_mtim.tv_nsec;
	i->hash = hash_content(fd, (size_t)st.st_size);
	return i->hash != before;
}

bool local_includes_differ(const struct local_includes *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].path, path)) {
			struct local_include now = l->at[i];

			return look(&now);
		}
	return false;
}

bool local_includes_changed(struct local_includes *l, const char *path)
{
	struct local_include *grown;

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].path, path))
			return look(&l->at[i]);
	grown = realloc(l->at, (l->n + 1) * sizeof(*grown));
	if (!grown)
		return false;
	l->at = grown;
	grown[l->n] = (struct local_include){ .path = strdup(path) };
	if (grown[l->n].path)
		look(&grown[l->n++]);
	return false;
}

static void note(void *context, const char *path)
{
	local_includes_changed(context, path);
}

void local_includes_note(struct local_includes *l, const struct token_list *tokens)
{
	local_include_each(tokens, note, l);
}
