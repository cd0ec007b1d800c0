/* SPDX-License-Identifier: Apache-2.0 */
/* %snapshot, %restore and %snapshots: the session on disk. The kernel answers other requests while
 * it saves or loads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "kernel/disk/block-store.h"
#include "kernel/disk/snapshot-file.h"
#include "kernel/disk/snapshot-job.h"
#include "kernel/disk/snapshots.h"
#include "kernel/reports/snapshot-diff.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session-state.h"
#include "kernel/session/session.h"
#include "kernel/session/undo.h"
#include "kernel/settings/size-text.h"

static void cancel(void *data)
{
	snapshots_cancel(((struct session *)data)->supervisor);
}

static int wait_for_it(struct session *s, struct cell *c, int failed)
{
	if (failed)
		return -1;
	c->cancel = cancel;
	c->cancel_data = s;
	return 1;
}

/* Reports a failure to the cell; 0: there was none. */
static int failed(struct session *s, const char *why)
{
	struct error err = ERROR_INIT;

	if (!*why)
		return 0;
	error_set(&err, ERROR_STATE, "%s", why);
	s->hooks->magic_done(s, &err);
	return -1;
}

static const char *when(int64_t seconds, char ret[32])
{
	time_t at = (time_t)seconds;
	struct tm t;

	/* A file may say any time. */
	if (!localtime_r(&at, &t) || !strftime(ret, 32, "%Y-%m-%d %H:%M:%S", &t))
		snprintf(ret, 32, "%s", "at an impossible time");
	return ret;
}

/* ---- save ---- */

static void on_saved(void *data, const struct snapshots_end *end)
{
	struct session *s = data;
	char bytes[SIZE_TEXT_MAX], written[SIZE_TEXT_MAX];
	uint64_t owner;

	if (failed(s, end->error))
		return;
	output_printf(&s->output, STREAM_STDOUT,
		      "Saved: %s, of which %s were not on disk yet, in %s\n",
		      size_text(end->bytes, bytes), size_text(end->written, written),
		      snapshots_folder(s->supervisor, &owner));
	s->hooks->magic_done(s, NULL);
}

static int save(struct session *s, struct cell *c, const char *name, struct error *err)
{
	if (!strcmp(name, SNAPSHOT_LAST) || !strcmp(name, SNAPSHOT_CURRENT))
		return error_set(err, ERROR_INPUT, "'%s' is written by itself; take another name",
				 name);
	return wait_for_it(s, c, snapshots_save(s->supervisor, name, on_saved, s, err));
}

/* ---- load ---- */

static int take(struct session *s, const struct snapshots_end *end, struct error *err)
{
	struct cell *c = s->executor.current;
	cleanup_buffer struct buffer report = BUFFER_INIT;

	undo_note_all(s, c);
	if (!session_state_take(s, end->session, end->count, err))
		return 0;
	if (undo_cells(s, 1, &report, NULL))
		error_wrap(err, "the memory is that of the snapshot, but the declarations are not");
	return -1;
}

static void on_loaded(void *data, const struct snapshots_end *end)
{
	struct session *s = data;
	struct error err = ERROR_INIT;
	char bytes[SIZE_TEXT_MAX], time[32];

	if (failed(s, end->error))
		return;
	if (take(s, end, &err)) {
		s->hooks->magic_done(s, &err);
		return;
	}
	session_tell_declarations(s);
	output_printf(&s->output, STREAM_STDOUT,
		      "The session is that of %s, after In[%u]: %s. %%undo brings the one from "
		      "before back.\n",
		      when(end->time, time), end->count, size_text(end->bytes, bytes));
	if (*end->report)
		output_printf(&s->output, STREAM_STDERR, "What could not be restored:\n%s",
			      end->report);
	s->hooks->magic_done(s, NULL);
}

static int load(struct session *s, struct cell *c, const char *name, struct error *err)
{
	c->state_before = c->noted ? c->state_before : supervisor_state(s->supervisor);
	return wait_for_it(s, c, snapshots_restore(s->supervisor, name, on_loaded, s, err));
}

/* ---- list, drop, diff ---- */

static int open_folder(struct session *s, uint64_t *ret_owner, struct error *err)
{
	const char *folder = snapshots_folder(s->supervisor, ret_owner);

	if (!folder)
		return error_set(
			err, ERROR_STATE,
			"there is no folder for snapshots: neither XDG_STATE_HOME nor HOME is set");
	return snapshot_folder_open(folder, false, err);
}

struct listing {
	struct session *session;
	int dir;
	uint64_t owner;
	struct block_store store;
	unsigned n;
};

static int by_hash(const void *a, const void *b)
{
	return memcmp(&((const struct snapshot_block *)a)->hash,
		      &((const struct snapshot_block *)b)->hash, sizeof(struct block_hash));
}

/* Sums up the blocks, equal ones once. It changes the order of the blocks. */
static void sum(const struct listing *l, struct snapshot_file *f, uint64_t *ret_bytes,
		uint64_t *ret_packed)
{
	*ret_bytes = *ret_packed = 0;
	if (f->n_blocks)
		qsort(f->blocks, f->n_blocks, sizeof(*f->blocks), by_hash);
	for (size_t i = 0; i < f->n_blocks; i++) {
		*ret_bytes += f->blocks[i].len;
		if (!i || by_hash(&f->blocks[i], &f->blocks[i - 1]))
			*ret_packed += block_store_find(&l->store, f->blocks[i].hash);
	}
}

static const char *age(int64_t seconds, char ret[32])
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = { { 86400, "days" }, { 3600, "h" }, { 60, "min" } };
	int64_t ago = time(NULL) - seconds;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ago >= 2 * units[i].seconds) {
			snprintf(ret, 32, "%lld %s ago", (long long)(ago / units[i].seconds),
				 units[i].name);
			return ret;
		}
	}
	snprintf(ret, 32, "%lld s ago", (long long)(ago > 0 ? ago : 0));
	return ret;
}

/* Returns the name to show: SNAPSHOT_CURRENT of another process is shown as SNAPSHOT_LAST. */
static const char *shown_name(int dir, uint64_t owner, const char *name)
{
	return !strcmp(name, snapshot_file_last(dir, owner)) ? SNAPSHOT_LAST : name;
}

/* Tells whether a file SNAPSHOT_LAST is hidden by a newer automatic snapshot. */
static bool is_overtaken(int dir, uint64_t owner, const char *name)
{
	return !strcmp(name, SNAPSHOT_LAST) &&
	       strcmp(snapshot_file_last(dir, owner), SNAPSHOT_LAST);
}

static void put_file(struct listing *l, const char *name, struct snapshot_file *f)
{
	struct output *out = &l->session->output;
	char size[SIZE_TEXT_MAX], disk[SIZE_TEXT_MAX], at[32], ago[32];
	uint64_t bytes, packed;

	sum(l, f, &bytes, &packed);
	name = shown_name(l->dir, l->owner, name);
	output_printf(out, STREAM_STDOUT, "%-20s  %s  %10s  after In[%u]  %9s  %9s on disk%s%s%s\n",
		      name, when(f->time, at), age(f->time, ago), f->count, size_text(bytes, size),
		      size_text(packed, disk),
		      !strcmp(name, SNAPSHOT_CURRENT) ? "  by itself, of this session"
		      : !strcmp(name, SNAPSHOT_LAST)  ? "  by itself, of the session before"
						      : "",
		      f->lost.len ? "\n                      without: " : "",
		      buffer_text(&f->lost));
}

static void put_row(void *data, const char *name)
{
	struct listing *l = data;
	struct snapshot_file f;
	struct error err = ERROR_INIT;

	if (is_overtaken(l->dir, l->owner, name))
		return;
	l->n++;
	if (snapshot_file_read(l->dir, name, &f, &err)) {
		output_printf(&l->session->output, STREAM_STDOUT, "%-20s  %s\n", name, err.text);
		return;
	}
	put_file(l, name, &f);
	snapshot_file_release(&f);
}

static int put_rows(struct listing *l, struct error *err)
{
	uint64_t owner;
	char size[SIZE_TEXT_MAX];
	int result;

	if (block_store_open(&l->store, l->dir, false, err))
		return -1;
	result = snapshot_file_each(l->dir, put_row, l, err);
	if (!result && l->n)
		output_printf(&l->session->output, STREAM_STDOUT, "All of them: %s in %s\n",
			      size_text(l->store.end, size),
			      snapshots_folder(l->session->supervisor, &owner));
	block_store_close(&l->store);
	return result;
}

static int list(struct session *s, struct cell *c, const char *name, struct error *err)
{
	struct listing l = { .session = s };
	struct error none = ERROR_INIT;
	cleanup_fd int dir = open_folder(s, &l.owner, &none);
	const char *problem = snapshots_problem(s->supervisor);

	(void)c;
	(void)name;
	l.dir = dir;
	if (dir < 0 && none.code != ERROR_NOT_FOUND) {
		*err = none;
		return -1;
	}
	if (dir >= 0 && put_rows(&l, err))
		return -1;
	if (!l.n)
		output_printf(&s->output, STREAM_STDOUT,
			      "there are no snapshots of this notebook\n");
	if (*problem)
		output_printf(&s->output, STREAM_STDERR,
			      "The session could not be saved by itself: %s\n", problem);
	return 0;
}

/* Opens the folder for an existing snapshot: `last` becomes the name of its file. */
static int open_for(struct session *s, const char **name, struct error *err)
{
	uint64_t owner;
	int dir = open_folder(s, &owner, err);

	if (dir >= 0 && !strcmp(*name, SNAPSHOT_LAST))
		*name = snapshot_file_last(dir, owner);
	return dir;
}

static int drop(struct session *s, struct cell *c, const char *name, struct error *err)
{
	cleanup_fd int dir = open_for(s, &name, err);

	(void)c;
	return dir < 0 ? -1 : snapshot_file_drop(dir, name, err);
}

struct diff {
	struct session *session;
	struct snapshot_diff *work;
};

static void on_compared(void *data, const struct snapshots_end *end)
{
	struct diff *d = data;
	struct session *s = d->session;
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (!*end->error) {
		snapshot_diff_put(d->work, s->supervisor, &text);
		output_printf(&s->output, STREAM_STDOUT, "%s",
			      text.len ? text.data : "no difference\n");
	}
	snapshot_diff_free(d->work);
	free(d);
	if (!failed(s, end->error))
		s->hooks->magic_done(s, NULL);
}

static int diff(struct session *s, struct cell *c, const char *name, struct error *err)
{
	struct diff *d = calloc(1, sizeof(*d));

	if (!d)
		return error_set(err, ERROR_MEMORY, "out of memory to compare a snapshot");
	d->session = s;
	d->work = snapshot_diff_start(s->supervisor, name, on_compared, d, err);
	if (d->work)
		return wait_for_it(s, c, 0);
	free(d);
	return -1;
}

static const struct {
	const char *name;
	int (*run)(struct session *s, struct cell *c, const char *name, struct error *err);
	bool named;
} verbs[] = {
	{ "save", save, true }, { "load", load, true }, { "list", list, false },
	{ "diff", diff, true }, { "drop", drop, true },
};

static int run_verb(struct session *s, struct cell *c, const char *verb, const char *name,
		    struct error *err)
{
	if (supervisor_profile(s->supervisor) >= PROFILE_LOCKED)
		return error_set(err, ERROR_STATE, "the profile locked keeps nothing on disk");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, verb))
			continue;
		if (verbs[i].named && !snapshot_name_is_good(name))
			return error_set(err, ERROR_INPUT,
					 "'%s' is no name of a snapshot: that is up to %d letters, "
					 "digits, '_', '-' and '.', without a '.' in front",
					 name, SNAPSHOT_NAME_MAX);
		return verbs[i].run(s, c, name, err);
	}
	if (!*name && snapshot_name_is_good(verb))
		return save(s, c, verb, err);
	return error_set(err, ERROR_INPUT, "'%s' is not one of save, load, list, diff, drop", verb);
}

static int snapshot(struct session *s, struct cell *c, const struct magic_call *call,
		    struct error *err)
{
	char *args = call->args, *verb = magic_next_word(&args), *name = magic_next_word(&args);
	int result = run_verb(s, c, *verb ? verb : "list", name, err);

	return result < 0 ? error_wrap(err, "%%snapshot") : result;
}

struct candidates {
	magic_candidate *fn;
	void *data;
	int dir;
	uint64_t owner;
};

static void add_name(void *data, const char *name)
{
	struct candidates *n = data;

	if (!is_overtaken(n->dir, n->owner, name))
		n->fn(n->data, shown_name(n->dir, n->owner, name), "snapshot");
}

static enum magic_word complete_name(struct session *s, const char *before, magic_candidate *fn,
				     void *data)
{
	struct candidates n = { .fn = fn, .data = data };
	cleanup_fd int dir = open_folder(s, &n.owner, NULL);

	(void)before;
	n.dir = dir;
	if (dir >= 0)
		snapshot_file_each(dir, add_name, &n, NULL);
	return MAGIC_WORD_NONE;
}

static enum magic_word complete(struct session *s, const char *before, magic_candidate *fn,
				void *data)
{
	size_t len = strcspn(before, " \t");

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!*before)
			fn(data, verbs[i].name, "keyword");
		else if (verbs[i].named && len == strlen(verbs[i].name) &&
			 !strncmp(before, verbs[i].name, len) &&
			 !before[len + strspn(before + len, " \t")])
			complete_name(s, before, fn, data);
	}
	return MAGIC_WORD_NONE;
}

const struct magic magic_snapshot = {
	.name = "snapshot",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%snapshot save|load|... NAME",
	.help = "Keeps the session on disk and brings it back, also after a restart.\n\n"
		"Variables, heap, device memory and declarations: `%snapshot "
		"save|load|diff|drop NAME`, `%snapshot list`.\n\n"
		"`%snapshot load last` is what the kernel before this one had committed "
		"at its end.",
	.run = snapshot,
	.complete = complete,
};

static int restore(struct session *s, struct cell *c, const struct magic_call *call,
		   struct error *err)
{
	int result = run_verb(s, c, "load", *call->args ? call->args : SNAPSHOT_LAST, err);

	return result < 0 ? error_wrap(err, "%%restore") : result;
}

const struct magic magic_restore = {
	.name = "restore",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%restore [NAME]",
	.help = "Is the same as %snapshot load NAME; without a name it is the one "
		"called last.",
	.run = restore,
	.complete = complete_name,
};

static int snapshots(struct session *s, struct cell *c, const struct magic_call *call,
		     struct error *err)
{
	(void)call;
	return list(s, c, "", err) ? error_wrap(err, "%%snapshots") : 0;
}

const struct magic magic_snapshots = {
	.name = "snapshots",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%snapshots",
	.help = "Is the same as %snapshot list.",
	.run = snapshots,
};
