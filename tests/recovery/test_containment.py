# SPDX-License-Identifier: Apache-2.0
"""What a cell may not do to the session that carries it. Each attempt is made by a cell in C."""
import os
import re

import pytest

HEADERS = """
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
"""


@pytest.fixture(scope="module", params=["", "landlock", "hide-file"],
                ids=["all", "no-landlock", "no-hide-file"])
def contained(request, start_kernel):
    """A session with all of the containment, or with steps taken away as on a Linux that lacks them."""
    session = start_kernel(CGPU_WITHOUT=request.param)
    session.run(HEADERS).ok()
    return session


def attempt(session, expression):
    """Value of an int expression in a cell: >= 0 means that it worked."""
    result = session.run(f'printf("<%d %d>\\n", (int)({expression}), errno);')
    found = re.search(r"<(-?\d+) (\d+)>", result.stdout)
    assert found, result.shown
    return int(found.group(1))


def test_the_key_cannot_be_read(contained):
    path = contained.manager.connection_file
    key = contained.manager.session.key.decode()
    result = contained.run(f"""char key_text[4096] = "";
int key_fd = open("{path}", O_RDONLY);
if (key_fd >= 0) read(key_fd, key_text, sizeof(key_text) - 1);
if (key_fd >= 0) close(key_fd);
printf("%s\\n", key_text);""")
    assert key not in result.shown


def test_the_kernel_cannot_be_signalled(contained):
    assert attempt(contained, f"kill({contained.pid}, 0)") < 0
    assert attempt(contained, f"kill({contained.pid}, SIGUSR1)") < 0
    assert attempt(contained, f"syscall(SYS_tgkill, {contained.pid}, {contained.pid}, SIGUSR1)") < 0
    pidfd = f"syscall(SYS_pidfd_open, {contained.pid}, 0)"
    assert attempt(contained, f"syscall(SYS_pidfd_send_signal, {pidfd}, SIGUSR1, NULL, 0)") < 0


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
    result = contained.run(r"""char target[256], name[64];
for (int fd = 0; fd < 1024; fd++) {
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(name, target, sizeof(target) - 1);
    if (n > 0)
        printf("%d %.*s\n", fd, (int)n, target);
}""").ok()
    rows = [line.split(" ", 1) for line in result.stdout.splitlines()]
    assert rows
    kinds = [re.sub(r":\[\d+\]$", "", target.split(" ")[0]) for _, target in rows]
    assert kinds.count("socket") == 1, rows  # its channel
    strange = [k for k in kinds if not re.fullmatch(r"socket|pipe|/dev/null|/memfd:cgpu-.*|/proc/\d+/(fd|pagemap)|"
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
    session.run(HEADERS).ok()
    paths = [f"{session.manager.ip}-{port}" for port in session.manager.ports]
    assert all(map(os.path.exists, paths))
    for path in paths:
        session.run(f'struct sockaddr_un to = {{ AF_UNIX, "{path}" }}; int s = socket(AF_UNIX, SOCK_STREAM, 0);').ok()
        assert attempt(session, "connect(s, (struct sockaddr *)&to, sizeof(to))") < 0
