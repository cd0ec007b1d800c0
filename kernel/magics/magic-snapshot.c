/* SPDX-License-Identifier: Apache-2.0 */
/* %snapshot, %restore and %snapshots: the session on disk. Saving and loading go on while the kernel answers others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "kernel/magics/magic.h"
#include "kernel/session/cell.h"
#include "kernel/session/session-state.h"
#include "kernel/session/session.h"
#include "kernel/session/snapshot-diff.h"
#include "kernel/size-text.h"
#include "kernel/supervisor/snapshot-file.h"
#include "kernel/supervisor/snapshot-job.h"

static void cancel(void *data)
{
	supervisor_snapshot_cancel(((struct session *)data)->supervisor);
}

static int wait_for_it(struct session *s, struct cell *c, int failed)
{
	if (failed)
		return -1;
	c->cancel = cancel;
	c->cancel_data = s;
	return 1;
}

/* What the cell is told when it did not work; 0: it did. */
static int failed(struct session *s, const char *why)
{
	struct error err = ERROR_INIT;

	if (!*why)
		return 0;
	error_set(&err, ERROR_STATE, "%s", why);
	execute_magic_done(s, &err);
	return -1;
}

static const char *when(int64_t seconds, char ret[32])
{
	time_t at = (time_t)seconds;
	struct tm t;

	strftime(ret, 32, "%Y-%m-%d %H:%M:%S", localtime_r(&at, &t));
	return ret;
}

/* ---- save ---- */

static void on_saved(void *data, const struct supervisor_snapshot_end *end)
{
	struct session *s = data;
	char bytes[SIZE_TEXT_MAX], written[SIZE_TEXT_MAX];
	uint64_t owner;

	if (failed(s, end->error))
		return;
	output_printf(&s->output, STREAM_STDOUT, "Saved: %s, of which %s were not on disk yet, in %s\n",
		      size_text(end->bytes, bytes), size_text(end->written, written),
		      supervisor_snapshot_folder(s->supervisor, &owner));
	execute_magic_done(s, NULL);
}

static int save(struct session *s, struct cell *c, const char *name, struct error *err)
{
	if (!strcmp(name, SNAPSHOT_LAST) || !strcmp(name, SNAPSHOT_CURRENT))
		return error_set(err, ERROR_INPUT, "'%s' is written by itself; take another name", name);
	return wait_for_it(s, c, supervisor_save(s->supervisor, name, on_saved, s, err));
}

/* ---- load ---- */

static int take(struct session *s, const struct supervisor_snapshot_end *end, struct error *err)
{
	struct cell *c = s->executor.current;
	cleanup_buffer struct buffer report = BUFFER_INIT;

	undo_note(s, c);
	if (!session_state_take(s, end->session, end->count, err))
		return 0;
	if (undo_cells(s, 1, &report, NULL))
		error_wrap(err, "the memory is that of the snapshot, but the declarations are not");
	return -1;
}

static void on_loaded(void *data, const struct supervisor_snapshot_end *end)
{
	struct session *s = data;
	struct error err = ERROR_INIT;
	char bytes[SIZE_TEXT_MAX], time[32];

	if (failed(s, end->error))
		return;
	if (take(s, end, &err)) {
		execute_magic_done(s, &err);
		return;
	}
	execute_tell_declarations(s);
	output_printf(&s->output, STREAM_STDOUT, "The session is that of %s, after In[%u]: %s. %%undo brings the one from "
		      "before back.\n", when(end->time, time), end->count, size_text(end->bytes, bytes));
	if (*end->report)
		output_printf(&s->output, STREAM_STDERR, "What could not be restored:\n%s", end->report);
	execute_magic_done(s, NULL);
}

static int load(struct session *s, struct cell *c, const char *name, struct error *err)
{
	c->state_before = c->noted ? c->state_before : supervisor_state(s->supervisor);
	return wait_for_it(s, c, supervisor_restore(s->supervisor, name, on_loaded, s, err));
}

/* ---- list, drop, diff ---- */

static int open_folder(struct session *s, uint64_t *ret_owner, struct error *err)
{
	const char *folder = supervisor_snapshot_folder(s->supervisor, ret_owner);

	if (!folder)
		return error_set(err, ERROR_STATE, "there is no folder for snapshots: neither XDG_STATE_HOME nor HOME is set");
	return snapshot_folder_open(folder, false, err);
}

struct listing {
	struct session *session;
	int dir;
	uint64_t owner;
	unsigned n;
};

static void put_row(void *data, const char *name)
{
	struct listing *l = data;
	struct output *out = &l->session->output;
	struct snapshot_file f;
	struct error err = ERROR_INIT;
	uint64_t bytes = 0;
	char size[SIZE_TEXT_MAX], time[32];

	l->n++;
	if (snapshot_file_read(l->dir, name, &f, &err)) {
		output_printf(out, STREAM_STDOUT, "%-20s  %s\n", name, err.text);
		return;
	}
	for (size_t i = 0; i < f.n_blocks; i++)
		bytes += f.blocks[i].len;
	if (!strcmp(name, SNAPSHOT_CURRENT) && f.owner != l->owner)
		name = SNAPSHOT_LAST;
	output_printf(out, STREAM_STDOUT, "%-20s  %s  In[%u]  %9s%s\n", name, when(f.time, time), f.count,
		      size_text(bytes, size), !strcmp(name, SNAPSHOT_CURRENT) ? "  by itself, of this session" :
		      !strcmp(name, SNAPSHOT_LAST) ? "  by itself, of the session before" : "");
	snapshot_file_release(&f);
}

static int list(struct session *s, struct cell *c, const char *name, struct error *err)
{
	struct listing l = { .session = s };
	struct error none = ERROR_INIT;
	cleanup_fd int dir = open_folder(s, &l.owner, &none);

	(void)c;
	(void)name;
	l.dir = dir;
	if (dir < 0 && none.code != ERROR_NOT_FOUND) {
		*err = none;
		return -1;
	}
	if (dir >= 0 && snapshot_file_each(dir, put_row, &l, err))
		return -1;
	if (!l.n)
		output_printf(&s->output, STREAM_STDOUT, "there are no snapshots of this notebook\n");
	return 0;
}

/* The folder, for a snapshot that exists: `last` becomes the name of its file. */
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

static void on_compared(void *data, const struct supervisor_snapshot_end *end)
{
	struct diff *d = data;
	struct session *s = d->session;
	const char *text = snapshot_diff_text(d->work);

	if (!*end->error)
		output_printf(&s->output, STREAM_STDOUT, "%s", *text ? text : "no difference\n");
	snapshot_diff_free(d->work);
	free(d);
	if (!failed(s, end->error))
		execute_magic_done(s, NULL);
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
	{ "save", save, true }, { "load", load, true }, { "list", list, false }, { "diff", diff, true },
	{ "drop", drop, true },
};

static int run_verb(struct session *s, struct cell *c, const char *verb, const char *name, struct error *err)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, verb))
			continue;
		if (verbs[i].named && !snapshot_name_is_good(name))
			return error_set(err, ERROR_INPUT, "'%s' is no name of a snapshot: up to %d letters, digits, _ - and .",
					 name, SNAPSHOT_NAME_MAX);
		return verbs[i].run(s, c, name, err);
	}
	if (!*name && snapshot_name_is_good(verb))
		return save(s, c, verb, err);
	return error_set(err, ERROR_INPUT, "'%s' is not one of save, load, list, diff, drop", verb);
}

static int snapshot(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	char *args = call->args, *verb = magic_next_word(&args), *name = magic_next_word(&args);
	int result = run_verb(s, c, *verb ? verb : "list", name, err);

	return result < 0 ? error_wrap(err, "%%snapshot") : result;
}

const struct magic magic_snapshot = {
	.name = "snapshot",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%snapshot save|load|... NAME",
	.help = "Keeps variables, heap, device memory and declarations on disk and brings them back, also after a restart.\n"
		"`%snapshot save|load|diff|drop NAME`, `%snapshot list`.\n"
		"`%snapshot load last` is what the kernel before this one had committed at its end.",
	.run = snapshot,
};

static int restore(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	int result = run_verb(s, c, "load", *call->args ? call->args : SNAPSHOT_LAST, err);

	return result < 0 ? error_wrap(err, "%%restore") : result;
}

const struct magic magic_restore = {
	.name = "restore",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%restore [NAME]",
	.help = "The same as %snapshot load NAME (last).",
	.run = restore,
};

static int snapshots(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)call;
	return list(s, c, "", err) ? error_wrap(err, "%%snapshots") : 0;
}

const struct magic magic_snapshots = {
	.name = "snapshots",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%snapshots",
	.help = "The same as %snapshot list.",
	.run = snapshots,
};
