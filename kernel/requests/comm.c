/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses all comms. */
#include "kernel/requests/comm.h"

#include "kernel/protocol/publish.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

void comm_open(struct request *r)
{
	publish(&r->session->publisher, &r->message, "comm_close",
		json_pack("{ss s{}}", "comm_id", request_text(r, "comm_id"), "data"));
}

void comm_info(struct request *r)
{
	request_reply(r, json_pack("{ss s{}}", "status", "ok", "comms"));
}

void comm_ignore(struct request *r)
{
	(void)r;
}
