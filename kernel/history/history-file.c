/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There is one connection, and a transaction for all rows of a message. Waiting for another process
 * is limited, so that questions are answered in time; the caller tries again.
 */
#define _GNU_SOURCE
#include "kernel/history/history-file.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/history-protocol.h"
#include "common/protocol/history-query.h"
#include "kernel/settings/folders.h"

#define BUSY_MS 1000
#define OPEN_MS 30000
#define OPEN_PAUSE_MS 5

static const char *const inserts[] = {
	[HISTORY_INPUT] = "INSERT OR REPLACE INTO history VALUES (?, ?, ?3, ?3)",
	[HISTORY_OUTPUT] = "INSERT OR REPLACE INTO output_history VALUES (?, ?, ?)",
};

/* The cache size is in kB; a session writes at the end of its tables. */
static const char schema[] =
	"PRAGMA synchronous = NORMAL;PRAGMA cache_size = -256;"
	"CREATE TABLE IF NOT EXISTS sessions (session INTEGER PRIMARY KEY AUTOINCREMENT, start "
	"TIMESTAMP, end TIMESTAMP, num_cmds INTEGER, remark TEXT);CREATE TABLE IF NOT EXISTS "
	"history (session INTEGER, line INTEGER, source TEXT, source_raw TEXT, PRIMARY KEY "
	"(session, line));CREATE TABLE IF NOT EXISTS output_history (session INTEGER, line "
	"INTEGER, output TEXT, PRIMARY KEY (session, line));";

/* Automatic checkpoints are off behind the first row, since a checkpoint syncs and a question would
 * wait for it: the first row makes one, and the last process that closes the file. */
static const char new_session[] =
	"INSERT INTO sessions (start) VALUES (datetime('now', 'localtime'));";
static const char no_checkpoints[] = "PRAGMA wal_autocheckpoint = 0;";

/* Tells whether the last call failed because of another process, so that it may succeed later.
 * SQLITE_PROTOCOL is the end of waiting for the locks of the write-ahead log. */
static bool is_held(int rc)
{
	return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED ||
	       (rc & 0xff) == SQLITE_PROTOCOL;
}

static int execute(struct history_file *h, const char *sql)
{
	return sqlite3_exec(h->db, sql, NULL, NULL, NULL);
}

/* Creates the file with mode 0600; SQLite gives its mode to the files beside it. */
static void make_private(const char *path)
{
	cleanup_fd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)fd;
}

/* Prepares a statement with its parameters: 'i' int64_t, 's' text. NULL: the error was logged. */
static sqlite3_stmt *prepare(struct history_file *h, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt = NULL;
	va_list ap;

	if (!h->db)
		return NULL;
	if (sqlite3_prepare_v2(h->db, sql, -1, &stmt, NULL) != SQLITE_OK)
		log_warning("%s", sqlite3_errmsg(h->db));
	va_start(ap, types);
	for (int i = 0; stmt && types[i]; i++) {
		if (types[i] == 'i')
			sqlite3_bind_int64(stmt, i + 1, va_arg(ap, int64_t));
		else
			sqlite3_bind_text(stmt, i + 1, va_arg(ap, const char *), -1, SQLITE_STATIC);
	}
	va_end(ap);
	return stmt;
}

static bool has_session(struct history_file *h, int64_t session)
{
	sqlite3_stmt *stmt =
		prepare(h, "SELECT session FROM sessions WHERE session = ?", "i", session);
	bool found = stmt && sqlite3_step(stmt) == SQLITE_ROW;

	sqlite3_finalize(stmt);
	return found;
}

static int begin_session(struct history_file *h, int64_t session)
{
	int rc;

	if (session && has_session(h, session)) {
		h->session = session;
		return execute(h, no_checkpoints);
	}
	rc = execute(h, new_session);
	if (rc != SQLITE_OK)
		return rc;
	h->session = sqlite3_last_insert_rowid(h->db);
	return execute(h, no_checkpoints);
}

/* Sets up the tables. A new file becomes a WAL under an exclusive lock, and a process that finds
 * that taken gets an error at once, whatever the timeout, so it is tried again. */
static int set_up(struct history_file *h, int64_t session)
{
	int64_t end = clock_now_ms() + OPEN_MS;
	int rc;

	for (;;) {
		rc = execute(h, "PRAGMA journal_mode = WAL;");
		if (rc == SQLITE_OK)
			rc = execute(h, schema);
		if (rc == SQLITE_OK)
			rc = begin_session(h, session);
		if (!is_held(rc) || clock_now_ms() >= end)
			return rc;
		sqlite3_sleep(OPEN_PAUSE_MS);
	}
}

static int open_at(struct history_file *h, const char *path, int64_t session)
{
	int rc = sqlite3_open(path, &h->db);

	if (rc == SQLITE_OK)
		sqlite3_busy_timeout(h->db, BUSY_MS);
	if (rc == SQLITE_OK)
		rc = set_up(h, session);
	if (rc == SQLITE_OK)
		return 0;
	log_warning("%s: %s; this session's history is kept in memory", path,
		    h->db ? sqlite3_errmsg(h->db) : "out of memory");
	sqlite3_close(h->db);
	h->db = NULL;
	return -1;
}

void history_file_open(struct history_file *h, const char *path, int64_t session)
{
	*h = (struct history_file){ 0 };
	snprintf(h->place, sizeof(h->place), "%s", path);
	if (strcmp(path, HISTORY_IN_MEMORY)) {
		folders_make_for(path, 0700, NULL);
		make_private(path);
		if (!open_at(h, path, session))
			return;
	}
	snprintf(h->place, sizeof(h->place), "%s", HISTORY_IN_MEMORY);
	open_at(h, ":memory:", 0);
}

/* Runs a statement that gives no rows, and makes it ready for the next row. */
static int step(sqlite3_stmt *stmt)
{
	if (!stmt)
		return SQLITE_ERROR;
	sqlite3_step(stmt);
	return sqlite3_reset(stmt);
}

void history_file_close(struct history_file *h)
{
	sqlite3_stmt *stmt = prepare(
		h,
		"UPDATE sessions SET end = datetime('now', 'localtime'), num_cmds = (SELECT "
		"count(*) FROM history WHERE session = ?1) WHERE session = ?1",
		"i", h->session);

	if (stmt && step(stmt) != SQLITE_OK)
		log_warning("%s", sqlite3_errmsg(h->db));
	sqlite3_finalize(stmt);
	sqlite3_close(h->db);
	h->db = NULL;
}

static int write_rows(struct history_file *h, struct record *rows)
{
	sqlite3_stmt *stmts[] = { prepare(h, inserts[HISTORY_INPUT], ""),
				  prepare(h, inserts[HISTORY_OUTPUT], "") };
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK && !rows->failed && rows->at < rows->end) {
		sqlite3_stmt *stmt = stmts[record_u8(rows) == HISTORY_OUTPUT];
		int64_t line = (int64_t)record_u64(rows);
		const char *text = record_str(rows);

		sqlite3_bind_int64(stmt, 1, h->session);
		sqlite3_bind_int64(stmt, 2, line);
		sqlite3_bind_text(stmt, 3, text, -1, SQLITE_STATIC);
		rc = step(stmt);
	}
	for (int i = 0; i < 2; i++)
		sqlite3_finalize(stmts[i]);
	return rc;
}

int history_file_write(struct history_file *h, struct record rows)
{
	int rc;

	if (!h->db)
		return 0;
	rc = execute(h, "BEGIN IMMEDIATE");
	if (rc == SQLITE_OK) {
		rc = write_rows(h, &rows);
		if (rc == SQLITE_OK)
			rc = execute(h, "COMMIT");
		if (rc != SQLITE_OK)
			execute(h, "ROLLBACK");
	}
	if (is_held(rc))
		return -1;
	if (rc != SQLITE_OK)
		log_warning("%s; the last cells are not in the history", sqlite3_errstr(rc));
	return 0;
}

#define COLUMNS                                                                                    \
	"SELECT session, line, source_raw, output FROM history LEFT JOIN output_history USING "    \
	"(session, line) "

static sqlite3_stmt *prepare_query(struct history_file *h, const struct history_query *q)
{
	const char *search =
		q->unique ? COLUMNS "WHERE source_raw GLOB ? GROUP BY source_raw HAVING "
				    "max(session * 1000000 + line) ORDER BY session DESC, line "
				    "DESC LIMIT ?"
			  : COLUMNS "WHERE source_raw GLOB ? ORDER BY session DESC, line DESC "
				    "LIMIT ?";

	switch (q->kind) {
	case HISTORY_TAIL:
		return prepare(h, COLUMNS "ORDER BY session DESC, line DESC LIMIT ?", "i", q->n);
	case HISTORY_RANGE:
		return prepare(
			h,
			COLUMNS
			"WHERE session = ? AND line >= ? AND (?3 < 0 OR line < ?3) ORDER BY line",
			"iii", q->session > 0 ? q->session : h->session + q->session, q->start,
			q->stop);
	case HISTORY_SEARCH:
		return prepare(h, search, "si", q->pattern, q->n);
	}
	return NULL;
}

static const char *text_at(sqlite3_stmt *stmt, int column)
{
	return (const char *)sqlite3_column_text(stmt, column);
}

void history_file_ask(struct history_file *h, const struct history_query *q, struct buffer *ret)
{
	sqlite3_stmt *stmt = prepare_query(h, q);
	int rc = SQLITE_DONE;

	while (stmt && ret->len < HISTORY_ANSWER_MAX && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *output = q->output ? text_at(stmt, 3) : NULL;

		record_put_u64(ret, (uint64_t)sqlite3_column_int64(stmt, 0));
		record_put_u64(ret, (uint64_t)sqlite3_column_int64(stmt, 1));
		record_put_str(ret, text_at(stmt, 2));
		record_put_u8(ret, output != NULL);
		record_put_str(ret, output);
	}
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		log_warning("%s", sqlite3_errmsg(h->db));
	sqlite3_finalize(stmt);
}
