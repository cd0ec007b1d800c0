/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-history: serves one kernel process over one socket, one message after another, and waits for
 * SQLite where the kernel process must not. Rows that another process keeps it from writing are
 * tried again until the channel closes.
 */
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/history-protocol.h"
#include "common/protocol/history-query.h"
#include "common/protocol/ipc.h"
#include "common/sandbox/confinement.h"
#include "kernel/history/history-file.h"

#define AGAIN_MS 100

struct server {
	struct history_file file;
	struct buffer rows; /* not written yet, as they came */
	uint64_t last;      /* number of the last of them */
};

/* Sends a message. A kernel process that has closed the channel is noticed by the next read. */
static void tell(uint32_t type, const struct buffer *b)
{
	struct error err = ERROR_INIT;

	if (ipc_send_buffer(HISTORY_SOCKET_FD, type, b, &err))
		if (err.code != ERROR_PEER_GONE)
			log_error("message %u: %s", type, err.text);
}

static int open_file(struct server *s, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	uint32_t version = record_u32(r);
	const char *path = record_str(r);
	int64_t session = (int64_t)record_u64(r);

	if (version != HISTORY_PROTOCOL_VERSION)
		return error_set(err, ERROR_PROTOCOL,
				 "cgpu-kernel speaks version %u of the protocol, this program %u: "
				 "install both from the same build",
				 version, HISTORY_PROTOCOL_VERSION);
	if (record_check(r, "HISTORY_OPEN", err))
		return -1;
	history_file_open(&s->file, path, session);
	record_put_str(&b, s->file.place);
	record_put_u64(&b,
		       strcmp(s->file.place, HISTORY_IN_MEMORY) ? (uint64_t)s->file.session : 0);
	record_put_str(&b, sqlite3_libversion());
	tell(HISTORY_PLACE, &b);
	return 0;
}

static void write_rows(struct server *s)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (!s->rows.len || history_file_write(&s->file, record_open(s->rows.data, s->rows.len)))
		return;
	buffer_release(&s->rows);
	record_put_u64(&b, s->last);
	tell(HISTORY_KEPT, &b);
}

static int add(struct server *s, struct record *r, struct error *err)
{
	s->last = record_u64(r);
	buffer_append(&s->rows, r->at, (size_t)(r->end - r->at));
	if (r->failed)
		return record_check(r, "HISTORY_ADD", err);
	/* The next process gets the rows again. */
	if (buffer_check(&s->rows, err))
		return -1;
	write_rows(s);
	return 0;
}

static int ask(struct server *s, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	uint32_t id = record_u32(r);
	struct history_query q = history_query_take(r);

	if (record_check(r, "HISTORY_ASK", err))
		return -1;
	write_rows(s);
	record_put_u32(&b, id);
	history_file_ask(&s->file, &q, &b);
	if (b.failed) {
		log_error("out of memory for an answer");
		buffer_release(&b);
		record_put_u32(&b, id);
	}
	tell(HISTORY_ANSWER, &b);
	return 0;
}

/* The file may be a cell's work, and SQLite reads it. */
static int confine(struct record *r, struct error *err)
{
	cleanup_buffer struct buffer list = BUFFER_INIT;
	struct sandbox_report report = { &list, 0 };
	struct confinement c;

	if (confinement_read(r, &c, err))
		return -1;
	confinement_apply(&c, &report, NULL);
	return 0;
}

static int handle(struct server *s, const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);

	switch (m->type) {
	case HISTORY_CONFINE:
		return confine(&r, err);
	case HISTORY_OPEN:
		return open_file(s, &r, err);
	case HISTORY_ADD:
		return add(s, &r, err);
	case HISTORY_ASK:
		return ask(s, &r, err);
	}
	return error_set(err, ERROR_PROTOCOL, "message %u from the kernel process", m->type);
}

static int serve(struct server *s, struct error *err)
{
	for (;;) {
		struct ipc_message m = { 0 };
		int rc = ipc_receive(HISTORY_SOCKET_FD, s->rows.len ? AGAIN_MS : -1, &m, err);

		if (rc < 0)
			return -1;
		if (!rc) {
			write_rows(s);
			continue;
		}
		rc = handle(s, &m, err);
		ipc_message_release(&m);
		if (rc)
			return -1;
	}
}

int main(void)
{
	struct server s = { 0 };
	struct error err = ERROR_INIT;

	log_init("cgpu-history");
	serve(&s, &err);
	if (err.code != ERROR_PEER_GONE) {
		log_error("%s", err.text);
		return EXIT_FAILURE;
	}
	write_rows(&s);
	if (s.rows.len)
		log_warning("another process holds the file; the last cells are not in it");
	history_file_close(&s.file);
	return 0;
}
