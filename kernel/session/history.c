/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There is one connection. A transaction costs 25 system calls, so rows are collected and written
 * together, shortly after the first of them, or before a read. Writing waits at most two seconds
 * for another kernel, since it happens on the event loop. Opening the file syncs its folder to the
 * disk, which may take long, so a thread does it: until then rows and requests are queued.
 */
#define _GNU_SOURCE
#include "kernel/session/history.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "kernel/base/loop.h"
#include "kernel/base/thread.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/settings/folders.h"

#define BUSY_MS 2000
#define WRITE_MS 100
#define PENDING_MAX (1u << 20)
#define OPEN_MS 30000 /* in a thread of its own */
#define OPEN_PAUSE_MS 5

struct history {
	sqlite3 *db;
	int64_t session;
	pthread_t opener; /* owns db, session and place while it is opening */
	bool opening;
	char place[4096];
	int opened; /* an eventfd that the opener writes last */
	struct loop *loop;
	struct loop_source *opening_ends;
	struct request **waiting; /* for the opener */
	size_t n_waiting;
	struct loop_source *timer; /* while rows wait */
	struct buffer pending;     /* u8 table (enum row), u64 line, str text */
};

enum row { ROW_INPUT, ROW_OUTPUT };

static const char *const inserts[] = {
	[ROW_INPUT] = "INSERT OR REPLACE INTO history VALUES (?, ?, ?3, ?3)",
	[ROW_OUTPUT] = "INSERT OR REPLACE INTO output_history VALUES (?, ?, ?)",
};

/*
 * The cache size is in kB; a session writes at the end of its tables. Automatic checkpoints are
 * off, since a checkpoint syncs: the opener makes one, and the last process that closes the file.
 */
static const char schema[] =
	"PRAGMA synchronous = NORMAL;PRAGMA cache_size = -256;"
	"CREATE TABLE IF NOT EXISTS sessions (session INTEGER PRIMARY KEY AUTOINCREMENT, start "
	"TIMESTAMP, end TIMESTAMP, num_cmds INTEGER, remark TEXT);CREATE TABLE IF NOT EXISTS "
	"history (session INTEGER, line INTEGER, source TEXT, source_raw TEXT, PRIMARY KEY "
	"(session, line));CREATE TABLE IF NOT EXISTS output_history (session INTEGER, line "
	"INTEGER, output TEXT, PRIMARY KEY (session, line));INSERT INTO sessions (start) VALUES "
	"(datetime('now', 'localtime'));PRAGMA wal_autocheckpoint = 0;";

/* Creates the file with mode 0600; SQLite gives its mode to the files beside it. */
static void make_private(const char *path)
{
	cleanup_fd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)fd;
}

/* Sets up the tables. A new file becomes a WAL under an exclusive lock, and a process that finds
 * that taken gets an error at once, whatever the timeout, so it is tried again. */
static int set_up(sqlite3 *db)
{
	int64_t end = clock_now_ms() + OPEN_MS;
	int rc;

	for (;;) {
		rc = sqlite3_exec(db, "PRAGMA journal_mode = WAL;", NULL, NULL, NULL);
		if (rc == SQLITE_OK)
			rc = sqlite3_exec(db, schema, NULL, NULL, NULL);
		if (rc != SQLITE_BUSY || clock_now_ms() >= end)
			return rc;
		sqlite3_sleep(OPEN_PAUSE_MS);
	}
}

static int open_at(struct history *h, const char *path)
{
	int rc = sqlite3_open(path, &h->db);

	if (rc == SQLITE_OK)
		sqlite3_busy_timeout(h->db, BUSY_MS);
	if (rc == SQLITE_OK)
		rc = set_up(h->db);
	if (rc == SQLITE_OK) {
		h->session = sqlite3_last_insert_rowid(h->db);
		return 0;
	}
	log_warning("history: %s: %s; this session's history is kept in memory", path,
		    h->db ? sqlite3_errmsg(h->db) : "out of memory");
	sqlite3_close(h->db);
	h->db = NULL;
	return -1;
}

static void default_path(char *ret, size_t size)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && *data == '/')
		snprintf(ret, size, "%s/cgpu/history.sqlite", data);
	else if (home && *home == '/')
		snprintf(ret, size, "%s/.local/share/cgpu/history.sqlite", home);
	else
		snprintf(ret, size, "off");
}

static void open_somewhere(struct history *h)
{
	if (strcmp(h->place, "off")) {
		folders_make_for(h->place, 0700, NULL);
		make_private(h->place);
		if (!open_at(h, h->place))
			return;
	}
	snprintf(h->place, sizeof(h->place), "memory");
	open_at(h, ":memory:");
}

static void *open_history(void *data)
{
	struct history *h = data;

	open_somewhere(h);
	eventfd_write(h->opened, 1);
	return NULL;
}

static void on_opened(void *data);

struct history *history_new(const char *path, struct loop *loop)
{
	struct history *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->loop = loop;
	h->opened = eventfd(0, EFD_CLOEXEC);
	if (h->opened < 0) {
		free(h);
		return NULL;
	}
	if (*path)
		snprintf(h->place, sizeof(h->place), "%s", path);
	else
		default_path(h->place, sizeof(h->place));
	h->opening = !thread_start(&h->opener, open_history, h);
	if (!h->opening)
		open_somewhere(h);
	else if (loop)
		h->opening_ends = loop_add_fd(loop, h->opened, on_opened, h);
	return h;
}

/* Waits for the opener, where there is no loop or it ends. */
static void wait_until_open(struct history *h)
{
	if (h->opening)
		pthread_join(h->opener, NULL);
	h->opening = false;
}

const char *history_place(struct history *h)
{
	if (!h)
		return "nowhere: out of memory";
	if (h->opening_ends)
		return "a file that is not open yet";
	wait_until_open(h);
	return h->place;
}

static int64_t own_session(struct history *h)
{
	if (!h)
		return 0;
	wait_until_open(h);
	return h->session;
}

/* Prepares a statement. NULL: the error was logged. */
static sqlite3_stmt *prepare(struct history *h, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (!h)
		return NULL;
	wait_until_open(h);
	if (!h->db)
		return NULL;
	if (sqlite3_prepare_v2(h->db, sql, -1, &stmt, NULL) != SQLITE_OK)
		log_warning("history: %s", sqlite3_errmsg(h->db));
	return stmt;
}

static void run(struct history *h, sqlite3_stmt *stmt)
{
	if (stmt && sqlite3_step(stmt) != SQLITE_DONE)
		log_warning("history: %s", sqlite3_errmsg(h->db));
	sqlite3_reset(stmt);
}

static void write_rows(struct history *h)
{
	struct record r = record_open(h->pending.data, h->pending.len);
	sqlite3_stmt *stmts[2] = { prepare(h, inserts[ROW_INPUT]),
				   prepare(h, inserts[ROW_OUTPUT]) };

	while (r.at < r.end) {
		sqlite3_stmt *stmt = stmts[record_u8(&r) == ROW_OUTPUT];

		sqlite3_bind_int64(stmt, 1, h->session);
		sqlite3_bind_int64(stmt, 2, (int64_t)record_u64(&r));
		sqlite3_bind_text(stmt, 3, record_str(&r), -1, SQLITE_STATIC);
		run(h, stmt);
	}
	for (int i = 0; i < 2; i++)
		sqlite3_finalize(stmts[i]);
}

static void on_timer(void *data);

/* Writes the pending rows. If another kernel prevents it, they stay pending, within limits. */
static void write_pending(struct history *h)
{
	if (!h->pending.len)
		return;
	if (h->opening_ends && h->pending.len < PENDING_MAX)
		return;
	if (h->opening_ends) {
		log_warning("history: its file is not open yet; the last cells are not in it");
		buffer_release(&h->pending);
		return;
	}
	wait_until_open(h);
	if (h->db && sqlite3_exec(h->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK) {
		write_rows(h);
		if (sqlite3_exec(h->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
			log_warning("history: %s", sqlite3_errmsg(h->db));
	} else if (h->db && h->pending.len < PENDING_MAX) {
		return;
	} else if (h->db) {
		log_warning("history: %s; the last cells are not in it", sqlite3_errmsg(h->db));
	}
	buffer_release(&h->pending);
}

static void start_timer(struct history *h)
{
	if (h->loop && !h->timer && h->pending.len && !h->opening_ends)
		h->timer = loop_add_timer(h->loop, WRITE_MS, on_timer, h);
}

static void on_timer(void *data)
{
	struct history *h = data;

	h->timer = NULL;
	write_pending(h);
	start_timer(h);
}

/* Starts a query, with all rows written and its parameters set: 'i' int64_t, 's' text. NULL: the
 * error was logged. */
static sqlite3_stmt *ask(struct history *h, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt;
	va_list ap;

	if (h)
		write_pending(h);
	stmt = prepare(h, sql);
	va_start(ap, types);
	for (int i = 0; stmt && types[i]; i++) {
		if (types[i] == 'i')
			sqlite3_bind_int64(stmt, i + 1, va_arg(ap, int64_t));
		else
			sqlite3_bind_text(stmt, i + 1, va_arg(ap, const char *), -1,
					  SQLITE_TRANSIENT);
	}
	va_end(ap);
	return stmt;
}

static void end_opening(struct history *h)
{
	if (h->opening_ends)
		loop_remove(h->loop, h->opening_ends);
	h->opening_ends = NULL;
}

/* Waits for the opener for a limited time, so that a disk that hangs does not keep the process from
 * ending. */
static bool is_opened_soon(struct history *h)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += BUSY_MS / 1000;
	if (h->opening && pthread_clockjoin_np(h->opener, NULL, CLOCK_MONOTONIC, &until))
		return false;
	h->opening = false;
	return true;
}

void history_free(struct history *h)
{
	sqlite3_stmt *stmt;

	if (!h)
		return;
	end_opening(h);
	while (h->n_waiting)
		request_end(h->waiting[--h->n_waiting]);
	free(h->waiting);
	if (h->loop && !is_opened_soon(h)) {
		log_warning(
			"history: its file could not be opened in time; this session is not in it");
		return; /* the thread owns all of it */
	}
	stmt = ask(h,
		   "UPDATE sessions SET end = datetime('now', 'localtime'), num_cmds = (SELECT "
		   "count(*) FROM history WHERE session = ?1) WHERE session = ?1",
		   "i", own_session(h));
	run(h, stmt);
	sqlite3_finalize(stmt);
	if (h->loop)
		loop_remove(h->loop, h->timer);
	buffer_release(&h->pending);
	sqlite3_close(h->db);
	close(h->opened);
	free(h);
}

static void add(struct history *h, enum row row, uint32_t line, const char *text)
{
	size_t before = h ? h->pending.len : 0;

	if (!h)
		return;
	record_put_u8(&h->pending, row);
	record_put_u64(&h->pending, line);
	record_put_str(&h->pending, text);
	if (h->pending.failed) {
		log_warning("history: out of memory, %zu bytes of it are lost", before);
		buffer_release(&h->pending);
	}
	if (h->pending.len >= PENDING_MAX)
		write_pending(h);
	start_timer(h);
}

void history_add(struct history *h, uint32_t line, const char *source)
{
	add(h, ROW_INPUT, line, source);
}

void history_add_output(struct history *h, uint32_t line, const char *text)
{
	add(h, ROW_OUTPUT, line, text);
}

#define COLUMNS                                                                                    \
	"SELECT session, line, source_raw, output FROM history LEFT JOIN output_history USING "    \
	"(session, line) "

/* Collects all rows; `newest_first` reverses them. */
static json_t *collect(sqlite3_stmt *stmt, bool newest_first, bool output)
{
	json_t *rows = json_array();

	while (stmt && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *source = (const char *)sqlite3_column_text(stmt, 2);
		const char *text = (const char *)sqlite3_column_text(stmt, 3);
		json_t *row = json_pack(output ? "[I, I, [s, s?]]" : "[I, I, s]",
					(json_int_t)sqlite3_column_int64(stmt, 0),
					(json_int_t)sqlite3_column_int64(stmt, 1),
					source ? source : "", text);

		if (newest_first)
			json_array_insert_new(rows, 0, row);
		else
			json_array_append_new(rows, row);
	}
	sqlite3_finalize(stmt);
	return rows;
}

json_t *history_tail(struct history *h, int n, bool output)
{
	return collect(ask(h, COLUMNS "ORDER BY session DESC, line DESC LIMIT ?", "i", (int64_t)n),
		       true, output);
}

json_t *history_range(struct history *h, int64_t session, int start, int stop, bool output)
{
	if (session <= 0)
		session += own_session(h);
	return collect(
		ask(h,
		    COLUMNS
		    "WHERE session = ? AND line >= ? AND (?3 < 0 OR line < ?3) ORDER BY line",
		    "iii", session, (int64_t)start, (int64_t)stop),
		false, output);
}

json_t *history_search(struct history *h, const char *pattern, int n, bool unique, bool output)
{
	const char *sql =
		unique ? COLUMNS "WHERE source_raw GLOB ? GROUP BY source_raw HAVING max(session * "
				 "1000000 + line) ORDER BY session DESC, line DESC LIMIT ?"
		       : COLUMNS "WHERE source_raw GLOB ? ORDER BY session DESC, line DESC LIMIT ?";

	return collect(ask(h, sql, "si", pattern, (int64_t)n), true, output);
}

static void answer(struct history *h, struct request *r)
{
	const char *type = request_text(r, "hist_access_type"),
		   *pattern = request_text(r, "pattern");
	bool output = request_flag(r, "output", false);
	int n = request_number(r, "n", -1);
	json_t *rows;

	if (!strcmp(type, "tail"))
		rows = history_tail(h, n, output);
	else if (!strcmp(type, "range"))
		rows = history_range(h, request_number(r, "session", 0),
				     request_number(r, "start", 0), request_number(r, "stop", -1),
				     output);
	else
		rows = history_search(h, *pattern ? pattern : "*", n,
				      request_flag(r, "unique", false), output);
	request_reply(r, json_pack("{ss so}", "status", "ok", "history", rows));
}

static void on_opened(void *data)
{
	struct history *h = data;

	end_opening(h);
	wait_until_open(h);
	write_pending(h);
	start_timer(h);
	for (size_t i = 0; i < h->n_waiting; i++) {
		answer(h, h->waiting[i]);
		request_end(h->waiting[i]);
	}
	h->n_waiting = 0;
}

void history_request(struct request *r)
{
	struct history *h = r->session->history;
	struct request **grown;

	if (!h || !h->opening_ends) {
		answer(h, r);
		return;
	}
	grown = realloc(h->waiting, (h->n_waiting + 1) * sizeof(*grown));
	if (!grown) {
		request_reply(r, json_pack("{ss s[]}", "status", "ok", "history"));
		return;
	}
	h->waiting = grown;
	h->waiting[h->n_waiting++] = r;
	request_keep(r);
}
