/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A header is chained to one with fewer includes, so that only what is new is parsed and written:
 * of C++ the common headers of the library to what every cell sees, and a list of includes to the
 * longest beginning of it that there is a header for; of C all to the prelude.
 *
 * KEY.fil beside KEY.pch has size, time and path of each source file and of the header that it is
 * chained to, a line each. The header is valid as long as these are unchanged and both files are
 * whole (compiler/cache/sealed-file.h). When all of them are larger than HEADERS_BYTES, those that
 * were not read for longest are removed.
 */
#define _GNU_SOURCE
#include "compiler/session/cpp-header.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cache-folder.h"
#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "compiler/cache/sealed-file.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/session/cpp-bundle.h"
#include "compiler/session/header-ahead.h"
#include "compiler/session/options.h"

/* What every C++ cell sees is 10 MB, with the common headers of the library 30 MB. */
#define HEADERS_BYTES (UINT64_C(1) << 30)
#define PREFIX "cpp-"
#define SYSTEM "/usr/"
#define LOOK_NS 1000000000u
#define LEFT_SECONDS 3600 /* no header takes so long to make */
/*
 * The number of headers that one is chained to. With the one of instances (cpp-instances.h) they
 * are four: of more, clang merges the tables of names, and what it writes of a merged table cannot
 * be read again (MultiOnDiskHashTable.h, ASTReader::getModuleFileID()).
 */
#define CHAIN_MAX 2

struct building {
	struct buffer files, complaint, *refused;
};

static void note_file(void *context, const char *path)
{
	struct building *b = context;
	struct stat st;

	/* The main text is no file. */
	if (!stat(path, &st))
		buffer_printf(&b->files, "%jd %jd.%09ld %s\n", (intmax_t)st.st_size,
			      (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, path);
}

static void note_refused(void *context, const char *key)
{
	struct building *b = context;

	buffer_printf(b->refused, "%s\n", key);
}

static void note_complaint(void *context, const struct clang_diagnostic *d)
{
	struct building *b = context;

	options_complain(d, &b->complaint);
}

/* Returns the offset of the path in a line; 0: the line is damaged. */
static int read_line(const char *line, struct stat *ret)
{
	intmax_t size, seconds;
	long ns;
	int path = 0;

	if (sscanf(line, "%jd %jd.%ld %n", &size, &seconds, &ns, &path) != 3)
		return 0;
	ret->st_size = size;
	ret->st_mtim = (struct timespec){ seconds, ns };
	return path;
}

static bool is_below(const char *path, const char *folder)
{
	return folder && !strncmp(path, folder, strlen(folder));
}

/* Tells whether the file belongs to the system or to cgpu's installation. */
static bool is_installed(const struct options *o, const char *path)
{
	return is_below(path, SYSTEM) || is_below(path, o->prelude) ||
	       is_below(path, o->cuda_root) || is_below(path, o->clang_root);
}

/* Tells whether a file is unchanged. o: NULL when the user's own files are not asked for. */
static bool file_holds(const char *line, const struct options *o, struct buffer *ret_own)
{
	struct stat was, is;
	int path = read_line(line, &was);

	if (path && o && !is_installed(o, line + path))
		buffer_printf(ret_own, "%s\n", line);
	return path && !stat(line + path, &is) && is.st_size == was.st_size &&
	       is.st_mtim.tv_sec == was.st_mtim.tv_sec && is.st_mtim.tv_nsec == was.st_mtim.tv_nsec;
}

static void path_of_files(const char *header, struct buffer *ret)
{
	buffer_printf(ret, "%.*sfil", (int)(strlen(header) - strlen("pch")), header);
}

/* Tells whether all files of a list are unchanged; the text is cut into lines. */
static bool lines_hold(char *text, const struct options *o, struct buffer *ret_own)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!file_holds(line, o, ret_own))
			return false;
	return true;
}

/* Tells whether the header exists and its files are unchanged; checks each of them. ret_own gets
 * the lines of the user's own. */
static bool holds(const char *header, const struct options *o, struct buffer *ret_own)
{
	cleanup_buffer struct buffer files = BUFFER_INIT, list = BUFFER_INIT;

	path_of_files(header, &files);
	return !buffer_check(&files, NULL) && sealed_file_read(buffer_text(&files), &list) &&
	       clang_shim_header_is_whole(header) && lines_hold(list.data, o, ret_own) &&
	       (!ret_own || !buffer_check(ret_own, NULL));
}

static bool own_hold(const char *header, const struct buffer *own)
{
	cleanup_free char *copy = strdup(buffer_text(own));

	return copy && clang_shim_header_is_whole(header) && lines_hold(copy, NULL, NULL);
}

static bool is_header(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 4 && !strncmp(e->d_name, PREFIX, strlen(PREFIX)) &&
	       !strcmp(e->d_name + len - 4, ".pch");
}

/* Removes the least recently used header; false when all together are not too large. */
static bool drop_one(int folder)
{
	static const char *const beside[] = { ".fil", ".use" }; /* as long as ".pch" */
	cleanup_dir DIR *d = fdopendir(dup(folder));
	struct timespec least = { 0 };
	char name[256] = "";
	uint64_t bytes = 0;
	struct stat st;

	if (d)
		rewinddir(d);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!is_header(e) || fstatat(folder, e->d_name, &st, 0))
			continue;
		bytes += (uint64_t)st.st_size;
		if (!*name || st.st_atim.tv_sec < least.tv_sec ||
		    (st.st_atim.tv_sec == least.tv_sec && st.st_atim.tv_nsec < least.tv_nsec)) {
			least = st.st_atim;
			snprintf(name, sizeof(name), "%s", e->d_name);
		}
	}
	if (bytes <= HEADERS_BYTES || unlinkat(folder, name, 0))
		return false;
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		memcpy(name + strlen(name) - strlen(beside[i]), beside[i], strlen(beside[i]));
		unlinkat(folder, name, 0);
	}
	return true;
}

static void make_room(const char *path)
{
	cleanup_fd int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (folder >= 0 && drop_one(folder))
		;
}

bool cpp_header_holds(const char *header)
{
	return holds(header, NULL, NULL);
}

/* Sets the access time, since the modification time identifies the header. */
static void touch(const char *header)
{
	utimensat(AT_FDCWD, header,
		  (struct timespec[]){ { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } }, 0);
}

void cpp_header_note_use(const char *header)
{
	touch(header);
	clang_shim_header_chain(header, touch);
}

int cpp_header_write(const struct clang_job *given, cpp_header_make *make, const char *header,
		     struct buffer *refused, struct error *err)
{
	cleanup_buffer struct buffer files = BUFFER_INIT, new_header = BUFFER_INIT;
	struct building b = { BUFFER_INIT, BUFFER_INIT, refused };
	struct clang_job job = *given;
	int failed;

	path_of_files(header, &files);
	buffer_printf(&new_header, "%s.%d", header, (int)getpid());
	if (buffer_check(&files, err) || buffer_check(&new_header, err))
		return -1;
	sealed_file_discard(buffer_text(&new_header));
	job.context = &b;
	job.diagnostic = note_complaint;
	job.file = note_file;
	job.refused = refused ? note_refused : NULL;
	/* Before it is read: if another process replaces it meanwhile, the list does not hold. */
	if (job.header)
		note_file(&b, job.header);
	failed = make(&job, buffer_text(&new_header));
	if (failed) {
		error_set(err, ERROR_COMPILE, "%s", buffer_text(&b.complaint));
		sealed_file_discard(buffer_text(&new_header));
	} else {
		failed = buffer_check(&b.files, err) ||
			 sealed_file_write(buffer_text(&files), b.files.data, b.files.len, err) ||
			 sealed_file_seal(buffer_text(&new_header), header, err);
	}
	buffer_release(&b.files);
	buffer_release(&b.complaint);
	return failed ? -1 : 0;
}

/* Composes the text of a header: what every cell sees, the includes, and the marker by which
 * clang_shim_build_header() finds the end. */
static void text_of(const char *includes, struct buffer *ret)
{
	buffer_printf(ret, "#include \"cgpu.h\"\n%s\nstruct " CLANG_HEADER_END ";\n", includes);
}

int cpp_header_path(const struct options *o, const struct clang_options *clang,
		    const char *includes, struct buffer *ret, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, folder = BUFFER_INIT;
	char key[40];

	text_of(includes, &text);
	if (buffer_check(&text, err) ||
	    options_header_key(o, clang, buffer_text(&text), key, err) ||
	    cache_folder(&folder, err))
		return -1;
	buffer_printf(ret, "%s/" PREFIX "%s.pch", buffer_text(&folder), key);
	return buffer_check(ret, err);
}

/* Returns the process number at the end of a name, or before clang's suffix there; 0: none. */
static pid_t maker_of(const char *name)
{
	size_t len = strlen(name);

	if (len > 4 && !strcmp(name + len - 4, ".tmp"))
		len -= 4;
	while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	return len && name[len - 1] == '.' ? atoi(name + len) : 0;
}

/* Tells whether a file is a temporary one of build(), perhaps with clang's suffix, that will never
 * be renamed. */
static bool is_left(int folder, const char *name, pid_t child)
{
	pid_t maker = strncmp(name, PREFIX, strlen(PREFIX)) ? 0 : maker_of(name);
	struct stat st;

	if (!maker || fstatat(folder, name, &st, 0))
		return false;
	return maker == child || st.st_mtim.tv_sec + LEFT_SECONDS < time(NULL);
}

/* Removes temporary files of the child, or of an old process, that was ended while it wrote. */
static void drop_left(const char *path, pid_t child)
{
	cleanup_fd int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_dir DIR *d = folder < 0 ? NULL : fdopendir(dup(folder));

	for (struct dirent *e; d && (e = readdir(d));)
		if (is_left(folder, e->d_name, child))
			unlinkat(folder, e->d_name, 0);
}

/* Tells whether a child has made it. */
static bool is_made_ahead(const char *header, const char *folder)
{
	pid_t ended;
	bool was_to_come = header_ahead_wait(header, &ended);

	if (ended)
		drop_left(folder, ended);
	return was_to_come && holds(header, NULL, NULL);
}

static int cpp_header_get(const struct options *o, const struct clang_options *clang,
			  const char *includes, struct buffer *ret, struct error *err);

/* Tells whether there is a header with the first len bytes of the includes to which others can be
 * chained; appends its path if so. */
static bool find_base(const struct options *o, const struct clang_options *clang,
		      const char *includes, size_t len, struct buffer *ret)
{
	cleanup_buffer struct buffer first = BUFFER_INIT, path = BUFFER_INIT;

	buffer_append(&first, includes, len);
	if (buffer_check(&first, NULL) ||
	    cpp_header_path(o, clang, buffer_text(&first), &path, NULL) ||
	    !holds(buffer_text(&path), NULL, NULL) ||
	    clang_shim_header_chain(buffer_text(&path), NULL) >= CHAIN_MAX)
		return false;
	cpp_header_note_use(buffer_text(&path));
	buffer_puts(ret, buffer_text(&path));
	return true;
}

/* Returns the length without the last line of a text of this length. */
static size_t without_last_line(const char *text, size_t len)
{
	len -= len != 0;
	while (len && text[len - 1] != '\n')
		len--;
	return len;
}

/*
 * Finds the header that one with these includes is chained to: that with most of them which there
 * is; one with the common headers, or with none, is made if it is missing. *ret_rest: the includes
 * that it does not have.
 */
static int get_base(const struct options *o, const struct clang_options *clang,
		    const char *includes, struct buffer *ret, const char **ret_rest,
		    struct error *err)
{
	cleanup_buffer struct buffer least = BUFFER_INIT;
	size_t common = cpp_bundle_length(includes), len = strlen(includes);

	*ret_rest = includes;
	if (*clang_options_header(clang))
		buffer_puts(ret, clang_options_header(clang));
	if (ret->len || !len)
		return buffer_check(ret, err);
	if (common == len)
		common = 0;
	while ((len = without_last_line(includes, len)) > common)
		if (find_base(o, clang, includes, len, ret)) {
			*ret_rest = includes + len;
			return buffer_check(ret, err);
		}
	*ret_rest = includes + common;
	buffer_append(&least, includes, common);
	if (buffer_check(&least, err))
		return -1;
	return cpp_header_get(o, clang, buffer_text(&least), ret, err);
}

static int make_header(const struct options *o, const struct clang_options *clang,
		       const char *includes, const char *header, const char *folder,
		       struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, base = BUFFER_INIT;
	struct clang_job job = { .options = clang, .name = "includes" };
	const char *rest;

	if (get_base(o, clang, includes, &base, &rest, err))
		return -1;
	text_of(rest, &text);
	if (buffer_check(&text, err))
		return -1;
	job.header = base.len ? buffer_text(&base) : NULL;
	job.text = buffer_text(&text);
	job.len = text.len;
	log_info("precompiling headers into %s", header);
	if (cpp_header_write(&job, clang_shim_build_header, header, NULL, err))
		return -1;
	make_room(folder);
	drop_left(folder, 0);
	return 0;
}

/* Does the same as cpp_header_watch_get(), and checks each file. */
static int cpp_header_get(const struct options *o, const struct clang_options *clang,
			  const char *includes, struct buffer *ret, struct error *err)
{
	cleanup_buffer struct buffer folder = BUFFER_INIT, header = BUFFER_INIT;

	if (cpp_header_path(o, clang, includes, &header, err) || cache_folder(&folder, err))
		return -1;
	if (holds(buffer_text(&header), NULL, NULL) ||
	    is_made_ahead(buffer_text(&header), buffer_text(&folder)))
		cpp_header_note_use(buffer_text(&header));
	else if (make_header(o, clang, includes, buffer_text(&header), buffer_text(&folder), err))
		return -1;
	buffer_puts(ret, buffer_text(&header));
	return buffer_check(ret, err);
}

void cpp_header_watch_release(struct cpp_header_watch *w)
{
	buffer_release(&w->path);
	buffer_release(&w->own);
}

/* Tells whether it is the header that was checked, and is unchanged. */
static bool still_holds(struct cpp_header_watch *w, const struct options *o, const char *path)
{
	uint64_t now = clock_now_ns();

	if (!w->path.len || strcmp(path, buffer_text(&w->path)))
		return false;
	if (now - w->looked_ns < LOOK_NS)
		return own_hold(path, &w->own);
	buffer_clear(&w->own);
	w->looked_ns = now;
	cpp_header_note_use(path);
	return holds(path, o, &w->own);
}

int cpp_header_watch_get(struct cpp_header_watch *w, const struct options *o,
			 const struct clang_options *clang, const char *includes,
			 struct buffer *ret, struct error *err)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;

	if (cpp_header_path(o, clang, includes, &path, err))
		return -1;
	if (!still_holds(w, o, buffer_text(&path))) {
		buffer_clear(&w->path);
		if (cpp_header_get(o, clang, includes, &w->path, err)) {
			buffer_clear(&w->path);
			return -1;
		}
		w->looked_ns = 0;
	}
	buffer_puts(ret, buffer_text(&path));
	return buffer_check(ret, err);
}

struct ahead {
	const struct options *options;
	const struct clang_options *clang[HEADERS_AHEAD_MAX];
	char *paths[HEADERS_AHEAD_MAX];
	size_t n;
};

static void make_all(void *context)
{
	const struct ahead *a = context;

	for (size_t i = 0; i < a->n; i++) {
		cleanup_buffer struct buffer path = BUFFER_INIT;

		cpp_header_get(a->options, a->clang[i], "", &path, NULL);
	}
}

void cpp_header_make_ahead(const struct options *o, const struct clang_options *const *clang,
			   size_t n)
{
	struct ahead a = { .options = o };

	for (size_t i = 0; i < n && a.n < HEADERS_AHEAD_MAX; i++) {
		cleanup_buffer struct buffer path = BUFFER_INIT;

		if (cpp_header_path(o, clang[i], "", &path, NULL) ||
		    holds(buffer_text(&path), NULL, NULL))
			continue;
		/* From here on the child makes the file. */
		sealed_file_discard(buffer_text(&path));
		a.clang[a.n] = clang[i];
		a.paths[a.n] = strdup(buffer_text(&path));
		a.n += a.paths[a.n] != NULL;
	}
	if (a.n)
		header_ahead_begin((const char *const *)a.paths, a.n, make_all, &a);
	for (size_t i = 0; i < a.n; i++)
		free(a.paths[i]);
}
