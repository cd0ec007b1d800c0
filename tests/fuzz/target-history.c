/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-history: the kernel process's messages, whose texts are those of cells, and a file that
 * cells can write. Input: [u32 length, rows], [u32 length, query], the file.
 */
#include "kernel/history/history-file.h"

#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/protocol/history-protocol.h"
#include "common/protocol/history-query.h"
#include "tests/fuzz/fuzz.h"

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer answer = BUFFER_INIT;
	struct record r = record_open(data, size);
	size_t n_rows, n_query;
	const char *rows = record_bytes(&r, &n_rows), *query = record_bytes(&r, &n_query);
	struct record rest;
	struct history_query q;
	struct history_file h;
	char path[128];

	if (r.failed)
		return false;
	rest = record_open(query, n_query);
	q = history_query_take(&rest);
	if (rest.failed)
		return false;
	fuzz_file("history.sqlite", r.at, (size_t)(r.end - r.at));
	snprintf(path, sizeof(path), "%s/history.sqlite", fuzz_path());
	/* Without a file, what is tried is the messages. */
	history_file_open(&h, r.at < r.end ? path : HISTORY_IN_MEMORY, 0);
	history_file_write(&h, record_open(rows, n_rows));
	history_file_ask(&h, &q, &answer);
	history_file_close(&h);
	return answer.len > 0;
}

static void put_rows(struct buffer *to)
{
	cleanup_buffer struct buffer rows = BUFFER_INIT;

	for (uint64_t line = 1; line < 4; line++) {
		record_put_u8(&rows, HISTORY_INPUT);
		record_put_u64(&rows, line);
		record_put_str(&rows, "int x = 1;");
		record_put_u8(&rows, HISTORY_OUTPUT);
		record_put_u64(&rows, line);
		record_put_str(&rows, "1");
	}
	record_put_bytes(to, rows.data, rows.len);
}

static void put_database(struct buffer *to)
{
	struct history_file h;
	char path[128];

	snprintf(path, sizeof(path), "%s/made.sqlite", fuzz_path());
	remove(path);
	history_file_open(&h, path, 0);
	history_file_close(&h);
	fuzz_read(path, to);
}

static bool seed(unsigned i, struct buffer *to)
{
	static const struct history_query queries[] = {
		{ .kind = HISTORY_TAIL, .n = 10, .output = true },
		{ .kind = HISTORY_RANGE, .session = 0, .start = 1, .stop = -1 },
		{ .kind = HISTORY_SEARCH, .n = -1, .pattern = "int*", .unique = true },
	};
	cleanup_buffer struct buffer query = BUFFER_INIT;

	if (i > 3)
		return false;
	put_rows(to);
	history_query_put(&queries[i % 3], &query);
	record_put_bytes(to, query.data, query.len);
	if (i == 3)
		put_database(to);
	return true;
}

const struct fuzz_target fuzz_history = { one, seed, 1000 };
