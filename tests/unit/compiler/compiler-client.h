/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's side of the compiler's socket, for tests: one real cgpu-compiler, its session and
 * what it answered. */
#ifndef CGPU_TESTS_COMPILER_CLIENT_H
#define CGPU_TESTS_COMPILER_CLIENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/buffer.h"
#include "common/code/unit.h"
#include "common/protocol/ipc.h"

struct compiler_client {
	int sock;
	pid_t pid;
	struct declaration *declarations; /* accepted ones; texts owned */
	unsigned n;
	unsigned cell; /* last execution count */
	/* the last answer to a cell */
	struct ipc_message answer;
	bool ok;
	struct unit unit;        /* when ok */
	const char *first, *all; /* when refused */
	unsigned line;
};

/* Starts the program with its caches below the folder; fails the test when that does not work. */
void compiler_client_start(struct compiler_client *c, const char *cache);
/* Close the socket and expect a clean end. */
void compiler_client_stop(struct compiler_client *c);
/* Kill it and start another one with the same session. */
void compiler_client_restart(struct compiler_client *c, const char *cache);
/* Compile; an accepted unit's declarations join the session. */
void compiler_client_run(struct compiler_client *c, const char *text, const char *cflags);
/* What the answer says, one fact a line, as tests/cells/README.md lists them. */
void compiler_client_facts(const struct compiler_client *c, struct buffer *out);
/* Send b and wait for an answer of this type; release it. */
struct ipc_message compiler_client_ask(struct compiler_client *c, unsigned type,
				       const struct buffer *b, unsigned answer);

#endif
