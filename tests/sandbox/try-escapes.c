/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cell may not do to the session that carries it, one row an attempt: a C expression in a
 * cell, run by the real zygote and worker. The whole table runs with all of the containment, and
 * again with each step taken away that some Linux lacks.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/supervisor/supervisor.h"
#include "tests/unit/kernel/supervisor-harness.h"

static const char headers[] =
	"#define _GNU_SOURCE\n#include <errno.h>\n#include <fcntl.h>\n#include <sched.h>\n#include "
	"<signal.h>\n"
	"#include <stdio.h>\n#include <string.h>\n#include <sys/ioctl.h>\n#include <sys/mount.h>\n"
	"#include <sys/ptrace.h>\n#include <sys/resource.h>\n#include <sys/socket.h>\n#include "
	"<sys/syscall.h>\n"
	"#include <sys/uio.h>\n#include <sys/un.h>\n#include <unistd.h>\n"
	"char page[4096]; struct iovec mine = { page, 16 }, theirs = { (void *)0x400000, 16 };\n"
	"struct rlimit small = { 3, 3 }; struct sched_param none; cpu_set_t one = { { 1 } };\n"
	"int slurp(const char *path) { int fd = open(path, O_RDONLY); memset(page, 0, "
	"sizeof(page));\n"
	"  return fd < 0 ? -1 : (int)read(fd, page, sizeof(page)) > 0 ? 1 : -1; }\n";

/* %d is the kernel's pid, %s the connection file. The value must be negative. */
static const struct {
	const char *name, *expression;
} attempts[] = {
	{ "read the connection file", "slurp(\"%2$s\")" },
	{ "signal the kernel", "kill(%1$d, SIGUSR1)" },
	{ "probe the kernel", "kill(%1$d, 0)" },
	{ "signal a thread of the kernel", "syscall(SYS_tgkill, %1$d, %1$d, SIGUSR1)" },
	{ "signal by tkill", "syscall(SYS_tkill, %1$d, SIGUSR1)" },
	{ "queue a signal", "sigqueue(%1$d, SIGUSR1, (union sigval){ 0 })" },
	{ "signal by pidfd",
	  "syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, %1$d, 0), SIGUSR1, NULL, 0)" },
	{ "trace the kernel", "ptrace(PTRACE_ATTACH, %1$d, NULL, NULL)" },
	{ "seize the kernel", "ptrace(PTRACE_SEIZE, %1$d, NULL, NULL)" },
	{ "open the kernel's memory", "open(\"/proc/%1$d/mem\", O_RDONLY)" },
	{ "open the kernel's memory for writing", "open(\"/proc/%1$d/mem\", O_RDWR)" },
	{ "read the kernel's memory map", "slurp(\"/proc/%1$d/maps\")" },
	{ "read the kernel's environment", "slurp(\"/proc/%1$d/environ\")" },
	{ "list the kernel's descriptors", "open(\"/proc/%1$d/fd/3\", O_RDONLY)" },
	{ "read from the kernel", "syscall(SYS_process_vm_readv, %1$d, &mine, 1, &theirs, 1, 0)" },
	{ "write into the kernel",
	  "syscall(SYS_process_vm_writev, %1$d, &mine, 1, &theirs, 1, 0)" },
	{ "take a descriptor", "syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, %1$d, 0), 3, 0)" },
	{ "take the kernel's limits away",
	  "syscall(SYS_prlimit64, %1$d, RLIMIT_NOFILE, &small, NULL)" },
	{ "uncover the connection file", "umount2(\"%2$s\", 2)" },
	{ "mount", "mount(\"none\", \"/mnt\", \"tmpfs\", 0, NULL)" },
	{ "enter the kernel's mounts",
	  "syscall(SYS_setns, open(\"/proc/%1$d/ns/mnt\", O_RDONLY), 0x20000)" },
	{ "make a user namespace", "syscall(SYS_unshare, 0x10000000)" },
	{ "load BPF", "syscall(SYS_bpf, 0, NULL, 0)" },
	{ "use a keyring", "syscall(SYS_keyctl, 0, -3, 0)" },
	{ "userfaultfd", "syscall(SYS_userfaultfd, 0)" },
	{ "join the kernel's group", "setpgid(0, getpgid(%1$d))" },
	{ "slow the kernel down", "setpriority(PRIO_PROCESS, %1$d, 19)" },
	{ "slow all of the user down", "setpriority(PRIO_USER, 0, 19)" },
	{ "schedule the kernel last", "sched_setscheduler(%1$d, SCHED_BATCH, &none)" },
	{ "put the kernel on one processor", "sched_setaffinity(%1$d, sizeof(one), &one)" },
	{ "perf events", "syscall(SYS_perf_event_open, page, %1$d, -1, -1, 0)" },
};

static int cell_value(struct harness *h, const char *name, const char *expression, const char *path)
{
	char text[1024], filled[512];
	int value;

	snprintf(filled, sizeof(filled), expression, (int)getpid(), path);
	snprintf(text, sizeof(text), "printf(\"%%d\\n\", (int)(%s));", filled);
	if (sscanf(harness_ok(h, text), "%d", &value) != 1)
		fail_msg("%s printed %s", name, buffer_text(&h->last.output));
	return value;
}

static void write_connection_file(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "{\"key\": \"secret\"}", 17), 17);
	close(fd);
}

static bool says(const struct harness *h, const char *step)
{
	const struct doctor_row *rows;

	for (size_t n = supervisor_doctor(h->supervisor, &rows); n; n--, rows++)
		if (!strcmp(rows->what, step))
			return !rows->ok && *rows->detail && *rows->mend;
	return false;
}

static void attempt_all(unsigned disabled)
{
	char path[] = "/tmp/cgpu-connection-XXXXXX";
	struct harness h;

	write_connection_file(path);
	harness_start(&h, path, disabled);
	harness_ok(&h, headers);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		if (cell_value(&h, attempts[i].name, attempts[i].expression, path) >= 0)
			fail_msg("a cell could: %s", attempts[i].name);
	if (disabled & SANDBOX_LANDLOCK)
		assert_true(says(&h, "landlock"));
	if (disabled & SANDBOX_HIDE_FILE)
		assert_true(says(&h, "namespace"));
	harness_stop(&h);
	unlink(path);
}

static void test_all(void **state)
{
	(void)state;
	attempt_all(0);
}

static void test_without_landlock(void **state)
{
	(void)state;
	attempt_all(SANDBOX_LANDLOCK);
}

static void test_without_namespace(void **state)
{
	(void)state;
	attempt_all(SANDBOX_HIDE_FILE);
}

/* Bound after the worker was started, as the kernel's are; also after the zygote has been replaced.
 */
static void test_sockets(void **state)
{
	static const char dial[] =
		"#include <sys/socket.h>\n#include <sys/un.h>\n"
		"int dial(const char *path) { struct sockaddr_un to = { AF_UNIX };\n"
		"  strncpy(to.sun_path, path, sizeof(to.sun_path) - 1);\n"
		"  return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, "
		"sizeof(to)); }\n";
	char path[] = "/tmp/cgpu-connection-XXXXXX", expression[128];
	struct sockaddr_un at = { AF_UNIX };
	struct harness h;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	write_connection_file(path);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s-ipc-1", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	harness_start(&h, path, 0);
	harness_ok(&h, headers);
	harness_ok(&h, dial);
	snprintf(expression, sizeof(expression), "dial(\"%s\")", at.sun_path);
	assert_int_equal(cell_value(&h, "connect", expression, path), 0);
	supervisor_hide(h.supervisor, at.sun_path);
	harness_kill(&h, harness_spare(&h));
	harness_spare(&h); /* forked by the zygote after it has hidden the file */
	assert_true(cell_value(&h, "connect", expression, path) < 0);
	harness_kill(&h, harness_zygote(&h));
	harness_kill(&h, harness_worker(&h));
	harness_kill(&h, harness_worker(&h));
	assert_true(cell_value(&h, "connect", expression, path) < 0);
	harness_stop(&h);
	close(fd);
	unlink(at.sun_path);
	unlink(path);
}

/* The worker's own work must not be hindered: signals to itself, children, threads, files. */
static void test_ordinary_work(void **state)
{
	static const char *const expressions[] = {
		"(signal(SIGUSR2, SIG_IGN), raise(SIGUSR2))",
		"kill(getpid(), 0)",
		"system(\"true\")",
		"open(\"/tmp/cgpu-try\", O_CREAT | O_RDWR, 0600) | unlink(\"/tmp/cgpu-try\")",
		"getrlimit(RLIMIT_NOFILE, &small)",
		"socket(AF_UNIX, SOCK_STREAM, 0)",
		"slurp(\"/etc/passwd\")",
	};

	(void)state;
	for (int without = 0; without < 2; without++) {
		struct harness h;

		harness_start(&h, NULL, without ? SANDBOX_LANDLOCK : 0);
		harness_ok(&h, headers);
		harness_ok(&h, "#include <stdlib.h>\n");
		for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
			if (cell_value(&h, expressions[i], expressions[i], "") < 0)
				fail_msg("a cell could not: %s", expressions[i]);
		harness_stop(&h);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_without_landlock),
		cmocka_unit_test(test_without_namespace),
		cmocka_unit_test(test_sockets),
		cmocka_unit_test(test_ordinary_work),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
