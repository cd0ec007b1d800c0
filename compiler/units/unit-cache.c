/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file for each unit: a hash of the unit, then the unit, so that a damaged file is detected.
 * Files are written under another name and renamed. The modification time of a file is the time of
 * its last use.
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

static bool read_whole(int fd, void *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = read(fd, (char *)to + done, size - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

bool unit_cache_get(struct unit_cache *c, const struct unit_cache_key *key, struct buffer *ret)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;
	cleanup_fd int fd = -1;
	XXH128_hash_t hash;
	struct stat st;
	size_t size, before = ret->len;

	if (!c->folder || !*key->text)
		return false;
	path_of(c, key->text, &path);
	fd = open(buffer_text(&path), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || st.st_size <= (off_t)sizeof(hash))
		return false;
	size = (size_t)st.st_size - sizeof(hash);
	if (!read_whole(fd, &hash, sizeof(hash)) || !buffer_extend(ret, size))
		return false;
	if (!read_whole(fd, ret->data + before, size) ||
	    !XXH128_isEqual(hash, XXH3_128bits(ret->data + before, size))) {
		ret->len = before;
		return false;
	}
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

static bool write_whole(int fd, const void *from, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, (const char *)from + done, size - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static void write_made(struct unit_cache *c)
{
	cleanup_buffer struct buffer path = BUFFER_INIT, part = BUFFER_INIT;
	XXH128_hash_t hash = XXH3_128bits(c->unit.data, c->unit.len);
	int fd;

	path_of(c, c->made.text, &path);
	buffer_printf(&part, "%s.%d", buffer_text(&path), (int)getpid());
	fd = open(buffer_text(&part), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (!write_whole(fd, &hash, sizeof(hash)) || !write_whole(fd, c->unit.data, c->unit.len) ||
	    rename(buffer_text(&part), buffer_text(&path)))
		unlink(buffer_text(&part));
	close(fd);
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
