/* SPDX-License-Identifier: Apache-2.0 */
/* connection_file_read(): the file that a front end names on the command line. */
#include "kernel/protocol/connection-file.h"

#include <stdio.h>

#include "common/base/buffer.h"
#include "tests/fuzz/fuzz.h"

static bool one(const uint8_t *data, size_t size)
{
	struct connection_file f;
	char path[128], endpoint[CONNECTION_TEXT_MAX + 64];

	fuzz_file("connection.json", data, size);
	snprintf(path, sizeof(path), "%s/connection.json", fuzz_path());
	if (connection_file_read(&f, path, NULL))
		return false;
	for (int c = 0; c < CHANNELS; c++)
		connection_file_endpoint(&f, (enum channel)c, endpoint, sizeof(endpoint));
	connection_file_release(&f);
	return true;
}

static bool seed(unsigned i, struct buffer *to)
{
	if (i > 1)
		return false;
	buffer_puts(to, "{\"shell_port\": 50001, \"iopub_port\": 50002, \"stdin_port\": 50003, "
			"\"control_port\": 50004, \"hb_port\": 50005, ");
	buffer_puts(to,
		    i ? "\"transport\": \"ipc\", \"ip\": \"/tmp/kernel-7-ipc\", \"key\": \"\", "
		      : "\"transport\": \"tcp\", \"ip\": \"127.0.0.1\", \"key\": \"a0436f6c\", ");
	buffer_puts(to, "\"signature_scheme\": \"hmac-sha256\", \"kernel_name\": \"cgpu\"}");
	return true;
}

const struct fuzz_target fuzz_connection = { one, seed, 5000 };
