/* SPDX-License-Identifier: Apache-2.0 */
/* Both handlers reply before they act, so that a front end never waits for a cell. */
#include "kernel/requests/control.h"

#include "kernel/base/loop.h"
#include "kernel/protocol/publish.h"
#include "kernel/requests/execute.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

void control_interrupt(struct request *r)
{
	request_reply(r, json_object());
	execute_interrupt(r->session);
}

void control_shutdown(struct request *r)
{
	int restart = request_flag(r, "restart", false);

	request_reply(r, json_pack("{ss sb}", "status", "ok", "restart", restart));
	publish(&r->session->publisher, &r->message, "shutdown_reply",
		json_pack("{ss sb}", "status", "ok", "restart", restart));
	loop_stop(r->session->loop);
}
