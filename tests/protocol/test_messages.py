# SPDX-License-Identifier: Apache-2.0
"""Order, parents, headers; malformed and forged messages; unknown requests; two clients."""
import json
import re
import time
from datetime import datetime

import psutil
import pytest
import zmq
from session import DEADLINE, wait_until


def states(result):
    return [m["content"]["execution_state"] for m in result.messages if m["msg_type"] == "status"]


def kinds(result):
    return [m["msg_type"] for m in result.messages]


def test_order_of_a_cell(kernel):
    r = kernel.run('#include <stdio.h>\nprintf("out\\n");\nfprintf(stderr, "err\\n");\nprintf("more\\n");\n6 * 7').ok()
    assert kinds(r) == ["status", "execute_input", "stream", "stream", "stream", "execute_result", "status"]
    assert states(r) == ["busy", "idle"]
    assert [m["content"]["text"] for m in r.messages if m["msg_type"] == "stream"] == ["out\n", "err\n", "more\n"]
    assert r.text == "42"


def test_an_error_is_one_message_and_the_same_in_the_reply(kernel):
    r = kernel.run("int x = no_such_name;")
    assert r.status == "error" and r.ename == "CompileError"
    assert kinds(r) == ["status", "execute_input", "error", "status"]
    error = next(m["content"] for m in r.messages if m["msg_type"] == "error")
    assert error == {k: r.reply[k] for k in ("ename", "evalue", "traceback")}
    assert "no_such_name" in r.traceback and "^" in r.traceback


def test_warnings_go_to_stderr_when_the_cell_succeeds(kernel):
    r = kernel.run("int warned = 1;\nif (warned = 2) warned = 3;").ok()
    assert "parentheses" in r.stderr or "assignment" in r.stderr


def test_headers(kernel):
    r = kernel.run("1").ok()
    sessions = {m["header"]["session"] for m in r.messages}
    assert len(sessions) == 1
    assert len({m["header"]["msg_id"] for m in r.messages}) == len(r.messages)
    for m in r.messages:
        assert all(isinstance(m["header"][k], str) for k in ("msg_id", "session", "username", "msg_type", "version"))
        assert m["header"]["date"].tzinfo is not None


def test_parent_header_is_an_exact_copy(kernel, raw_client):
    client = raw_client(kernel)
    frames = client.frames("kernel_info_request", {}, extra={"deep": [1, 2.50, "\u20ac"]})
    client.send(b"<IDS|MSG>", *frames)
    assert client.socket.poll(DEADLINE * 1000)
    reply = client.socket.recv_multipart()
    assert reply[reply.index(b"<IDS|MSG>") + 3] == frames[1]


def test_reply_says_when_the_cell_started(kernel):
    msg_id = kernel.client.execute("1")
    reply = kernel.reply(msg_id, time.monotonic() + DEADLINE)
    started = datetime.fromisoformat(reply["metadata"]["started"].replace("Z", "+00:00"))
    assert started.tzinfo is not None


def test_bad_messages_are_dropped_and_the_kernel_goes_on(kernel, raw_client):
    for channel in ("shell", "control", "stdin"):
        client = raw_client(kernel, channel)
        good = client.frames("kernel_info_request", {})
        forged = [good[0][:-1] + (b"0" if good[0][-1:] != b"0" else b"1"), *good[1:]]
        for frames in ([b""], [b"x"] * 3, [b"<IDS|MSG>"], [b"<IDS|MSG>", *good[:3]], [b"<IDS|MSG>", *forged],
                       [b"<IDS|MSG>", b"", *good[1:]], [b"<IDS|MSG>", good[0], b"\xff", *good[2:]],
                       [b"x"] * 3000):
            client.send(*frames)
        for parts in ([b"[]", b"{}", b"{}", b"{}"], [b"{}", b"{}", b"{}", b"{}"], [b"{", b"{}", b"{}", b"{}"],
                      [good[1], b"{}", b"{}", b"NaN"], [good[1], b"7", b"{}", b"{}"]):
            client.send(b"<IDS|MSG>", client.wire.sign(parts), *parts)
        if channel != "stdin":
            header, content = client.request("kernel_info_request", {})
            assert header["msg_type"] == "kernel_info_reply" and content["status"] == "ok"
    assert kernel.run("1").ok().text == "1"


def test_wrong_fields_are_answered(kernel, raw_client):
    client = raw_client(kernel)
    for content in ({}, {"code": 7}, {"code": None}, {"code": "a\0b"}):
        header, reply = client.request("execute_request", content)
        assert header["msg_type"] == "execute_reply" and reply["status"] == "error", content
    for kind in ("complete", "inspect", "is_complete", "history", "comm_info", "connect"):
        for content in ({}, {"code": 7, "cursor_pos": "x", "n": [], "hist_access_type": 5},
                        {"code": "x", "cursor_pos": -5}, {"code": "x", "cursor_pos": 10**12}):
            header, reply = client.request(kind + "_request", content)
            assert header["msg_type"] == kind + "_reply", (kind, content)
            assert reply["status"] in ("ok", "complete", "incomplete"), (kind, content)


@pytest.mark.parametrize("content, says", [
    (rb'{"code": "1 + \ud800 1"}', "Unicode"), (b'{"code": "1 + \xff 1"}', "0xff"), (rb'{"co\u0000de": "1"}', "NUL"),
    (b'{"code": "1', "not JSON"), (b"[]", "not an object"), (rb'{"code": "1 + \u0000 1"}', "the cell holds a NUL character"),
    (b"{}", 'no text in its field "code"'), (b'{"code": 7}', 'no text in its field "code"')])
def test_a_cell_that_cannot_be_read_ends_with_an_error(kernel, raw_client, content, says):
    client = raw_client(kernel)
    head, parent, metadata = client.frames("execute_request", {})[1:4]
    parts = [head, parent, metadata, content]
    client.send(b"<IDS|MSG>", client.wire.sign(parts), *parts)
    header, reply = client.receive()
    assert header["msg_type"] == "execute_reply" and reply["status"] == "error", reply
    assert reply["ename"] == "CompileError" and says in reply["evalue"], reply
    seen = []
    while "idle" not in seen:
        m = kernel.client.get_iopub_msg(timeout=DEADLINE)
        if m["parent_header"].get("msg_id") == json.loads(head)["msg_id"]:
            seen.append(m["content"].get("execution_state", m["msg_type"]))
            assert m["msg_type"] != "execute_input" or isinstance(m["content"]["code"], str)
    assert seen == ["busy", "execute_input", "error", "idle"]
    assert kernel.run("1").ok().text == "1"


def test_no_part_of_a_user_expression_is_lost(kernel):
    r = kernel.run("1", user_expressions={"cut": "1\0 + 1", "whole": "1 + 1"}).ok()
    assert r.reply["user_expressions"]["cut"]["evalue"] == "the user_expression holds a NUL character"
    assert r.reply["user_expressions"]["whole"]["data"]["text/plain"] == "2"


def test_unknown_requests_get_busy_and_idle_only(kernel):
    message = kernel.client.session.msg("frobnicate_request", {})
    kernel.client.shell_channel.send(message)
    seen = []
    while "idle" not in seen:
        m = kernel.client.get_iopub_msg(timeout=DEADLINE)
        if m["parent_header"].get("msg_id") == message["header"]["msg_id"]:
            seen.append(m["content"]["execution_state"])
    assert seen == ["busy", "idle"]


def test_unknown_comm_target_is_closed_at_once(kernel):
    message = kernel.client.session.msg("comm_open", {"comm_id": "c1", "target_name": "nobody", "data": {}})
    kernel.client.shell_channel.send(message)
    seen = []
    while not seen or seen[-1] != ("status", "idle"):
        m = kernel.client.get_iopub_msg(timeout=DEADLINE)
        if m["parent_header"].get("msg_id") == message["header"]["msg_id"]:
            seen.append((m["msg_type"], m["content"].get("execution_state") or m["content"].get("comm_id")))
    assert seen == [("status", "busy"), ("comm_close", "c1"), ("status", "idle")]
    assert kernel.ask("comm_info")["comms"] == {}


def test_two_clients_see_the_same_and_each_gets_its_own_replies(kernel):
    other = kernel.manager.blocking_client()
    other.session.session = "another-session"
    other.start_channels()
    try:
        other.wait_for_ready(timeout=DEADLINE)
        mine = kernel.start("int from_first = 1;\nfrom_first + 1")
        theirs = other.execute("40 + 2")
        assert mine.wait().ok().text == "2"
        while True:
            reply = other.get_shell_msg(timeout=DEADLINE)
            if reply["parent_header"]["msg_id"] == theirs:
                break
        assert reply["content"]["status"] == "ok"
        seen = {}
        while len(seen) < 2:
            m = other.get_iopub_msg(timeout=DEADLINE)
            if m["msg_type"] == "execute_result":
                seen[m["parent_header"]["msg_id"]] = m["content"]["data"]["text/plain"]
        assert seen == {mine.msg_id: "2", theirs: "42"}
    finally:
        other.stop_channels()


@pytest.mark.parametrize("channel, kind, size", [("shell", zmq.DEALER, 257 << 20), ("control", zmq.DEALER, 257 << 20),
                                                 ("stdin", zmq.DEALER, 257 << 20), ("iopub", zmq.SUB, 5000),
                                                 ("hb", zmq.DEALER, 5000)])
def test_a_message_that_is_too_large_ends_its_connection(kernel, channel, kind, size):
    """From somebody without the key: it is not even read."""
    info, resident = kernel.manager.get_connection_info(), psutil.Process(kernel.pid).memory_info().rss
    with zmq.Context() as context, context.socket(kind) as socket:
        socket.linger = 0
        events = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        socket.connect(f"tcp://{info['ip']}:{info[channel + '_port']}")
        if kind == zmq.SUB:
            socket.subscribe(bytes(size))
        else:
            socket.send(bytes(size), copy=False)
        assert events.poll(DEADLINE * 1000), "the connection stays"
        socket.disable_monitor()
    assert psutil.Process(kernel.pid).memory_info().rss - resident < 64 << 20
    assert kernel.run("1").ok() and kernel.client.is_alive()


def test_every_subscriber_is_welcomed(kernel, raw_client):
    info = kernel.manager.get_connection_info()
    client = raw_client(kernel)
    for topic in (b"", b"kernel."):
        socket = client.context.socket(zmq.SUB)
        socket.linger = 0
        socket.connect(f"tcp://{info['ip']}:{info['iopub_port']}")
        socket.subscribe(topic)
        assert socket.poll(DEADLINE * 1000)
        frames = socket.recv_multipart()
        at = frames.index(b"<IDS|MSG>")
        assert frames[0] == topic
        assert json.loads(frames[at + 2])["msg_type"] == "iopub_welcome"
        assert json.loads(frames[at + 2])["session"]
        assert json.loads(frames[at + 3]) == {}
        assert json.loads(frames[at + 5]) == {"subscription": topic.decode()}
        socket.close()


def test_nothing_comes_before_the_welcome(kernel, raw_client):
    """A client subscribes while the kernel says busy and idle for the requests of another."""
    import zmq
    info = kernel.manager.get_connection_info()
    client = raw_client(kernel)
    requests = 50
    for _ in range(60):
        for _ in range(requests):
            client.send(b"<IDS|MSG>", *client.frames("comm_info_request", {}))
        socket = client.context.socket(zmq.SUB)
        socket.linger = 0
        socket.subscribe(b"")
        socket.connect(f"tcp://{info['ip']}:{info['iopub_port']}")
        assert socket.poll(DEADLINE * 1000)
        frames = socket.recv_multipart()
        assert json.loads(frames[frames.index(b"<IDS|MSG>") + 2])["msg_type"] == "iopub_welcome"
        socket.close()
        for _ in range(requests):
            client.receive()


def test_heartbeat_echoes_anything_also_while_a_cell_runs(kernel, raw_client):
    import zmq
    info = kernel.manager.get_connection_info()
    client = raw_client(kernel)
    socket = client.context.socket(zmq.REQ)
    socket.linger = 0
    socket.connect(f"tcp://{info['ip']}:{info['hb_port']}")
    cell = kernel.start('printf("on\\n"); for (;;) ;').wait_output("on")
    for beat in (b"ping", b"", b"\x00\xff" * 1000):
        socket.send(beat)
        assert socket.poll(DEADLINE * 1000)
        assert socket.recv() == beat
    socket.close()
    kernel.interrupt()
    assert cell.wait().status == "error"


@pytest.mark.cuda
def test_a24_usage_is_told_on_control(kernel, raw_client):
    """A24: the figures that jupyter-resource-usage shows of a notebook; the device's are in tests/cuda/test_gpu_card.py."""
    client = raw_client(kernel, "control")

    def usage_at_rest():
        """The spare worker is there, and has what it takes: on a busy machine it starts long after the cell."""
        answers = []

        def is_steady():
            answers.append(client.request("usage_request", {}))
            last = [usage["kernel_memory"] for _, usage in answers[-30:]]
            return len(last) == 30 and max(last) - min(last) < 1 << 20

        kernel.spare_pid()
        kernel.wait_for_headers()
        assert wait_until(is_steady)
        return answers[-1]

    take = ("char *{0}used = malloc({1} << 20); memset({0}used, 1, {1} << 20);\n"
            "char *{0}device; cudaMalloc(&{0}device, {2} << 20); cudaMemset({0}device, 1, {2} << 20);")
    # The process that makes headers ahead counts, too, as long as it lives; the first cell waits for its last header.
    # What the compiler takes for such a cell is taken before.
    kernel.run("__global__ void no_work() { }").ok()
    kernel.run(take.format("first_", 1, 1)).ok()
    header, usage = usage_at_rest()
    assert header["msg_type"] == "usage_reply"
    assert usage["pid"] == kernel.pid and usage["kernel_memory"] > 1 << 20 and usage["cpu_count"] >= 1
    assert usage["host_virtual_memory"]["total"] > usage["host_virtual_memory"]["available"] > 0
    kernel.run(take.format("", 64, 32)).ok()
    grown = usage_at_rest()[1]["kernel_memory"] - usage["kernel_memory"]
    assert 90 << 20 < grown < 130 << 20
    kernel.run("free(used); cudaFree(device); free(first_used); cudaFree(first_device);").ok()


def test_no_message_without_a_request(fresh_kernel):
    """Clients take 0.2 s of silence for a ready kernel."""
    from queue import Empty
    fresh_kernel.run("1").ok()
    fresh_kernel.client.kernel_info()
    with pytest.raises(Empty):
        while True:
            m = fresh_kernel.client.get_iopub_msg(timeout=1)
            assert m["parent_header"], m["msg_type"]


def test_bad_messages_are_counted_in_the_log(start_kernel, raw_client, capfd):
    session = start_kernel()
    client = raw_client(session)
    client.send(b"<IDS|MSG>", b"forged", b"{}", b"{}", b"{}", b"{}")
    client.request("kernel_info_request", {})
    log = ""

    def logged():
        nonlocal log
        log += capfd.readouterr().err
        return re.search(r"message refused: its signature is wrong \(1 so far\)", log)

    assert wait_until(logged), log
