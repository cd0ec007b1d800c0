/* SPDX-License-Identifier: Apache-2.0 */
/* Input of a cell that reads stdin: the front end is asked for a line, if it allows that, and its
 * answer goes to the cell. */
#ifndef CGPU_KERNEL_SESSION_INPUT_H
#define CGPU_KERNEL_SESSION_INPUT_H

#include <stdbool.h>

struct message;
struct request;
struct session;

struct input {
	char asked[64]; /* msg_id of the input_request that waits; "" for none */
};

/* Asks for a line. `request` is that of the cell; with allow false the cell reads end of file. */
void input_ask(struct session *s, const struct request *request, bool allow, const char *prompt,
	       bool password);
/* Handles a message on the stdin channel and takes it over. Late answers are dropped. */
void input_reply(struct session *s, struct message *m);
/* Drops the request: the cell waits no more. */
void input_cancel(struct session *s);

#endif
