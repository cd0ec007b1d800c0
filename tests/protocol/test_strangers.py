# SPDX-License-Identifier: Apache-2.0
"""Whoever reaches the ports of a kernel, and has not the key: what it sends costs neither memory nor the clients."""
import psutil
import pytest
import zmq

from session import DEADLINE, wait_until


@pytest.fixture
def stranger(kernel):
    """stranger(kind, channel) -> a socket that is connected, and the events of its connection."""
    info = kernel.manager.get_connection_info()
    context = zmq.Context()

    def make(kind, channel):
        socket = context.socket(kind)
        socket.linger = 0
        socket.reconnect_ivl = -1  # once is enough
        socket.sndhwm = 0
        events = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        socket.connect(f"tcp://{info['ip']}:{info[channel + '_port']}")
        return socket, events

    yield make
    context.destroy(linger=0)


def memory(kernel):
    return psutil.Process(kernel.pid).memory_info().rss


def listens(kernel):
    """The client of the session still has all of a cell."""
    assert kernel.run('printf("heard\\n");\n6 * 7').ok().text == "42"
    assert kernel.client.is_alive()


@pytest.mark.parametrize("length", [6, 200, 900])
def test_many_subscriptions_of_one_connection(kernel, stranger, length):
    """libzmq would keep all of them, a node for each byte."""
    kernel.run("#include <stdio.h>").ok()
    before = memory(kernel)
    socket, events = stranger(zmq.SUB, "iopub")
    for i in range(300_000 if length < 900 else 50_000):
        socket.subscribe(f"{i:06}".encode() * (length // 6))
    assert events.poll(DEADLINE * 1000), "the connection stays"
    listens(kernel)
    assert memory(kernel) - before < 32 << 20
    socket.disable_monitor()


def test_subscriptions_that_come_and_go(kernel, stranger):
    """Counted are all that a connection has asked for: what it gives back may be what it never had."""
    socket, events = stranger(zmq.XSUB, "iopub")
    for i in range(20_000):
        socket.send(b"\1" + f"{i:06}".encode())
        socket.send(b"\0" + f"{i:06}x".encode())
    assert events.poll(DEADLINE * 1000), "the connection stays"
    listens(kernel)
    socket.disable_monitor()


def test_some_topics_are_nothing_unusual(kernel, stranger):
    socket, events = stranger(zmq.SUB, "iopub")
    for i in range(20):
        socket.subscribe(f"kernel.{i}")
    socket.subscribe("")
    seen = set()

    def heard():
        while socket.poll(0):
            seen.add(socket.recv_multipart()[0])
        return b"" in seen and len(seen) >= 21

    assert wait_until(heard), seen
    assert not events.poll(0)
    listens(kernel)
    socket.disable_monitor()


def test_a_client_that_reconnects(kernel):
    """With the same identity, at once, again and again: the connection before may not have ended yet."""
    for _ in range(20):
        other = kernel.manager.blocking_client()
        other.session.session = "the same each time"
        other.start_channels()
        try:
            other.wait_for_ready(timeout=DEADLINE)
        finally:
            other.stop_channels()
    listens(kernel)
