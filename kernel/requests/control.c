/* SPDX-License-Identifier: Apache-2.0 */
/* No handler waits for a cell: what ends one replies before it acts. */
#include "kernel/requests/control.h"

#include "common/base/error.h"
#include "kernel/base/loop.h"
#include "kernel/protocol/publish.h"
#include "kernel/requests/execute.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/session/subshells.h"

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

void control_create_subshell(struct request *r)
{
	struct error err = ERROR_INIT;
	struct subshell *made = subshells_create(&r->session->executor.subshells, &err);

	if (made)
		request_reply(r, json_pack("{ss}", "subshell_id", made->id));
	else
		request_fail(r, "TooManySubshells", err.text);
}

void control_delete_subshell(struct request *r)
{
	struct subshells *all = &r->session->executor.subshells;
	struct error err = ERROR_INIT;
	struct subshell *s =
		subshells_find(all, json_object_get(r->message.content, "subshell_id"), &err);

	if (!s) {
		request_fail(r, "UnknownSubshell", err.text);
		return;
	}
	execute_abort(s);
	subshells_delete(all, s);
	request_reply(r, json_object());
}

void control_list_subshells(struct request *r)
{
	const struct subshells *all = &r->session->executor.subshells;

	request_reply(r, json_pack("{so}", "subshell_id", subshells_ids(all)));
}
