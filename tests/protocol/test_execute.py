# SPDX-License-Identifier: Apache-2.0
"""The fields of execute_request, the queue, aborting, output, input, and what is answered while a cell runs."""
import random
import re
import sqlite3
import time

import pytest
from session import DEADLINE, wait_until


def test_count_grows_with_stored_cells_only(fresh_kernel):
    assert fresh_kernel.run("int a = 1;").count == 1
    assert fresh_kernel.run("a = 2;", silent=True).count == 1
    assert fresh_kernel.run("a", store_history=False).text == "2"
    assert fresh_kernel.run("a").count == 2


def test_silent_cells_show_no_input_and_no_result(kernel):
    r = kernel.run("1 + 1", silent=True).ok()
    assert [m["msg_type"] for m in r.messages] == ["status", "status"]


def test_empty_cells(fresh_kernel):
    assert fresh_kernel.run("").ok().count == 1
    assert fresh_kernel.run(" \n // nothing\n").ok()
    assert fresh_kernel.run("\t\n").ok()
    assert fresh_kernel.run("1").text == "1"


def test_user_expressions(kernel):
    r = kernel.run("int ue = 20;", user_expressions={"good": "ue * 2 + 2", "bad": "no_such", "none": "ue = 3;"}).ok()
    values = r.reply["user_expressions"]
    assert values["good"] == {"status": "ok", "data": {"text/plain": "42"}, "metadata": {}}
    assert values["bad"]["status"] == "error" and values["bad"]["ename"] == "CompileError"
    assert "no_such" in values["bad"]["evalue"]
    assert values["none"]["status"] == "error"
    assert not r.results


def test_an_error_aborts_the_cells_that_wait_and_nothing_else(kernel, tmp_path):
    all_sent = tmp_path / "all-sent"
    crash = f'while (access("{all_sent}", F_OK)) usleep(1000);\n*(volatile int *)0 = 1;'
    cells = [kernel.start(crash), kernel.start("int never = 1;"), kernel.start("1")]
    info = kernel.client.kernel_info()
    assert kernel.reply(info, time.monotonic() + DEADLINE)["content"]["status"] == "ok"  # so all have arrived
    all_sent.touch()
    results = [c.wait() for c in cells]
    assert [r.status for r in results] == ["error", "aborted", "aborted"]
    assert all(r.reply == {"status": "aborted"} for r in results[1:])
    for r in results[1:]:
        assert [m["content"].get("execution_state") for m in r.messages] == ["busy", "idle"]
    assert kernel.run("2").ok().text == "2"


def test_stop_on_error_false_lets_the_queue_go_on(kernel):
    cells = [kernel.start("int x = };", stop_on_error=False), kernel.start("5")]
    assert [c.wait().status for c in cells] == ["error", "ok"]


def test_aborting_counts_no_cells(fresh_kernel):
    fresh_kernel.run("1").ok()
    cells = [fresh_kernel.start("getchar(); *(volatile int *)0 = 1;", allow_stdin=True), fresh_kernel.start("2"),
             fresh_kernel.start("3")]
    answer_input(fresh_kernel, "all are sent")
    assert [c.wait().status for c in cells] == ["error", "aborted", "aborted"]
    assert fresh_kernel.run("4").count == 3


def test_a_cell_sent_before_the_error_was_known_is_aborted_when_it_comes_late(kernel, raw_client):
    """The client's own dates tell it from one that was sent on seeing the error."""
    client = raw_client(kernel)

    def execute(code, date):
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {},
                   "allow_stdin": False, "stop_on_error": True}
        client.send(b"<IDS|MSG>", *client.frames("execute_request", content, date=date))
        return client.receive()[1]["status"]

    assert execute("int x = };", "2001-01-01T10:00:00.000000Z") == "error"
    assert execute("1", "2001-01-01T10:00:00.000001Z") == "aborted"
    assert execute("1", "2001-01-01T10:00:30.000000Z") == "ok"
    assert kernel.run("2").ok().text == "2"


# ---- output ----

def test_large_output_is_whole_up_to_the_limit(kernel):
    r = kernel.run('#include <stdio.h>\nfor (int i = 0; i < 100000; i++) printf("line %d\\n", i);').ok()
    assert r.stdout == "".join(f"line {i}\n" for i in range(100000))
    streams = [m for m in r.messages if m["msg_type"] == "stream"]
    assert len(streams) < 100


def test_output_over_the_limit_keeps_head_and_tail(kernel):
    kernel.run("%limit output 64K").ok()
    r = kernel.run('for (int i = 0; i < 1000000; i++) printf("line %d\\n", i);').ok()
    kernel.run("%limit output 2M").ok()
    head, said, tail = re.fullmatch(r"(.*)\n\[\.\.\. (\d+ bytes, \d+ lines) left out.*?\.\.\.\]\n(.*)", r.stdout,
                                    re.S).groups()
    assert head.startswith("line 0\nline 1\n") and tail.endswith("line 999999\n")
    assert len(r.stdout) < 70_000
    total = sum(len(f"line {i}\n") for i in range(1000000))
    assert int(said.split()[0]) + len(head) + len(tail) == total


def test_a15_a_flood_of_output_is_cut_and_can_be_interrupted(kernel):
    """A15: 100 MB of printf show head and tail; one without end is stopped by an interrupt, and what is shown stays small."""
    r = kernel.run('for (int i = 0; i < 1000000; i++) printf("%0100d\\n", i);').ok()
    assert "bytes, " in r.stdout and r.stdout.startswith("0" * 100) and r.stdout.endswith("999999\n")
    assert len(r.stdout) < 3_000_000 and len(r.messages) < 1000
    cell = kernel.start('for (long i = 0;; i++) printf("flood %ld\\n", i);').wait_output("flood 1000")
    kernel.interrupt()
    r = cell.wait()
    assert r.ename == "Interrupted" and len(r.stdout) < 3_000_000
    assert kernel.run("1 + 1").ok().text == "2"


def test_output_is_shown_while_the_cell_runs(kernel):
    cell = kernel.start('printf("begun\\n"); for (;;) ;')
    cell.wait_output("begun")
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"


def test_utf8_is_never_cut(kernel):
    text = "\u20ac\u00e9\U0001f600" * 20000
    r = kernel.run('#include <unistd.h>\nfor (int i = 0; i < 20000; i++) {\n'
                   'const char *s = "\\xe2\\x82\\xac\\xc3\\xa9\\xf0\\x9f\\x98\\x80";\n'
                   'for (; *s; s++) { putchar(*s); if (i % 100 == 0) fflush(stdout); }\n}').ok()
    assert r.stdout == text


def test_bytes_that_are_no_text_are_replaced(kernel):
    assert kernel.run('printf("a\\xff" "b\\xe2\\x82");').ok().stdout == "a\ufffdb\ufffd\ufffd"
    assert kernel.run('fwrite("x\\0y", 1, 3, stdout);').ok().stdout == "x\0y"


def test_alternating_streams_stay_few_messages(kernel):
    r = kernel.run('for (int i = 0; i < 20000; i++) { printf("o"); fflush(stdout); fprintf(stderr, "e"); }').ok()
    assert r.stdout == "o" * 20000 and r.stderr == "e" * 20000
    assert len(r.messages) < 2000


# ---- displays ----

def test_displays_keep_their_place_and_their_form(kernel):
    r = kernel.run('printf("before\\n");\n'
                   'cgpu_display("text/html", "<b>\u20ac</b>", 10);\n'
                   'cgpu_display("image/png", "\\x89PNG", 4);\n'
                   'cgpu_display("application/json", "{\\"a\\": [1]}", 10);\n'
                   'printf("after\\n");\ncgpu_clear_output(1);\nprintf("last\\n");').ok()
    assert [m["msg_type"] for m in r.messages[2:-1]] == ["stream", *["display_data"] * 3, "stream", "clear_output",
                                                         "stream"]
    assert r.displays == [{"text/html": "<b>\u20ac</b>"}, {"image/png": "iVBORw=="},
                          {"application/json": {"a": [1]}}]
    assert r.messages[7]["content"] == {"wait": True}


def test_a_wrong_mime_type_is_told(kernel):
    r = kernel.run('cgpu_display("nonsense", "x", 1);').ok()
    assert "nonsense" in r.stderr and not r.displays


# ---- input ----

def answer_input(kernel, value):
    m = kernel.client.get_stdin_msg(timeout=DEADLINE)
    assert m["msg_type"] == "input_request"
    kernel.client.input(value)
    return m


def test_reading_stdin_asks_the_front_end(kernel):
    kernel.run("#include <stdio.h>").ok()
    cell = kernel.start('int got; printf("a number: "); scanf("%d", &got);', allow_stdin=True)
    m = answer_input(kernel, "42")
    assert m["parent_header"]["msg_id"] == cell.msg_id
    assert m["content"]["password"] is False
    cell.wait().ok()
    assert kernel.run("got").text == "42"


def test_several_lines_are_asked_one_by_one(kernel):
    cell = kernel.start('char one[32], two[32]; fgets(one, 32, stdin); fgets(two, 32, stdin);', allow_stdin=True)
    answer_input(kernel, "first")
    answer_input(kernel, "second")
    cell.wait().ok()
    assert kernel.run("one").text == '"first\\n"'
    assert kernel.run("two").text == '"second\\n"'


def test_end_of_file_and_front_ends_that_do_not_answer(kernel):
    cell = kernel.start("int c = getchar();", allow_stdin=True)
    answer_input(kernel, "\x04")
    cell.wait().ok()
    assert kernel.run("c").text == "-1"
    r = kernel.run("int d = getchar();", allow_stdin=False).ok()
    assert "stdin" in r.stderr
    assert kernel.run("d").text == "-1"


def test_an_interrupt_ends_the_wait_for_input(kernel):
    cell = kernel.start("int e = getchar();", allow_stdin=True)
    assert kernel.client.get_stdin_msg(timeout=DEADLINE)["msg_type"] == "input_request"
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    kernel.client.input("late")  # nobody waits for it
    cell = kernel.start('char fresh[8]; fgets(fresh, 8, stdin);', allow_stdin=True)
    answer_input(kernel, "new")
    cell.wait().ok()
    assert kernel.run("fresh").text == '"new\\n"'


# ---- while a cell runs ----

@pytest.fixture
def running(kernel):
    kernel.run("#include <stdio.h>\nstruct point { int x; int y; };\nint some_variable = 7;").ok()
    cell = kernel.start('printf("on\\n"); for (;;) ;')
    cell.wait_output("on")
    yield kernel
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"


def test_everything_else_is_answered_while_a_cell_runs(running, raw_client):
    assert "some_variable" in running.ask("complete", "some_var", 8)["matches"]
    assert running.ask("inspect", "some_variable", 5)["found"]
    assert running.ask("is_complete", "int f(void) {")["status"] == "incomplete"
    assert running.ask("kernel_info")["status"] == "ok"
    assert running.ask("history", hist_access_type="tail", n=1)["history"]
    assert running.ask("comm_info")["status"] == "ok"
    header, content = raw_client(running, "control").request("kernel_info_request", {})
    assert content["status"] == "ok"


def test_the_kernel_stays_busy_while_others_are_answered(running):
    """Servers end kernels that look idle."""
    msg_id = running.client.kernel_info()
    state = None
    while True:
        m = running.client.get_iopub_msg(timeout=DEADLINE)
        if m["msg_type"] != "status":
            continue
        if m["parent_header"]["msg_id"] != msg_id and state == "idle":
            assert m["content"]["execution_state"] == "busy"
            return
        if m["parent_header"]["msg_id"] == msg_id:
            state = m["content"]["execution_state"]


def test_interrupting_an_idle_kernel_does_nothing(kernel):
    kernel.interrupt()
    assert kernel.run("3").ok().text == "3"


def test_sigint_is_an_interrupt_too(kernel):
    import os
    import signal
    cell = kernel.start('printf("spinning\\n"); for (;;) ;')
    cell.wait_output("spinning")
    os.kill(kernel.pid, signal.SIGINT)
    assert cell.wait().ename == "Interrupted"


# ---- completion and inspection positions ----

def test_positions_are_counted_in_characters(kernel):
    kernel.run("int wide_name = 1;").ok()
    code = '/* \u20ac\U0001f600 */ wide_na'
    reply = kernel.ask("complete", code, len(code))
    assert reply["matches"] == ["wide_name"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (len(code) - 7, len(code))
    types = reply["metadata"]["_jupyter_types_experimental"]
    assert types[0]["text"] == "wide_name" and types[0]["start"] == reply["cursor_start"]


def test_magics_are_completed_and_inspected(kernel):
    reply = kernel.ask("complete", "%wh", 3)
    assert set(reply["matches"]) == {"who", "whos"} and reply["cursor_start"] == 1
    assert "variables" in kernel.ask("inspect", "%whos", 3)["data"]["text/plain"]
    assert kernel.ask("complete", "int a = 7\n% wh", 14)["matches"] == []


FUZZED = """struct node { int value; struct node *next; } *head;
#define TWICE(x) ((x) * 2)
__global__ void fill(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = TWICE(i); }
float *d; cudaMalloc(&d, 4096);
fill<<<dim3(4), 256>>>(d, 1024);
for (struct node *n = head; n; n = n->next) printf("%d\\n", n->value);
//%time
"""


@pytest.mark.cuda
@pytest.mark.parametrize("seed", [1, 2])
def test_a25_no_completion_ends_the_compiler(kernel, seed):
    """A25: pieces of cells with anything in them are completed, inspected and found complete or not."""
    choose = random.Random(seed)
    kernel.run(FUZZED).ok()
    compiler = kernel.compiler_pid()
    for _ in range(60):
        text = list(FUZZED[choose.randrange(len(FUZZED)):][:choose.randrange(1, 200)])
        for _ in range(choose.randrange(6)):
            text.insert(choose.randrange(len(text) + 1), choose.choice("(){}<>[]\"'#%\\\n;.,->&*\0\u20ac/"))
        code = "".join(text)
        at = choose.randrange(len(code) + 1)
        assert kernel.ask("complete", code, at)["status"] == "ok", code
        assert kernel.ask("inspect", code, at)["status"] == "ok", code
        assert kernel.ask("is_complete", code)["status"] in ("complete", "incomplete", "invalid", "unknown"), code
    assert kernel.compiler_pid() == compiler
    assert kernel.run("TWICE(21)").ok().text == "42"


def test_inspection_shows_the_value(kernel):
    kernel.run("double inspected[3] = {1, 2.5, 3};").ok()
    text = kernel.ask("inspect", "inspected", 4)["data"]["text/plain"]
    assert "double" in text and "{1.0, 2.5, 3.0}" in text


# ---- history ----

def test_history_of_this_and_earlier_sessions(start_kernel, tmp_path):
    env = {"CGPU_HISTORY": str(tmp_path / "history.sqlite")}
    first = start_kernel(**env)
    first.run("int h = 1;").ok()
    first.run("h + 1").ok()
    first.close()
    second = start_kernel(**env)
    second.run("float g;").ok()
    assert second.ask("history", hist_access_type="tail", n=2)["history"] == [[1, 2, "h + 1"], [2, 1, "float g;"]]
    assert second.ask("history", hist_access_type="range", session=-1, start=1, stop=3, output=True)["history"] == \
        [[1, 1, ["int h = 1;", None]], [1, 2, ["h + 1", "2"]]]
    assert second.ask("history", hist_access_type="search", pattern="*h*", n=9)["history"] == \
        [[1, 1, "int h = 1;"], [1, 2, "h + 1"]]
    assert second.run("1", store_history=False).ok()
    assert second.ask("history", hist_access_type="tail", n=1)["history"] == [[2, 1, "float g;"]]


def test_kernels_with_one_history_at_once(start_kernel, tmp_path):
    env = {"CGPU_HISTORY": str(tmp_path / "history.sqlite")}
    a, b = start_kernel(**env), start_kernel(**env)
    cells = [s.start(f"{i}") for i in range(20) for s in (a, b)]
    for c in cells:
        c.wait().ok()
    rows = []

    def all_there():
        rows[:] = a.ask("history", hist_access_type="search", pattern="*", n=-1)["history"]
        return len(rows) >= 40

    # What another kernel has run is in the file soon.
    assert wait_until(all_there)
    assert len(rows) == 40 and len({r[0] for r in rows}) == 2


def test_history_file_is_private(start_kernel, tmp_path):
    path = tmp_path / "data" / "history.sqlite"
    start_kernel(CGPU_HISTORY=str(path)).run("1").ok()
    assert wait_until(path.exists)
    assert path.stat().st_mode & 0o077 == 0


def test_a_history_that_cannot_be_opened_yet_holds_nothing(start_kernel, tmp_path):
    """Cells go on; who asks for the history is answered when it is there."""
    path = tmp_path / "history.sqlite"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    session = start_kernel(CGPU_HISTORY=str(path))
    asked = session.client.history(hist_access_type="tail", n=1)
    for i in range(5):
        assert session.run(f"{i} + 1").ok().text == str(i + 1)
    assert "a file that is not open yet" in session.run("%doctor").ok().shown
    holder.execute("COMMIT")
    holder.close()
    rows = session.reply(asked, time.monotonic() + DEADLINE)["content"]["history"]
    assert [row[1:] for row in rows] == [[6, "%doctor"]]


@pytest.mark.parametrize("code", ["exit", "quit", "exit()", " quit();\n", "%exit"])
def test_words_that_end_a_terminal(kernel, code):
    assert kernel.run(code).ok().reply["payload"] == [{"source": "ask_exit", "keepkernel": False}]


def test_a_variable_is_not_hidden_by_a_word_that_ends_a_terminal(fresh_kernel):
    fresh_kernel.run("int quit = 3;").ok()
    shown = fresh_kernel.run("quit").ok()
    assert shown.text == "3" and not shown.reply["payload"]
    assert fresh_kernel.run("exit").ok().reply["payload"]
