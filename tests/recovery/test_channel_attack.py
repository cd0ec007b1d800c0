# SPDX-License-Identifier: Apache-2.0
"""Processes that a cell has started send without end to the kernel process: on the worker's channel, which a bare fork()
leaves them. The kernel answers, and the session goes on."""
import re

import pytest

from session import alive, wait_until

ATTACK = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
enum { CHANNEL = 3, SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL };
struct { uint32_t type, len; } head;
int payload = -1;
/* A message whose payload is in a sealed file, as large messages are sent. */
void send_large(void)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { &head, sizeof(head) };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &payload, sizeof(int));
	sendmsg(CHANNEL, &m, MSG_NOSIGNAL);
}
void send_small(void)
{
	send(CHANNEL, &head, sizeof(head), MSG_NOSIGNAL);
}
/* In a session of its own, with the channel: fork() of a cell would close it. */
void flood(void (*one)(void), uint32_t type, uint32_t len)
{
	_Atomic long *sent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int pid;
	head.type = type;
	head.len = len;
	if (len) {
		payload = memfd_create("flood", MFD_ALLOW_SEALING);
		ftruncate(payload, len);
		fcntl(payload, F_ADD_SEALS, SEALS);
	}
	for (int i = 0; i < 6; i++) {
		pid = syscall(SYS_fork);
		if (pid == 0) {
			setsid();
			for (;;) {
				one();
				++*sent;
			}
		}
		printf("flood %d\n", pid);
	}
	while (*sent < 1000)
		;
	printf("all\n");
	fflush(stdout);
}
"""

# WORKER_DESCRIBED, which is no error when nobody has asked.
FLOODS = ["send_small, 27, 0", "send_large, 27, 32 << 20", "send_large, 27, 1 << 30"]


@pytest.fixture
def attacked(start_kernel):
    session = start_kernel()
    session.run(ATTACK + "int kept = 7;").ok()
    yield session
    session.close()


def flooders(pending):
    """Some of them are at it already."""
    return list(map(int, re.findall(r"flood (\d+)", pending.wait_output("all", 60).result.stdout)))


def answers(session):
    """A kernel process that is held by the messages does not get to it."""
    for _ in range(5):
        assert session.ask("kernel_info", deadline=60)["status"] == "ok"


@pytest.mark.parametrize("what", FLOODS)
def test_while_the_cell_runs(attacked, what):
    cell = attacked.start(f"flood({what});\nfor (;;) pause();")
    pids = flooders(cell)
    answers(attacked)
    attacked.interrupt()
    cell.wait(60)
    assert wait_until(lambda: not any(map(alive, pids)), 60)
    assert attacked.run("kept", 60).ok().text == "7"


@pytest.mark.parametrize("what", FLOODS)
def test_when_the_worker_dies(attacked, what):
    """What a dead worker has sent counts, and the sender that it has left behind goes on."""
    cell = attacked.start(f"kept = 0;\nflood({what});\n*(volatile int *)0 = 1;")
    pids = flooders(cell)
    assert cell.wait(60).ename == "SegmentationFault"
    assert wait_until(lambda: not any(map(alive, pids)), 60)
    assert attacked.run("kept", 60).ok().text == "7"


def test_ends_that_are_sent_ahead_end_no_cell(attacked):
    """A thread says all the time that a cell has ended well: the next one does not run with that."""
    attacked.run(r"""#include <pthread.h>
/* Well formed, if for its number: nothing is said in it. */
struct __attribute__((packed)) { uint32_t type, len; char rest[66]; } ahead = { 26, 66 };
void *send_ahead(void *unused)
{
	for (;;)
		send(CHANNEL, &ahead, sizeof(ahead), MSG_NOSIGNAL | MSG_DONTWAIT);
	return unused;
}
pthread_t sender;
pthread_create(&sender, NULL, send_ahead, NULL);""").ok()
    for n in range(20):
        result = attacked.run(f"kept = {n};\nusleep(2000);\nkept * 2 + 1", 60).ok()
        assert result.text == str(2 * n + 1), result.shown


def test_a_child_cannot_speak_for_the_worker(attacked):
    """What ends a worker that says it."""
    cell = attacked.start("int lasting = 0;\nflood(send_small, 9999, 0);\nlasting = 5;\n")
    flooders(cell)
    cell.wait(60).ok()
    assert attacked.run("lasting", 60).ok().text == "5"
