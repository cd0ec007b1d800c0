/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that cannot be read has no words: to complete is an offer, and what is missing is said
 * when the command runs. */
#define _GNU_SOURCE
#include "compiler/inspect/words.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "compiler/inspect/completion.h"
#include "compiler/packages/packages.h"

struct search {
	struct completion_list *list;
	enum compiler_word kind;
	const char *before; /* of each word, what stands in front of the name */
	const char *name;   /* how the name begins */
};

static void add(const struct search *s, const char *name, const char *behind, const char *kind,
		const char *signature)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	buffer_printf(&text, "%s%s%s", s->before, name, behind);
	if (!buffer_check(&text, NULL))
		completion_list_add(s->list, &(struct completion){ buffer_text(&text), kind, "",
								   signature, 50 });
}

static bool is_listed(const struct search *s, const char *name)
{
	size_t len = strlen(s->name);

	if (!strcmp(name, ".") || !strcmp(name, "..") || (*name == '.' && *s->name != '.'))
		return false;
	for (const char *at = name; *at; at++)
		if (isspace((unsigned char)*at) || iscntrl((unsigned char)*at))
			return false;
	return !strncmp(name, s->name, len);
}

static bool is_folder(int dir, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
		return e->d_type == DT_DIR;
	return !fstatat(dir, e->d_name, &st, 0) && S_ISDIR(st.st_mode);
}

static void add_entry(const struct search *s, int dir, const struct dirent *e)
{
	bool folder = is_folder(dir, e);

	if (s->kind != COMPILER_WORD_PROGRAM) {
		if (folder || s->kind == COMPILER_WORD_FILE)
			add(s, e->d_name, folder ? "/" : "", folder ? "folder" : "file", "");
	} else if (!folder && !faccessat(dir, e->d_name, X_OK, 0)) {
		add(s, e->d_name, "", "program", "");
	}
}

static void list_folder(const struct search *s, const char *path)
{
	DIR *d = opendir(path);

	if (!d)
		return;
	for (const struct dirent *e; (e = readdir(d));)
		if (is_listed(s, e->d_name))
			add_entry(s, dirfd(d), e);
	closedir(d);
}

/* Lists the files at the path that was typed, whose last part is the name. */
static int list_files(struct search *s, const char *typed, struct error *err)
{
	const char *slash = strrchr(typed, '/'), *home = getenv("HOME");
	bool of_home = !strncmp(typed, "~/", 2) && home;
	cleanup_free char *before = strndup(typed, slash ? (size_t)(slash + 1 - typed) : 0);
	cleanup_buffer struct buffer path = BUFFER_INIT;

	if (!before)
		return error_set(err, ERROR_MEMORY, "out of memory for the names of files");
	s->before = before;
	s->name = slash ? slash + 1 : typed;
	buffer_printf(&path, "%s%s", of_home ? home : slash ? "" : ".", before + of_home);
	if (buffer_check(&path, err))
		return -1;
	list_folder(s, buffer_text(&path));
	return 0;
}

static int list_programs(const struct search *s, struct error *err)
{
	const char *path = getenv("PATH");
	cleanup_free char *folders = strdup(path ? path : "");
	char *rest = NULL;

	if (!folders)
		return error_set(err, ERROR_MEMORY, "out of memory for the names of programs");
	for (char *one = strtok_r(folders, ":", &rest); one; one = strtok_r(NULL, ":", &rest))
		list_folder(s, one);
	return 0;
}

static void on_package(void *data, const char *name, const char *version, const char *text)
{
	const struct search *s = data;

	(void)version;
	if (is_listed(s, name))
		add(s, name, "", "package", text);
}

int words_list(struct completion_list *l, enum compiler_word kind, const char *typed,
	       struct error *err)
{
	struct search s = { .list = l, .kind = kind, .before = "", .name = typed };
	int failed;

	*l = (struct completion_list){ .end = (uint32_t)strlen(typed) };
	mem_pool_init(&l->pool);
	if (kind == COMPILER_WORD_PROGRAM && strchr(typed, '/'))
		s.kind = COMPILER_WORD_FILE;
	if (kind == COMPILER_WORD_PACKAGE)
		failed = package_each(on_package, &s, err);
	else if (s.kind == COMPILER_WORD_PROGRAM)
		failed = list_programs(&s, err);
	else
		failed = list_files(&s, typed, err);
	completion_list_sort(l);
	return failed;
}
