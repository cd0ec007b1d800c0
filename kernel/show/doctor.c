/* SPDX-License-Identifier: Apache-2.0 */
/* The rows about the kernel process are made here, and followed by those of the supervisor. */
#include "kernel/show/doctor.h"

#include <stdio.h>

#include <jansson.h>
#include <openssl/crypto.h>
#include <zmq.h>

#include "common/base/buffer.h"
#include "config.h"
#include "kernel/supervisor/supervisor.h"

static unsigned put_row(const struct doctor_row *row, struct buffer *out)
{
	buffer_printf(out, "%s %-22s %s\n", row->ok ? "ok  " : "--  ", row->what, row->detail);
	if (!row->ok && *row->mend)
		buffer_printf(out, "     %-22s %s\n", "", row->mend);
	return !row->ok;
}

static unsigned put_own_rows(const struct doctor_row *history, struct buffer *out)
{
	char libraries[256];
	int major, minor, patch;
	const struct doctor_row rows[] = {
		{ "cgpu-kernel", true, PACKAGE_VERSION, "" },
		{ "libraries", true, libraries, "" },
		{ "encryption (CURVE)", zmq_has("curve"),
		  zmq_has("curve") ? "available" : "libzmq was built without it",
		  "Install a libzmq with libsodium (Debian's libzmq5 has it)." },
	};
	unsigned problems = 0;

	zmq_version(&major, &minor, &patch);
	snprintf(libraries, sizeof(libraries), "ZeroMQ %d.%d.%d, %s, Jansson %s", major, minor,
		 patch, OpenSSL_version(OPENSSL_VERSION), JANSSON_VERSION);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		problems += put_row(&rows[i], out);
	return problems + (history ? put_row(history, out) : 0);
}

unsigned doctor_report(const struct supervisor *s, const struct doctor_row *history,
		       struct buffer *out)
{
	const struct doctor_row *rows;
	size_t n = supervisor_doctor(s, &rows);
	unsigned problems = put_own_rows(history, out);

	for (size_t i = 0; i < n; i++)
		problems += put_row(&rows[i], out);
	if (problems)
		buffer_printf(out, "\n%u of these could be better; each has its remedy below it.\n",
			      problems);
	else
		buffer_puts(out, "\nAll is in order.\n");
	return problems;
}
