/* SPDX-License-Identifier: Apache-2.0 */
/* Containment step by step, and that nothing of a session outlives it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "tests/unit/runtime/arena-files.h"
#include "tests/unit/runtime/worker-harness.h"

static struct session_process s;

static void start(const char *hidden, uint32_t flags)
{
	memset(&s, 0, sizeof(s));
	harness_zygote_start(&s.zygote, hidden, flags);
	s.arena = arena_files_new();
	harness_fork(&s);
	harness_attach(&s, 0);
}

static void ok(const char *text)
{
	int r = harness_cell(&s, 1, text, NULL);

	if (r != OUTCOME_OK)
		fail_msg("outcome %d, fault %u: %s", r, atomic_load(&s.control->fault.kind),
			 s.control->fault.text);
}

static void hides(uint32_t flags)
{
	char path[] = "/tmp/cgpu-secret-XXXXXX", cell[512];
	int fd = mkstemp(path);

	assert_int_equal(write(fd, "secret", 6), 6);
	close(fd);
	start(path, flags);
	assert_string_equal(s.zygote.missing, "");
	assert_string_equal(s.steps, "");
	snprintf(cell, sizeof(cell),
		 "#include <stdio.h>\nvoid run(void) { char b[16] = \"\"; FILE *f = fopen(\"%s\", "
		 "\"r\");\n"
		 "if (f && fread(b, 1, 16, f)) printf(\"%%s\", b); else printf(\"nothing\");\n"
		 "f = fopen(\"/etc/passwd\", \"r\"); printf(f ? \" open\" : \" closed\"); }",
		 path);
	ok(cell);
	assert_string_equal(buffer_text(&s.text), flags ? "nothing open" : "secret open");
	harness_stop(&s);
	unlink(path);
}

static void test_hidden_file(void **state)
{
	(void)state;
	hides(0);
	hides(SANDBOX_HIDE_FILE);
	hides(SANDBOX_HIDE_FILE | SANDBOX_LANDLOCK | SANDBOX_LIMITS | SANDBOX_CAPABILITIES);
}

static void test_cannot_signal_the_kernel(void **state)
{
	static const char cell[] = "#include <stdio.h>\n#include <signal.h>\n#include <unistd.h>\n"
				   "void run(void) { printf(\"%d\", kill(getppid(), 0)); }";

	(void)state;
	start("", SANDBOX_LANDLOCK);
	ok(cell);
	/* Where this Linux has no scopes, HELLO must have said so. */
	assert_string_equal(buffer_text(&s.text), s.steps[0] ? "0" : "-1");
	harness_stop(&s);
	start("", 0);
	ok(cell);
	assert_string_equal(buffer_text(&s.text), "0");
	harness_stop(&s);
}

static void test_own_group_and_descriptors(void **state)
{
	(void)state;
	start("", 0);
	ok("#include <stdio.h>\n#include <unistd.h>\n#include <fcntl.h>\nvoid run(void) { int n = "
	   "0;\n"
	   "for (int i = 0; i < 1000; i++) n += fcntl(i, F_GETFD) >= 0; printf(\"%d %d\", "
	   "getpgrp() == getpid(), n); }");
	assert_string_equal(buffer_text(&s.text), "1 8"); /* 0 to 6 and the pagemap */
	harness_stop(&s);
}

static const char leave_child[] = "#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
				  "void run(void) { pid_t p = fork(); if (!p) { setsid(); if "
				  "(fork()) _exit(0); for (;;) pause(); }\n"
				  "int st; waitpid(p, &st, 0); puts(\"left\"); }";

static void test_kernel_gone(void **state)
{
	pid_t group;

	(void)state;
	start("", 0);
	ok(leave_child);
	group = s.pid;
	harness_zygote_stop(&s.zygote);
	/* The zygote has killed the worker and what it had left behind. */
	assert_int_equal(waitpid(group, NULL, 0), group);
	while (waitpid(-1, NULL, 0) > 0)
		;
	close(s.arena);
	close(s.channel);
	buffer_release(&s.text);
	buffer_release(&s.results);
}

static void test_addresses_do_not_change(void **state)
{
	static const char cell[] = "#include <stdio.h>\nvoid run(void) { printf(\"%p %p\", (void "
				   "*)puts, (void *)stdout); }";
	char first[64];

	(void)state;
	start("", 0);
	ok(cell);
	snprintf(first, sizeof(first), "%s", buffer_text(&s.text));
	harness_stop(&s);
	start("", 0);
	ok(cell);
	assert_memory_equal(buffer_text(&s.text), first, strcspn(first, " "));
	harness_stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden_file),
		cmocka_unit_test(test_cannot_signal_the_kernel),
		cmocka_unit_test(test_own_group_and_descriptors),
		cmocka_unit_test(test_kernel_gone),
		cmocka_unit_test(test_addresses_do_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
