/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sealed file (compiler/cache/sealed-file.h) for each unit. The modification time of a file is
 * the time of its last use.
 */
#define _GNU_SOURCE
#include "compiler/units/unit-cache.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "common/base/cleanup.h"
#include "compiler/cache/sealed-file.h"
#include "compiler/clang/job/clang-shim.h"

/* The size after pruning, so that the folder has room for a while. */
#define KEPT_OF_LIMIT(limit) ((limit) / 4 * 3)

void unit_cache_init(struct unit_cache *c, const char *folder, uint64_t limit)
{
	*c = (struct unit_cache){ .limit = limit, .unit = BUFFER_INIT };
	if (*folder && (!mkdir(folder, 0700) || errno == EEXIST))
		c->folder = strdup(folder);
	/* The first write checks what earlier processes have left. */
	c->written = limit;
}

void unit_cache_release(struct unit_cache *c)
{
	free(c->folder);
	buffer_release(&c->unit);
	*c = (struct unit_cache){ 0 };
}

bool unit_cache_suits(const char *text, size_t len)
{
	static const char *const changing[] = { "include", "__DATE__", "__TIME__", "__TIMESTAMP__",
						"embed" };

	for (size_t i = 0; i < sizeof(changing) / sizeof(changing[0]); i++)
		if (memmem(text, len, changing[i], strlen(changing[i])))
			return false;
	return true;
}

/* Tells whether an #include names a file that is part of the precompiled header, which is in the
 * key. */
static bool is_of_header(const char *name, const char *includes)
{
	cleanup_buffer struct buffer line = BUFFER_INIT;

	name += strspn(name, " \t");
	buffer_append(&line, name, strcspn(name, ">\n") + 1);
	return *name == '<' && !buffer_check(&line, NULL) && strstr(includes, buffer_text(&line));
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_one_of(const char *word, size_t len, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], word, len))
			return true;
	return false;
}

/* Looks for words anywhere: in a comment they only cost time. */
bool unit_cache_suits_cpp(const char *text, const char *includes)
{
	static const char *const include[] = { "include" };
	static const char *const changing[] = { "include_next",       "import",   "__has_include",
						"__has_include_next", "embed",    "__has_embed",
						"__DATE__",           "__TIME__", "__TIMESTAMP__" };

	for (const char *at = text; *at;) {
		size_t len = 0;

		while (is_word(at[len]))
			len++;
		if (is_one_of(at, len, include, 1)
			    ? !is_of_header(at + len, includes)
			    : is_one_of(at, len, changing, sizeof(changing) / sizeof(*changing)))
			return false;
		at += len ? len : 1;
	}
	return true;
}

int unit_cache_made_by(const char *header, struct buffer *ret)
{
	cleanup_buffer struct buffer files = BUFFER_INIT;
	struct stat st;

	if (stat("/proc/self/exe", &st))
		return -1;
	buffer_printf(ret, "%s %llu %llu %lld %lld.%09ld", clang_shim_version(),
		      (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		      (long long)st.st_size, (long long)st.st_mtim.tv_sec,
		      (long)st.st_mtim.tv_nsec);
	if (!header)
		return 0;
	/* This file is written when the header is made, and again when one of its files has
	 * changed. */
	buffer_printf(&files, "%.*sfil", (int)(strlen(header) - strlen("pch")), header);
	if (stat(buffer_text(&files), &st))
		return -1;
	buffer_printf(ret, " %s %llu %lld %lld.%09ld", header, (unsigned long long)st.st_ino,
		      (long long)st.st_size, (long long)st.st_mtim.tv_sec,
		      (long)st.st_mtim.tv_nsec);
	return 0;
}

void unit_cache_key_make(struct unit_cache_key *ret, const char *const *texts,
			 const size_t *lengths, size_t n)
{
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t hash;

	ret->text[0] = '\0';
	if (!state)
		return;
	XXH3_128bits_reset(state);
	for (size_t i = 0; i < n; i++) {
		XXH3_128bits_update(state, &lengths[i], sizeof(lengths[i]));
		XXH3_128bits_update(state, texts[i], lengths[i]);
	}
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	snprintf(ret->text, sizeof(ret->text), "%016llx%016llx", (unsigned long long)hash.high64,
		 (unsigned long long)hash.low64);
}

static void path_of(const struct unit_cache *c, const char *name, struct buffer *ret)
{
	buffer_printf(ret, "%s/%s", c->folder, name);
}

bool unit_cache_get(struct unit_cache *c, const struct unit_cache_key *key, struct buffer *ret)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;

	if (!c->folder || !*key->text)
		return false;
	path_of(c, key->text, &path);
	if (buffer_check(&path, NULL) || !sealed_file_read(buffer_text(&path), ret))
		return false;
	c->found = *key;
	return true;
}

void unit_cache_put(struct unit_cache *c, const struct unit_cache_key *key,
		    const struct buffer *unit)
{
	if (!c->folder || !*key->text)
		return;
	buffer_clear(&c->unit);
	buffer_append(&c->unit, unit->data, unit->len);
	c->made = *key;
}

static void write_made(struct unit_cache *c)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;

	path_of(c, c->made.text, &path);
	if (!buffer_check(&path, NULL) &&
	    !sealed_file_write(buffer_text(&path), c->unit.data, c->unit.len, NULL))
		c->written += c->unit.len;
}

struct entry {
	char name[64];
	struct timespec used;
	uint64_t size;
};

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

/* Lists all files of the folder, the least recently used first. */
static size_t list(const struct unit_cache *c, struct entry **ret, uint64_t *ret_bytes)
{
	cleanup_dir DIR *d = opendir(c->folder);
	struct dirent *e;
	size_t n = 0, cap = 0;

	*ret = NULL;
	*ret_bytes = 0;
	while (d && (e = readdir(d))) {
		struct stat st;

		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode) || strlen(e->d_name) >= sizeof((*ret)->name))
			continue;
		if (n == cap) {
			struct entry *grown =
				realloc(*ret, (cap = cap ? 2 * cap : 256) * sizeof(*grown));

			if (!grown)
				break;
			*ret = grown;
		}
		strcpy((*ret)[n].name, e->d_name);
		(*ret)[n].used = st.st_mtim;
		*ret_bytes += (*ret)[n++].size = (uint64_t)st.st_size;
	}
	if (n)
		qsort(*ret, n, sizeof(**ret), by_use);
	return n;
}

static void prune(struct unit_cache *c)
{
	cleanup_free struct entry *entries = NULL;
	uint64_t bytes;
	size_t n = list(c, &entries, &bytes);

	c->written = 0;
	if (bytes <= c->limit)
		return;
	for (size_t i = 0; i < n && bytes > KEPT_OF_LIMIT(c->limit); i++) {
		cleanup_buffer struct buffer path = BUFFER_INIT;

		path_of(c, entries[i].name, &path);
		unlink(buffer_text(&path));
		bytes -= entries[i].size;
	}
}

void unit_cache_rest(struct unit_cache *c)
{
	if (!c->folder)
		return;
	if (*c->found.text) {
		cleanup_buffer struct buffer path = BUFFER_INIT;

		path_of(c, c->found.text, &path);
		utimensat(AT_FDCWD, buffer_text(&path), NULL, 0);
	}
	if (*c->made.text && c->unit.len)
		write_made(c);
	c->found.text[0] = c->made.text[0] = '\0';
	if (c->written >= c->limit / 4)
		prune(c);
}
