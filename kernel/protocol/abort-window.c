/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two dates of one client. */
#include "kernel/protocol/abort-window.h"

#include <stdio.h>
#include <string.h>

#include "kernel/protocol/wire.h"

static const char *session_of(const struct message *m)
{
	const char *session = json_string_value(json_object_get(m->header, "session"));

	return session ? session : "";
}

static int date_of(const struct message *m, int64_t *ret_us)
{
	const char *date = json_string_value(json_object_get(m->header, "date"));

	return date ? wire_parse_date(date, ret_us) : -1;
}

void abort_window_open(struct abort_window *w, const struct message *failed, int64_t arrived_us,
		       int64_t now_us)
{
	int64_t sent_us;

	w->session[0] = '\0';
	if (date_of(failed, &sent_us))
		return;
	snprintf(w->session, sizeof(w->session), "%s", session_of(failed));
	w->until_us = sent_us + now_us - arrived_us;
}

bool abort_window_covers(const struct abort_window *w, const struct message *m)
{
	int64_t sent_us;

	return *w->session && !strncmp(session_of(m), w->session, sizeof(w->session) - 1) &&
	       !date_of(m, &sent_us) && sent_us < w->until_us;
}
