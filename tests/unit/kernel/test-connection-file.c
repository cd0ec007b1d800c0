/* SPDX-License-Identifier: Apache-2.0 */
/* struct connection_file: both transports, both kinds of ports, and what each refusal says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/protocol/connection-file.h"

#define PORTS                                                                                      \
	"\"shell_port\": 1, \"iopub_port\": \"2\", \"stdin_port\": 3, \"control_port\": 4, "       \
	"\"hb_port\": 5"

static int read_text(const char *text, struct connection_file *ret, struct error *err)
{
	char path[] = "/tmp/cgpu-connection-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rc = connection_file_read(ret, path, err);
	unlink(path);
	return rc;
}

static void reads_tcp(void **state)
{
	struct connection_file cf;
	struct error err = ERROR_INIT;
	char endpoint[CONNECTION_TEXT_MAX];

	(void)state;
	assert_int_equal(
		read_text("{" PORTS ", \"ip\": \"10.0.0.1\", \"key\": \"secret\"}", &cf, &err), 0);
	connection_file_endpoint(&cf, CHANNEL_IOPUB, endpoint, sizeof(endpoint));
	assert_string_equal(endpoint, "tcp://10.0.0.1:2");
	assert_string_equal(cf.key, "secret");
	assert_string_equal(cf.scheme, "hmac-sha256");
	connection_file_release(&cf);
	assert_string_equal(cf.key, "");
	assert_int_equal(cf.ports[CHANNEL_HEARTBEAT], 5);
}

static void reads_ipc(void **state)
{
	struct connection_file cf;
	char endpoint[CONNECTION_TEXT_MAX];

	(void)state;
	assert_int_equal(
		read_text("{" PORTS ", \"transport\": \"ipc\", \"ip\": \"/run/k\"}", &cf, NULL), 0);
	connection_file_endpoint(&cf, CHANNEL_SHELL, endpoint, sizeof(endpoint));
	assert_string_equal(endpoint, "ipc:///run/k-1");
}

static void reads_a_registration_file(void **state)
{
	struct connection_file cf;

	(void)state;
	assert_int_equal(
		read_text("{\"registration_port\": \"7\", \"kernel_id\": \"k\"}", &cf, NULL), 0);
	assert_int_equal(cf.registration_port, 7);
	assert_string_equal(cf.registration_ip, "127.0.0.1");
	assert_string_equal(cf.kernel_id, "k");
	for (int i = 0; i < CHANNELS; i++)
		assert_int_equal(cf.ports[i], 0);
}

static void refusals_name_the_key(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "line" },
		{ "[]", "object" },
		{ "{\"shell_port\": 1}", "iopub_port" },
		{ "{\"registration_port\": 0}", "1 to 65535" },
		{ "{\"registration_port\": 1, \"transport\": \"ipc\"}", "\"tcp\" only" },
		{ "{" PORTS ", \"transport\": \"pigeon\"}", "pigeon" },
		{ "{" PORTS ", \"transport\": \"carrier pigeons\"}", "transport" },
		{ "{" PORTS ", \"key\": 7}", "\"key\" must be a string" },
		{ "{" PORTS ", \"curve_publickey\": \"short\"}", "40 characters" },
		{ "{\"shell_port\": 0}", "1 to 65535" },
		{ "{\"shell_port\": \"12x\"}", "1 to 65535" },
		{ "{\"shell_port\": 70000}", "1 to 65535" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct connection_file cf;
		struct error err = ERROR_INIT;

		assert_int_equal(read_text(cases[i].text, &cf, &err), -1);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_non_null(strstr(err.text, "/tmp/cgpu-connection-"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_tcp),
		cmocka_unit_test(reads_ipc),
		cmocka_unit_test(reads_a_registration_file),
		cmocka_unit_test(refusals_name_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
