/* SPDX-License-Identifier: Apache-2.0 */
/* A question to the history, as HISTORY_ASK has it: which rows a history_request wants. */
#ifndef CGPU_COMMON_PROTOCOL_HISTORY_QUERY_H
#define CGPU_COMMON_PROTOCOL_HISTORY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct record;

enum history_kind {
	HISTORY_TAIL,   /* the last n rows of all sessions */
	HISTORY_RANGE,  /* lines start..stop-1 of a session, stop < 0: to its end */
	HISTORY_SEARCH, /* the last n rows, n < 0: all, that match the glob pattern */
};

struct history_query {
	enum history_kind kind;
	bool output; /* rows with their outputs */
	bool unique; /* of equal inputs the newest row only */
	int64_t n;
	int64_t session; /* 0: this one, -1: the one before it */
	int64_t start, stop;
	const char *pattern; /* borrowed; NULL: "" */
};

void history_query_put(const struct history_query *q, struct buffer *out);
/* Reads a query; its pattern points into the record. */
struct history_query history_query_take(struct record *r);

#endif
