/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between cgpu-kernel and cgpu-history over common/protocol/ipc.h. The kernel opens one
 * file, adds rows and asks; it waits for no answer. When its end of the channel closes, the history
 * process writes what it has, closes the file and ends.
 *
 * After a restart the kernel opens the file again, adds the rows again that were not said to be
 * kept, and asks again: a row replaces the one with the same number.
 *
 * All payloads are records (common/base/record.h); "str" is a string, "[x]" x up to the end of the
 * message.
 */
#ifndef CGPU_COMMON_PROTOCOL_HISTORY_PROTOCOL_H
#define CGPU_COMMON_PROTOCOL_HISTORY_PROTOCOL_H

#define HISTORY_PROTOCOL_VERSION 2

/* The descriptor of cgpu-history's socket; 0 to 2 are inherited from the kernel. */
#define HISTORY_SOCKET_FD 3

/* The path that stands for a history in the memory of the process, and its place then. */
#define HISTORY_IN_MEMORY "memory"

/* The longest answer in bytes: rows beyond it are left out. */
#define HISTORY_ANSWER_MAX (64u << 20)

enum history_message {
	/* kernel -> history */
	/* Once, first, if the process is to contain itself: see common/sandbox/confinement.h. There
	 * is no answer, since the compiler says what this machine does not allow. */
	HISTORY_CONFINE = 4,
	/* u32 HISTORY_PROTOCOL_VERSION, str path, u64 session that goes on, 0: a new one. It is the
	 * first message behind that. */
	HISTORY_OPEN = 1,
	HISTORY_ADD = 2, /* u64 number of the last row, [u8 enum history_row, u64 line, str text] */
	HISTORY_ASK = 3, /* u32 id, a struct history_query */

	/* history -> kernel */
	/* str place: the path or HISTORY_IN_MEMORY, u64 number of the session in the file, 0 in
	 * memory, str version of SQLite. It is the answer to HISTORY_OPEN. */
	HISTORY_PLACE = 10,
	/* u64 number: the rows up to this one are in the file, or lost with a line in the log */
	HISTORY_KEPT = 11,
	/* u32 id, [u64 session, u64 line, str input, u8 has an output, str output]: the newest row
	 * first for HISTORY_TAIL and HISTORY_SEARCH, the oldest for HISTORY_RANGE */
	HISTORY_ANSWER = 12,
};

enum history_row { HISTORY_INPUT, HISTORY_OUTPUT };

#endif
