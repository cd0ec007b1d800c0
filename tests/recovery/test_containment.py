# SPDX-License-Identifier: Apache-2.0
"""What a cell may not do to the session that carries it. Each attempt is made by a cell in C."""
import os
import re

import machine
import pytest
from file_attacks import READS
from machine import stopped_by
from session import alive

HEADERS = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
struct sched_param idle_priority = { 0 };
cpu_set_t first_processor = { { 1 } };
struct { unsigned size, policy; unsigned long long flags, rest[5]; } idle_class = { 48, SCHED_IDLE };
struct f_owner_ex owner = { F_OWNER_PID };
int ends[2] = { -1, -1 }, number;
/* A socket whose owner gets SIGKILL as soon as it is written to. */
int armed(void)
{
	close(ends[0]);
	close(ends[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	fcntl(ends[0], F_SETSIG, SIGKILL);
	fcntl(ends[0], F_SETFL, O_ASYNC);
	return ends[0];
}
int fire(void)
{
	return (int)write(ends[1], "x", 1);
}
"""


@pytest.fixture(scope="module", params=["", "landlock", "hide-file"],
                ids=["all", "no-landlock", "no-hide-file"])
def contained(request, start_kernel, tmp_path_factory):
    """A session with all of the containment, or with steps taken away as on a Linux that lacks them. Its notebook is not in a
    folder above the connection file."""
    session = start_kernel(CGPU_WITHOUT=request.param, runtime=tmp_path_factory.mktemp("runtime"))
    session.run(HEADERS).ok()
    return session


def attempt(session, expression):
    """Value of an int expression in a cell: >= 0 means that it worked."""
    result = session.run(f'printf("<%d %d>\\n", (int)({expression}), errno);')
    found = re.search(r"<(-?\d+) (\d+)>", result.stdout)
    assert found, result.shown
    return int(found.group(1))


def test_the_key_cannot_be_read(contained):
    stopped_by(contained, "hide-file", "landlock")
    path = contained.manager.connection_file
    key = contained.manager.session.key.decode()
    result = contained.run(f"""char key_text[4096] = "";
int key_fd = open("{path}", O_RDONLY);
if (key_fd >= 0) read(key_fd, key_text, sizeof(key_text) - 1);
if (key_fd >= 0) close(key_fd);
printf("%s\\n", key_text);""")
    assert key not in result.shown


@pytest.mark.parametrize("without", ["", "landlock", "hide-file"])
def test_other_notebooks_and_the_server_are_out_of_reach(start_kernel, tmp_path, without):
    """Their keys and tokens lie where Jupyter has its connection files."""
    runtime = tmp_path / "jupyter" / "runtime"
    runtime.mkdir(parents=True)
    (runtime / "jpserver-1.json").write_text('{"token": "the-server-token"}')
    one, other = [start_kernel(runtime=runtime, JUPYTER_DATA_DIR=str(tmp_path / "jupyter"), CGPU_WITHOUT=without)
                  for _ in range(2)]
    stopped_by(one, "hide-file", "landlock")
    one.run("#include <stdio.h>").ok()
    secrets = [other.manager.session.key.decode(), "the-server-token", one.manager.session.key.decode()]
    files = (other.manager.connection_file, runtime / "jpserver-1.json", one.manager.connection_file)
    for n, path in enumerate(files):
        for read in READS.values():
            shown = one.run(read.format(path=path, name=f"stolen_{n}")).shown
            assert not any(secret in shown for secret in secrets), shown
    # What a command starts may have its own files there.
    if without == "hide-file" or not machine.allows_mounts():
        return
    assert one.run(f"!echo mine > {runtime}/new; cat {runtime}/new").ok().stdout == "mine\n"
    assert not (runtime / "new").exists()


@pytest.mark.parametrize("folder", ["", "made/"])
def test_a_file_that_a_cell_makes_can_be_read(start_kernel, folder):
    """Also where the connection file cannot be hidden, as in most containers, and is in a folder below the notebook's."""
    session = start_kernel(CGPU_WITHOUT="hide-file")
    session.run(HEADERS + "#include <sys/stat.h>").ok()
    session.run(f'mkdir("made", 0777); FILE *f = fopen("{folder}new.h", "w"); fputs("int included = 7;\\n", f); fclose(f);').ok()
    assert attempt(session, f'open("{folder}new.h", O_RDONLY)') >= 0
    assert session.run(f'#include "{folder}new.h"\nincluded').ok().text == "7"
    assert session.run(f"!cat {folder}new.h").ok().stdout == "int included = 7;\n"
    row = next(line for line in session.run("%doctor").ok().stdout.splitlines() if "namespace" in line)
    assert row.startswith("--") and "only if the notebook is not in a folder above it" in session.run("%doctor").stdout


def test_the_kernel_cannot_be_signalled(contained):
    assert attempt(contained, f"kill({contained.pid}, 0)") < 0
    assert attempt(contained, f"kill({contained.pid}, SIGUSR1)") < 0
    assert attempt(contained, f"syscall(SYS_tgkill, {contained.pid}, {contained.pid}, SIGUSR1)") < 0
    pidfd = f"syscall(SYS_pidfd_open, {contained.pid}, 0)"
    assert attempt(contained, f"syscall(SYS_pidfd_send_signal, {pidfd}, SIGUSR1, NULL, 0)") < 0


# Each ends the kernel process where the system call or the containment lets it; {pid} is that process.
ENDS = {
    "its process group": "setpgid(0, getpgid({pid})) || kill(0, SIGKILL)",
    "its session": "setpgid(0, getsid({pid})) || kill(0, SIGKILL)",
    "as the owner of a socket": "fcntl(armed(), F_SETOWN, {pid}) || fire()",
    "its group as the owner": "fcntl(armed(), F_SETOWN, -getpgid({pid})) || fire()",
    "as the owner in memory": "owner.pid = {pid}, fcntl(armed(), F_SETOWN_EX, &owner) || fire()",
    "by FIOSETOWN": "number = {pid}, ioctl(armed(), FIOSETOWN, &number) || fire()",
    "by SIOCSPGRP": "number = {pid}, ioctl(armed(), SIOCSPGRP, &number) || fire()",
    "a thread of it": "owner.type = F_OWNER_TID, owner.pid = {pid}, fcntl(armed(), F_SETOWN_EX, &owner) || fire()",
    "the signal of a child's end": "syscall(SYS_clone, CLONE_PARENT | SIGKILL, 0, 0, 0, 0) == 0 && (_exit(0), 1)",
}


@pytest.mark.parametrize("what", ENDS)
@pytest.mark.parametrize("whom", ["pid", "guard_pid", "front_pid"])
def test_the_kernel_cannot_be_ended(contained, whom, what):
    """Also not the two processes above it. The cell may end itself."""
    worker = contained.worker_pid()
    contained.run(ENDS[what].format(pid=getattr(contained, whom)))
    if not alive(worker):
        contained.run(HEADERS).ok()
    assert contained.ask("kernel_info")["status"] == "ok"
    assert all(map(alive, (contained.pid, contained.guard_pid, contained.front_pid)))
    assert contained.run("close(ends[0]);\nclose(ends[1]);\nends[0] = ends[1] = -1;\n6 * 7").ok().text == "42"


SLOWED = ["setpriority(PRIO_PROCESS, {pid}, 19)", "setpriority(PRIO_PGRP, {pid}, 19)", "setpriority(PRIO_USER, 0, 19)",
          "sched_setscheduler({pid}, SCHED_IDLE, &idle_priority)", "sched_setparam({pid}, &idle_priority)",
          "syscall(SYS_sched_setattr, {pid}, &idle_class, 0)",
          "sched_setaffinity({pid}, sizeof(first_processor), &first_processor)",
          "syscall(SYS_ioprio_set, 1, {pid}, 3 << 13)", "syscall(SYS_ioprio_set, 2, {pid}, 3 << 13)",
          "syscall(SYS_ioprio_set, 3, 0, 3 << 13)", "prlimit({pid}, RLIMIT_NOFILE, NULL, &(struct rlimit){{ 0 }})",
          "syscall(SYS_migrate_pages, {pid}, 0, NULL, NULL)", "syscall(SYS_move_pages, {pid}, 0, NULL, NULL, NULL, 0)",
          "syscall(SYS_kcmp, getpid(), {pid}, 0, 0, 0)"]


@pytest.mark.parametrize("call", SLOWED)
def test_the_kernel_cannot_be_slowed_or_bounded(contained, call):
    assert attempt(contained, call.format(pid=contained.pid)) < 0


OWN_WORK = r"""
int ended_well(int (*work)(void))
{
	int status, pid = fork();
	if (pid == 0)
		_exit(work());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
int own_session(void) { return setsid() != getpid(); }
int own_group(void) { return setpgid(0, 0) || getpgrp() != getpid(); }
int own_priority(void) { return setpriority(PRIO_PROCESS, 0, 5) || setpriority(PRIO_PGRP, 0, 6); }
int own_processor(void) { return sched_setaffinity(0, sizeof(first_processor), &first_processor); }
char line[100];
FILE *jobs = popen("bash -c 'set -m; sleep 0.01 & fg > /dev/null; echo job $?'", "r");
fgets(line, sizeof(line), jobs);
printf("%s%d%d%d%d %d %d", line, ended_well(own_session), ended_well(own_group), ended_well(own_priority),
	ended_well(own_processor), pclose(jobs), system("setsid true"));
"""


def test_own_processes_are_free(contained):
    """Sessions, groups, priorities, processors, the jobs of a shell."""
    assert contained.run(OWN_WORK).ok().stdout == "job 0\n1111 0 0"
    assert attempt(contained, "fcntl(armed(), F_SETOWN, getpid())") == 0
    contained.run("close(ends[0]);\nclose(ends[1]);").ok()


def test_the_kernel_cannot_be_traced_or_written(contained):
    pid = contained.pid
    assert attempt(contained, f"ptrace(PTRACE_ATTACH, {pid}, NULL, NULL)") < 0
    assert attempt(contained, f'open("/proc/{pid}/mem", O_RDWR)') < 0
    assert attempt(contained, f'open("/proc/{pid}/mem", O_RDONLY)') < 0
    contained.run("char here[16]; struct iovec mine = { here, 16 }, theirs = { (void *)0x400000, 16 };").ok()
    assert attempt(contained, f"syscall(SYS_process_vm_readv, {pid}, &mine, 1, &theirs, 1, 0)") < 0
    assert attempt(contained, f"syscall(SYS_process_vm_writev, {pid}, &mine, 1, &theirs, 1, 0)") < 0
    assert attempt(contained, f"syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, {pid}, 0), 5, 0)") < 0


def test_the_worker_has_no_descriptor_of_the_kernel(contained):
    """NVIDIA's driver has its device files, and a socket that listens."""
    result = contained.run(r"""char target[256], name[64];
for (int fd = 0; fd < 1024; fd++) {
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(name, target, sizeof(target) - 1);
    int listens = 0;
    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &(socklen_t){ sizeof(listens) });
    if (n > 0)
        printf("%d %s%.*s\n", fd, listens ? "listening " : "", (int)n, target);
}""").ok()
    rows = [line.split(" ", 1) for line in result.stdout.splitlines()]
    assert rows
    kinds = [re.sub(r":\[\d+\]$", "", target.split(" ")[0]) for _, target in rows]
    assert kinds.count("socket") == 1, rows  # its channel
    drivers = os.environ.get("CGPU_DEVICE") == "native"
    kinds = [k for k in kinds if not drivers or not re.match("listening|/dev/nvidia|/memfd:", k)]
    strange = [k for k in kinds if not re.fullmatch(r"socket|pipe|/dev/null|(/memfd:)?/?cgpu-.*|/proc/\d+/(fd|pagemap)|"
                                                    r"anon_inode:\[(eventfd|pidfd)\]", k)]
    assert not strange, rows


def test_the_worker_is_bound_by_limits(contained):
    result = contained.run(r"""char line[256];
FILE *status = fopen("/proc/self/status", "r");
while (status && fgets(line, sizeof(line), status))
    fputs(line, stdout);
FILE *score = fopen("/proc/self/oom_score_adj", "r");
if (score && fgets(line, sizeof(line), score))
    printf("Score: %s", line);""").ok()
    value = dict(re.findall(r"^(\w+):\s+(-?\w+)", result.stdout, re.M))
    assert value["NoNewPrivs"] == "1"
    assert value["Seccomp"] == "2"
    assert int(value["Score"]) > 0


def test_doctor_says_what_could_not_be_applied(contained, request):
    shown = contained.run("%doctor").ok().shown.lower()
    taken = request.node.callspec.params["contained"]
    for step in filter(None, taken.split(",")):
        row = next(line for line in shown.splitlines() if {"hide-file": "namespace"}.get(step, step) in line)
        assert row.startswith("--"), shown


def test_the_sockets_files_cannot_be_connected(start_kernel):
    session = start_kernel(transport="ipc")
    stopped_by(session, "hide-file")
    session.run(HEADERS).ok()
    paths = [f"{session.manager.ip}-{port}" for port in session.manager.ports]
    assert all(map(os.path.exists, paths))
    for path in paths:
        session.run(f'struct sockaddr_un to = {{ AF_UNIX, "{path}" }}; int s = socket(AF_UNIX, SOCK_STREAM, 0);').ok()
        assert attempt(session, "connect(s, (struct sockaddr *)&to, sizeof(to))") < 0
