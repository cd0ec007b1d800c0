/* SPDX-License-Identifier: Apache-2.0 */
/* %doctor: features in force, and how to fix the others. */
#include "common/base/buffer.h"
#include "kernel/session/history.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/show/doctor.h"

static int run_doctor(struct session *s, struct cell *c, const struct magic_call *call,
		      struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	(void)c;
	(void)call;
	(void)err;
	doctor_report(s->supervisor, history_doctor(s->history), &text);
	output_text(&s->output, STREAM_STDOUT, text.data, text.len);
	return 0;
}

const struct magic magic_doctor = {
	.name = "doctor",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%doctor",
	.help = "Shows versions, the device, what protects the session, and how to mend "
		"each problem.",
	.run = run_doctor,
};
