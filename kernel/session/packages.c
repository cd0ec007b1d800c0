/* SPDX-License-Identifier: Apache-2.0 */
/* The answers to one command are collected in a struct flags, which is merged into the session's
 * when its libraries are loaded. */
#include "kernel/session/packages.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "kernel/declarations/setup.h"
#include "kernel/device/device-glance.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

struct package_work {
	struct session *session;
	struct cell *cell;
	uint8_t question;  /* enum package_question */
	char *text, *rest; /* all names, owned; those still to ask for */
	const char *name;  /* the name at work */
	char *flags;       /* to be set at the end; NULL: the packages are added instead; owned */
	enum flags_kind kind;
	bool loads_only;
	struct flags found;
};

static void work_free(struct package_work *w)
{
	if (!w)
		return;
	flags_release(&w->found);
	free(w->text);
	free(w->flags);
	free(w);
}

void packages_release(struct session *s)
{
	work_free(s->package_work);
	s->package_work = NULL;
}

static void end(struct package_work *w, const struct error *err)
{
	struct session *s = w->session;

	s->package_work = NULL;
	work_free(w);
	s->hooks->magic_done(s, err);
}

/* Appends the file names of paths: "libgslcblas.so libgsl.so". */
static void put_libraries(struct buffer *out, const char *paths)
{
	while (*paths) {
		size_t n = strcspn(paths, "\n");
		const char *name = paths;

		for (size_t i = 0; i < n; i++)
			if (paths[i] == '/')
				name = paths + i + 1;
		buffer_printf(out, " %.*s", (int)(paths + n - name), name);
		paths += n + (paths[n] == '\n');
	}
}

/* Warns that something is missing that the package needs; it is loaded all the same, for its use on
 * the host. */
static void show_needs(struct session *s, const char *package)
{
	static const struct {
		const char *name, *package, *example, *status;
	} rows[] = {
#define LIBRARY(symbol, name, package, example, status, names) { name, package, example, status },
#include "common/cuda/cuda-libraries.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].package, package))
			output_printf(&s->output, STREAM_STDOUT,
				      "%s works with NVIDIA's driver on a GPU only, and the device "
				      "of this session is the emulated one: %s returns %s, and "
				      "what builds on it fails likewise.\n",
				      rows[i].name, rows[i].example, rows[i].status);
}

static void show(struct session *s, const struct flags_package *p)
{
	cleanup_buffer struct buffer line = BUFFER_INIT;

	put_libraries(&line, p->libraries);
	if (!line.len && !*p->cflags)
		buffer_puts(&line, " is always there");
	output_printf(&s->output, STREAM_STDOUT, "%s%s%s:%s%s%s\n", p->name, *p->version ? " " : "",
		      p->version, buffer_text(&line), *p->cflags ? "  " : "", p->cflags);
	if (device_glance_is_emulated(s->supervisor))
		show_needs(s, p->name);
}

static int adopt(struct package_work *w, struct error *err)
{
	struct session *s = w->session;

	if (w->loads_only)
		return 0;
	for (size_t i = 0; i < w->found.n_packages; i++) {
		if (!w->flags && flags_add_package(&s->flags, &w->found.packages[i], err))
			return -1;
		if (!w->flags)
			show(s, &w->found.packages[i]);
	}
	if (!w->flags)
		return 0;
	output_printf(&s->output, STREAM_STDOUT, "%s: %s\n", flags_name(w->kind), w->flags);
	return flags_set(&s->flags, w->kind, w->flags, err);
}

static void finish(struct package_work *w)
{
	struct error err = ERROR_INIT;
	int failed = adopt(w, &err);

	end(w, failed ? &err : NULL);
}

static void on_loaded(void *data, const char *problem)
{
	struct package_work *w = data;
	struct error err = ERROR_INIT;

	/* Loading may have replaced the worker. */
	setup_again(&w->session->setup);
	if (!*problem) {
		finish(w);
		return;
	}
	error_set(&err, ERROR_NOT_FOUND, "%s", problem);
	end(w, &err);
}

static void cancel(void *data)
{
	struct package_work *w = data;

	supervisor_load_cancel(w->session->supervisor);
}

/* Cuts a text into lines, in place. */
static size_t cut(char *text, const char **ret, size_t max)
{
	char *rest = NULL;
	size_t n = 0;

	for (char *line = strtok_r(text, "\n", &rest); line && n < max;
	     line = strtok_r(NULL, "\n", &rest))
		ret[n++] = line;
	return n;
}

static void load(struct package_work *w)
{
	cleanup_buffer struct buffer all = BUFFER_INIT;
	struct error err = ERROR_INIT;
	const char *paths[256];
	size_t n;
	int r;

	for (size_t i = 0; i < w->found.n_packages; i++)
		buffer_puts(&all, w->found.packages[i].libraries);
	if (buffer_check(&all, &err)) {
		end(w, &err);
		return;
	}
	n = all.data ? cut(all.data, paths, 256) : 0;
	w->cell->cancel = cancel;
	w->cell->cancel_data = w;
	r = supervisor_load(w->session->supervisor, paths, n, on_loaded, w, &err);
	if (r < 0)
		end(w, &err);
	else if (!r)
		finish(w);
}

static int take(struct package_work *w, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer libraries = BUFFER_INIT;
	const char *problem = record_str(r);
	struct flags_package p = { .name = (char *)w->name,
				   .version = (char *)record_str(r),
				   .cflags = (char *)record_str(r) };
	uint32_t n = record_count(r, 5);

	for (uint32_t i = 0; i < n; i++)
		buffer_printf(&libraries, "%s\n", record_str(r));
	if (w->question == PACKAGE_SEARCH)
		output_printf(&w->session->output, STREAM_STDOUT, "%s", record_str(r));
	else
		record_str(r);
	if (record_check(r, "COMPILER_PACKAGED", err) || buffer_check(&libraries, err))
		return -1;
	if (*problem)
		return error_set(err, ERROR_NOT_FOUND, "%s", problem);
	p.libraries = (char *)buffer_text(&libraries);
	return w->question == PACKAGE_SEARCH ? 0 : flags_add_package(&w->found, &p, err);
}

void packages_read_lines(uint32_t type, const void *payload, size_t len, struct buffer *out)
{
	struct record r = record_open(payload, payload ? len : 0);
	const char *lines;

	if (!payload || type != COMPILER_PACKAGED)
		return;
	for (int i = 0; i < 3; i++) /* problem, version, flags */
		record_str(&r);
	for (uint32_t n = record_count(&r, 5); n; n--)
		record_str(&r);
	lines = record_str(&r);
	if (!r.failed)
		buffer_puts(out, lines);
}

static void ask_next(struct package_work *w);

static void on_answer(void *data, uint32_t type, const void *payload, size_t len)
{
	struct package_work *w = data;
	struct record r = record_open(payload, payload ? len : 0);
	struct error err = ERROR_INIT;

	if (!payload || type != COMPILER_PACKAGED) {
		error_set(&err, ERROR_PEER_GONE,
			  "the compiler ended over this question; it has been started again");
		end(w, &err);
	} else if (take(w, &r, &err)) {
		end(w, &err);
	} else if (w->question == PACKAGE_SEARCH) {
		end(w, NULL);
	} else {
		w->question = PACKAGE_FIND; /* the linker flags are followed by names only */
		ask_next(w);
	}
}

static void ask_next(struct package_work *w)
{
	struct error err = ERROR_INIT;

	w->name = magic_next_word(&w->rest);
	if (!*w->name)
		load(w);
	else if (supervisor_package(w->session->supervisor, w->question, w->name, on_answer, w,
				    &err))
		end(w, &err);
}

/* Asks the first question, from within the magic. */
static int ask_first(struct package_work *w, const char *text, struct error *err)
{
	struct session *s = w->session;

	if (!supervisor_package(s->supervisor, w->question, text, on_answer, w, err))
		return 1;
	packages_release(s);
	return -1;
}

static struct package_work *work_new(struct session *s, struct cell *c, uint8_t question,
				     const char *text, struct error *err)
{
	struct package_work *w = calloc(1, sizeof(*w));

	if (w)
		w->text = strdup(text);
	if (!w || !w->text) {
		work_free(w);
		error_set(err, ERROR_MEMORY, "out of memory for packages");
		return NULL;
	}
	w->session = s;
	w->cell = c;
	w->question = question;
	w->rest = w->text;
	w->name = "";
	s->package_work = w;
	return w;
}

int packages_use(struct session *s, struct cell *c, const char *names, struct error *err)
{
	struct package_work *w = work_new(s, c, PACKAGE_FIND, names, err);

	if (!w)
		return -1;
	w->name = magic_next_word(&w->rest);
	if (*w->name)
		return ask_first(w, w->name, err);
	load(w);
	return 1;
}

int packages_set(struct session *s, struct cell *c, enum flags_kind kind, const char *flags,
		 struct error *err)
{
	bool link = kind == FLAGS_LINK;
	struct package_work *w;

	if (flags_check(kind, flags, err))
		return -1;
	w = work_new(s, c, link ? PACKAGE_LINK : PACKAGE_FIND, link ? "" : "omp", err);
	if (!w)
		return -1;
	w->kind = kind;
	w->flags = strdup(flags);
	if (!w->flags) {
		packages_release(s);
		return error_set(err, ERROR_MEMORY, "out of memory for flags");
	}
	if (link)
		return ask_first(w, flags, err);
	w->name = magic_next_word(&w->rest);
	return ask_first(w, w->name, err);
}

int packages_load(struct session *s, struct cell *c, const char *link, const char *names,
		  struct error *err)
{
	struct package_work *w = work_new(s, c, *link ? PACKAGE_LINK : PACKAGE_FIND, names, err);

	if (!w)
		return -1;
	w->loads_only = true;
	if (*link)
		return ask_first(w, link, err);
	w->name = magic_next_word(&w->rest);
	return ask_first(w, w->name, err);
}

int packages_search(struct session *s, struct cell *c, const char *text, struct error *err)
{
	struct package_work *w = work_new(s, c, PACKAGE_SEARCH, "", err);

	if (!w)
		return -1;
	return ask_first(w, text, err);
}
