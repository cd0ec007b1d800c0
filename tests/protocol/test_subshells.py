# SPDX-License-Identifier: Apache-2.0
"""Subshells: they come and go by requests on control; each has a queue of cells and an abort of its own; cells take turns."""
import contextlib
import time

import pytest
from session import DEADLINE

HOLD = "{ char line[64]; fgets(line, sizeof line, stdin); }"  # until a line comes
CRASH = "*(volatile int *)0 = 1;"
LIMIT = 64


def ask_control(session, kind, **content):
    """The reply to create, list or delete, which has come between busy and idle."""
    message = session.client.session.msg(f"{kind}_subshell_request", content)
    session.client.control_channel.send(message)
    reply = session.client.get_control_msg(timeout=DEADLINE)
    assert reply["msg_type"] == f"{kind}_subshell_reply"
    assert reply["parent_header"]["msg_id"] == message["header"]["msg_id"]
    assert said(session, message["header"]["msg_id"]) == ["busy", "idle"]
    return reply["content"]


def create(session):
    reply = ask_control(session, "create")
    assert reply["status"] == "ok", reply
    return reply["subshell_id"]


def listed(session):
    reply = ask_control(session, "list")
    assert reply["status"] == "ok", reply
    return reply["subshell_id"]


def delete(session, subshell):
    return ask_control(session, "delete", subshell_id=subshell)


@pytest.fixture
def two(kernel):
    """Two subshells of the module's kernel."""
    made = [create(kernel), create(kernel)]
    yield made
    for subshell in made:
        delete(kernel, subshell)


def published(session, ids):
    """All that comes on iopub for these requests, until each is idle: [(place in ids, message)]."""
    left, seen = set(ids), []
    while left:
        m = session.client.get_iopub_msg(timeout=DEADLINE)
        parent = m["parent_header"].get("msg_id")
        if parent in ids:
            seen.append((ids.index(parent), m))
            if m["content"].get("execution_state") == "idle":
                left.discard(parent)
    return seen


def said(session, msg_id):
    """States and types of all messages on iopub for a request."""
    return [m["content"].get("execution_state", m["msg_type"]) for _, m in published(session, [msg_id])]


def outcome(session, cells):
    """What is published for cells, as `published` gives it, and their replies."""
    seen = published(session, [c.msg_id for c in cells])
    return seen, [session.reply(c.msg_id, time.monotonic() + DEADLINE)["content"] for c in cells]


def statuses(session, cells):
    return [reply["status"] for reply in outcome(session, cells)[1]]


def wait_question(session):
    m = session.client.get_stdin_msg(timeout=DEADLINE)
    assert m["msg_type"] == "input_request"
    return m


@contextlib.contextmanager
def held(session, subshell=None, then=""):
    """A cell that runs as long as the block, and until all that is sent in it has arrived."""
    cell = session.start(f"{HOLD} {then}", subshell=subshell, allow_stdin=True)
    wait_question(session)
    yield cell
    assert session.ask("kernel_info")["status"] == "ok"
    session.client.input("go on")


def test_they_come_and_go(fresh_kernel):
    assert fresh_kernel.ask("kernel_info")["supported_features"] == ["kernel subshells", "debugger"]
    assert listed(fresh_kernel) == []
    made = [create(fresh_kernel) for _ in range(3)]
    assert len(set(made)) == 3 and all(isinstance(m, str) and m for m in made)
    assert listed(fresh_kernel) == made
    assert delete(fresh_kernel, made[1]) == {"status": "ok"}
    assert listed(fresh_kernel) == [made[0], made[2]]
    later = create(fresh_kernel)
    assert later not in made and listed(fresh_kernel) == [made[0], made[2], later]


@pytest.mark.parametrize("content", [{}, *[{"subshell_id": wrong} for wrong in ("nobody", "", None, 1)]])
def test_nothing_else_can_be_deleted(kernel, two, content):
    reply = ask_control(kernel, "delete", **content)
    assert reply["status"] == "error" and reply["ename"] == "UnknownSubshell"
    assert "list_subshell_request says which there are" in reply["evalue"] and reply["evalue"] in reply["traceback"][0]
    assert listed(kernel) == two and kernel.run("1").ok().text == "1"


def test_a_subshell_is_deleted_once(kernel):
    subshell = create(kernel)
    assert delete(kernel, subshell)["status"] == "ok"
    assert delete(kernel, subshell)["ename"] == "UnknownSubshell"


def test_there_is_a_limit(fresh_kernel):
    made = [create(fresh_kernel) for _ in range(LIMIT)]
    reply = ask_control(fresh_kernel, "create")
    assert reply["status"] == "error" and reply["ename"] == "TooManySubshells"
    assert f"{LIMIT} subshells" in reply["evalue"] and "delete_subshell_request" in reply["evalue"]
    assert listed(fresh_kernel) == made
    assert fresh_kernel.run("1 + 1", subshell=made[-1]).ok().text == "2"
    assert delete(fresh_kernel, made[LIMIT // 2])["status"] == "ok"
    assert create(fresh_kernel) not in made


# ---- requests for a subshell that is not there ----

@pytest.mark.parametrize("subshell", ["nobody", "", 7, ["nobody"], "deleted"])
def test_requests_for_an_unknown_subshell_are_errors(kernel, subshell):
    if subshell == "deleted":
        subshell = create(kernel)
        delete(kernel, subshell)
    for kind, content in (("complete", {"code": "pri", "cursor_pos": 3}), ("inspect", {"code": "printf", "cursor_pos": 3}),
                          ("is_complete", {"code": "1"}), ("history", {"hist_access_type": "tail", "n": 1}),
                          ("comm_info", {}), ("kernel_info", {}), ("interrupt", {})):
        msg_id = kernel.send(kind + "_request", content, subshell)
        reply = kernel.reply(msg_id, time.monotonic() + DEADLINE)
        assert reply["msg_type"] == kind + "_reply" and reply["content"]["status"] == "error", reply
        assert reply["content"]["ename"] == "UnknownSubshell" and reply["content"]["traceback"]
        assert "create_subshell_request makes one" in reply["content"]["evalue"]
        assert said(kernel, msg_id) == ["busy", "idle"]
    # What has no reply gets none here, either.
    no_reply = [kernel.send("comm_open", {"comm_id": "c", "target_name": "t", "data": {}}, subshell),
                kernel.send("frobnicate_request", {}, subshell)]
    assert [said(kernel, msg_id) for msg_id in no_reply] == [["busy", "idle"]] * 2
    assert kernel.ask("kernel_info")["status"] == "ok" and not set(no_reply) & set(kernel.replies)


def test_a_cell_for_an_unknown_subshell_is_not_run(kernel):
    kernel.run("int untouched = 5;").ok()
    before = kernel.run("untouched").count
    r = kernel.run("untouched = 6;", subshell="nobody")
    assert r.status == "error" and r.ename == "UnknownSubshell" and "execution_count" not in r.reply
    assert [m["content"].get("execution_state", m["msg_type"]) for m in r.messages] == ["busy", "error", "idle"]
    assert {k: r.reply[k] for k in ("ename", "evalue", "traceback")} == r.messages[1]["content"]
    r = kernel.run("untouched").ok()
    assert r.text == "5" and r.count == before + 1


# ---- cells ----

def test_all_subshells_have_one_session_and_one_counter(kernel, two):
    a, b = two
    first = kernel.run("int shared = 40;").ok().count
    assert kernel.run("shared += 1;", subshell=a).ok().count == first + 1
    assert kernel.run("shared += 1;\nint from_b = shared;", subshell=b).ok().count == first + 2
    r = kernel.run("from_b").ok()
    assert r.text == "42" and r.count == first + 3
    lines = kernel.ask("history", hist_access_type="tail", n=3)["history"]
    assert [row[1:] for row in lines] == [[first + 1, "shared += 1;"], [first + 2, "shared += 1;\nint from_b = shared;"],
                                          [first + 3, "from_b"]]


def test_a_missing_id_and_null_are_the_parent(kernel, raw_client):
    client = raw_client(kernel)
    content = {"code": "6 * 7", "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    for header in ({}, {"subshell_id": None}):
        client.send(b"<IDS|MSG>", *client.frames("execute_request", content, **header))
        assert client.receive()[1]["status"] == "ok"


def test_subshells_take_turns(kernel, two):
    """A "Run all" of the parent does not keep the others waiting until its end, and the order within each is kept."""
    a, b = two
    with held(kernel) as first:
        cells = [first, *[kernel.start(f"100 + {i}") for i in range(4)], kernel.start("200", subshell=a),
                 kernel.start("201", subshell=a), kernel.start("300", subshell=b)]
    seen, replies = outcome(kernel, cells)
    inputs = [(i, m["content"]["execution_count"]) for i, m in seen if m["msg_type"] == "execute_input"]
    assert [i for i, _ in inputs] == [0, 5, 7, 1, 6, 2, 3, 4]
    assert [count for _, count in inputs] == list(range(inputs[0][1], inputs[0][1] + len(cells)))
    assert [r["status"] for r in replies] == ["ok"] * len(cells)
    # One at a time: a cell has ended when the next one begins.
    ends = [i for i, m in seen if m["msg_type"] == "execute_input" or m["content"].get("execution_state") == "idle"]
    assert ends[::2] == ends[1::2]


def test_a_cell_that_comes_meanwhile_is_next(kernel, two):
    """Also when its subshell was made while the cell ran that is waited for."""
    with held(kernel):
        late = create(kernel)
        cells = [kernel.start("1"), kernel.start("2"), kernel.start("3", subshell=late)]
    seen, _ = outcome(kernel, cells)
    assert [i for i, m in seen if m["msg_type"] == "execute_input"] == [2, 0, 1]
    delete(kernel, late)


@pytest.mark.parametrize("fails", [0, 1, 2])
@pytest.mark.parametrize("stop", [True, False])
def test_an_error_aborts_cells_of_its_own_subshell_only(kernel, two, fails, stop):
    shells = [None, *two]
    kernel.run("int done[3] = { 0 };").ok()
    cell = kernel.start(f"{HOLD} {CRASH}", subshell=shells[fails], allow_stdin=True, stop_on_error=stop)
    wait_question(kernel)
    cells = [kernel.start(f"done[{i}]++;", subshell=shell) for _ in range(2) for i, shell in enumerate(shells)]
    asked = kernel.client.kernel_info()
    kernel.reply(asked, time.monotonic() + DEADLINE)
    kernel.client.input("all are sent")
    seen, replies = outcome(kernel, [cell, *cells])
    aborted = [i for i in range(1, 7) if stop and (i - 1) % 3 == fails]
    assert [r["status"] for r in replies] == ["error"] + ["aborted" if i in aborted else "ok" for i in range(1, 7)]
    for i in aborted:
        assert replies[i] == {"status": "aborted"}
        assert [m["content"].get("execution_state") for at, m in seen if at == i] == ["busy", "idle"]
    counts = ["0" if stop and i == fails else "2" for i in range(3)]
    assert kernel.run("done").ok().text == "{" + ", ".join(counts) + "}"
    assert kernel.run("1", subshell=shells[fails]).ok().text == "1"


def test_a_cell_that_comes_late_is_aborted_in_its_own_subshell_only(kernel, two, raw_client):
    """It was sent before its client could know of the error, as its date tells."""
    client = raw_client(kernel)

    def execute(code, date, **header):
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {},
                   "allow_stdin": False, "stop_on_error": True}
        client.send(b"<IDS|MSG>", *client.frames("execute_request", content, date=date, **header))
        return client.receive()[1]["status"]

    for failing, other in (({"subshell_id": two[0]}, {}), ({}, {"subshell_id": two[1]})):
        assert execute("int x = };", "2001-01-01T10:00:00.000000Z", **failing) == "error"
        assert execute("1", "2001-01-01T10:00:00.000001Z", **other) == "ok"
        assert execute("1", "2001-01-01T10:00:00.000001Z", **failing) == "aborted"


# ---- deletion ----

@pytest.mark.parametrize("runs_in_it", [True, False])
def test_deletion_aborts_what_waits(kernel, two, runs_in_it):
    a, b = two
    gone = create(kernel)
    kernel.run("int reached = 0;").ok()
    with held(kernel, gone if runs_in_it else None, "reached++;") as running:
        waiting = [kernel.start("reached += 100;", subshell=gone) for _ in range(2)]
        others = [kernel.start("reached++;", subshell=shell) for shell in (None, a, b)]
        assert kernel.ask("kernel_info")["status"] == "ok"
        kernel.client.control_channel.send(kernel.client.session.msg("delete_subshell_request", {"subshell_id": gone}))
        assert kernel.client.get_control_msg(timeout=DEADLINE)["content"] == {"status": "ok"}
        # At once, while the cell runs.
        assert statuses(kernel, waiting) == ["aborted", "aborted"]
        late = kernel.start("reached += 100;", subshell=gone)
        assert statuses(kernel, [late]) == ["error"]
    _, replies = outcome(kernel, [running, *others])
    assert [r["status"] for r in replies] == ["ok"] * 4
    assert kernel.run("reached").ok().text == "4"
    assert listed(kernel) == two


def test_a_failing_cell_of_a_deleted_subshell_aborts_nothing(kernel, two):
    gone = create(kernel)
    with held(kernel, gone, CRASH) as running:
        assert delete(kernel, gone)["status"] == "ok"
        others = [kernel.start("1", subshell=shell) for shell in (None, *two)]
    assert statuses(kernel, [running, *others]) == ["error", "ok", "ok", "ok"]


# ---- input, interrupts, recovery ----

def test_input_is_asked_for_by_a_subshell(kernel, two):
    for subshell in (two[0], None):
        cell = kernel.start('char answer[32]; fgets(answer, 32, stdin);', subshell=subshell, allow_stdin=True)
        m = wait_question(kernel)
        assert m["header"].get("subshell_id") == subshell == m["parent_header"].get("subshell_id")
        assert m["parent_header"]["msg_id"] == cell.msg_id and m["content"]["prompt"] == ""
        kernel.client.input("from the client")
        cell.wait().ok()
        assert kernel.run("answer").text == '"from the client\\n"'
    r = kernel.run("int nothing = getchar();\nnothing", subshell=two[0], allow_stdin=False).ok()
    assert r.text == "-1" and "stdin" in r.stderr


def test_input_of_a_deleted_subshell_is_still_asked_for(kernel):
    gone = create(kernel)
    with held(kernel, gone, "char last[8]; fgets(last, 8, stdin);") as cell:
        assert delete(kernel, gone)["status"] == "ok"
    assert wait_question(kernel)["header"]["subshell_id"] == gone
    kernel.client.input("x")
    cell.wait().ok()
    assert kernel.run("last").ok().text == '"x\\n"'


def test_an_interrupt_ends_the_cell_at_work_of_any_subshell(kernel, two):
    """What waits in its own subshell is aborted, as behind any error; others go on."""
    a, b = two
    cell = kernel.start('printf("on\\n"); for (;;) ;', subshell=a).wait_output("on")
    cells = [cell, *[kernel.start("1", subshell=shell) for shell in (a, b, None)]]
    assert kernel.ask("kernel_info")["status"] == "ok"
    kernel.interrupt()
    _, replies = outcome(kernel, cells)
    assert [r["status"] for r in replies] == ["error", "aborted", "ok", "ok"]
    assert replies[0]["ename"] == "Interrupted"


def test_a_crash_and_a_reset_leave_subshells(fresh_kernel):
    subshell = create(fresh_kernel)
    fresh_kernel.run("int kept = 3;", subshell=subshell).ok()
    assert fresh_kernel.run(CRASH, subshell=subshell).status == "error"
    assert fresh_kernel.run("kept", subshell=subshell).ok().text == "3"
    fresh_kernel.run("%reset").ok()
    assert listed(fresh_kernel) == [subshell]
    assert fresh_kernel.run("kept", subshell=subshell).status == "error"
    assert fresh_kernel.run("4", subshell=subshell).ok().text == "4"


def test_a_restarted_kernel_has_none(fresh_kernel):
    subshell = create(fresh_kernel)
    fresh_kernel.manager.restart_kernel(now=True)
    fresh_kernel.client.wait_for_ready(timeout=DEADLINE)
    assert listed(fresh_kernel) == []
    assert fresh_kernel.run("1", subshell=subshell).ename == "UnknownSubshell"


def test_shutdown_while_cells_of_subshells_wait(start_kernel):
    session = start_kernel()
    subshell = create(session)
    session.start('printf("on\\n"); for (;;) ;', subshell=subshell).wait_output("on")
    for shell in (subshell, None):
        session.start("1", subshell=shell)
    assert session.ask("kernel_info")["status"] == "ok"
    session.client.shutdown()
    assert session.client.get_control_msg(timeout=DEADLINE)["content"] == {"status": "ok", "restart": False}
    assert session.manager.provisioner.process.wait(DEADLINE) == 0


# ---- what is no cell ----

def test_other_requests_of_a_subshell_wait_for_no_cell(kernel, two):
    kernel.run("int some_variable = 7;").ok()
    cell = kernel.start('printf("on\\n"); for (;;) ;').wait_output("on")
    waiting = kernel.start("1", subshell=two[0])

    def ask(kind, subshell, **content):
        return kernel.reply(kernel.send(kind + "_request", content, subshell), time.monotonic() + DEADLINE)["content"]

    for subshell in two:
        assert "some_variable" in ask("complete", subshell, code="some_var", cursor_pos=8)["matches"]
        assert ask("inspect", subshell, code="some_variable", cursor_pos=5)["found"]
        assert ask("is_complete", subshell, code="int f(void) {")["status"] == "incomplete"
        assert ask("history", subshell, hist_access_type="tail", n=1)["history"]
        assert ask("kernel_info", subshell)["status"] == "ok"
        assert ask("comm_info", subshell)["comms"] == {}
        msg_id = kernel.send("comm_open", {"comm_id": "c", "target_name": "nobody", "data": {}}, subshell)
        assert said(kernel, msg_id) == ["busy", "comm_close", "idle"]
        msg_id = kernel.send("comm_msg", {"comm_id": "c", "data": {}}, subshell)
        assert said(kernel, msg_id) == ["busy", "idle"]
    assert listed(kernel) == two
    kernel.interrupt()
    assert statuses(kernel, [cell, waiting]) == ["error", "ok"]
