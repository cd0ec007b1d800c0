# SPDX-License-Identifier: Apache-2.0
"""Cells stop at breakpoints and step by step; while one stands its variables are seen, and nothing else is different."""
import time

import pytest
from debug_client import Debugger, Stops
from session import DEADLINE, Pending

SQUARES = """struct point { int x; double y; };
int square(int n)
{
    int r = n * n;
    return r;
}
int total = 0;
struct point p = { 3, 4.5 };
for (int i = 0; i < 3; i++) {
    int s = square(i + 1);
    total += s;
}
printf("total %d\\n", total);"""


@pytest.fixture
def debugger(fresh_kernel):
    return Debugger(fresh_kernel)


@pytest.fixture(scope="module")
def shared(kernel):
    return Debugger(kernel)


# ---- stops ----

def test_a_cell_stops_and_is_seen(debugger):
    path = debugger.breakpoints(SQUARES, 11)
    cell = debugger.start(SQUARES, 11)
    assert cell.stopped() == "breakpoint"
    frame, = cell.frames()
    assert (frame["name"], frame["line"], frame["source"]["path"]) == ("In[1]", 11, path)
    values = cell.values()
    assert values["s"] == "1" and values["i"] == "0" and values["total"] == "0"
    # It is not over: nothing of it is a variable of the session.
    assert cell.values(which=1) == {}
    assert cell.go().stopped() == "breakpoint" and cell.values()["s"] == "4" and cell.values()["total"] == "1"
    cell.go().stopped()
    result = cell.end().ok()
    assert result.stdout == "total 14\n"
    assert debugger.session.run("total").ok().results[0]["text/plain"] == "14"


def test_a_breakpoint_in_a_function_of_an_earlier_cell(debugger):
    earlier = "int twice(int n)\n{\n    int r = 2 * n;\n    return r;\n}"
    path = debugger.breakpoints(earlier, 4)
    debugger.session.run(earlier).ok()
    cell = debugger.start("int five = 5;\nint ten = twice(five);")
    assert cell.stopped() == "breakpoint"
    assert cell.where() == [("twice", 4), ("In[2]", 2)]
    assert cell.frames()[0]["source"]["path"] == path
    assert cell.values() == {"r": "10", "n": "5"} and cell.values(frame=1)["five"] == "5"
    cell.end().ok()
    assert debugger.session.run("ten").ok().results[0]["text/plain"] == "10"


def test_the_line_of_a_name_and_lines_without_code(debugger):
    """A function stops where its body begins; a comment stops at the next line that does something."""
    cell = debugger.start(SQUARES, 2, 7)
    lines = []
    for _ in range(4):
        cell.stopped()
        lines.append((cell.line(), cell.values().get("n")))
        cell.go()
    # Line 7 has no code of its own, since 0 is what a variable begins with: it is line 9.
    assert lines == [(9, None), (4, "1"), (4, "2"), (4, "3")]
    cell.pending.wait().ok()


def test_breakpoints_that_come_while_a_cell_stands(shared):
    cell = shared.start(SQUARES, 10)
    cell.stopped()
    shared.breakpoints(SQUARES, 13)
    assert cell.go().stopped() == "breakpoint" and cell.line() == 13
    assert cell.end().ok().stdout == "total 14\n"
    assert shared.body("debugInfo")["breakpoints"] == [
        {"source": shared.breakpoints(SQUARES, 13), "breakpoints": [{"line": 13}]}]
    shared.breakpoints(SQUARES)
    assert shared.session.run(SQUARES).ok().stdout == "total 14\n"


def test_what_is_printed_is_seen(shared):
    cell = shared.start('printf("before");\nint a = 1;\nprintf("behind");', 3)
    cell.stopped()
    assert cell.pending.result.stdout == "before"
    assert cell.end().ok().stdout == "beforebehind"


def test_members_pointers_and_arrays(shared):
    code = """struct node { int value; struct node *next; };
void look(struct node *head, const char *name)
{
    double row[3] = { 1, 2, 3 };
    struct node own = { 7, head };
    row[0] += own.value;
}
struct node last = { 2, NULL }, first = { 1, &last };
look(&first, "list");"""
    cell = shared.start(code, 6)
    cell.stopped()
    found = cell.scope()
    assert list(found) == ["head", "name", "row", "own"]
    assert found["name"]["value"].endswith('"list"') and found["own"]["type"] == "struct node"
    assert [v["value"] for v in cell.listed(found["row"]).values()] == ["1.0", "2.0", "3.0"]
    head = cell.listed(found["own"])["next"]
    assert [v["value"] for v in cell.listed(head).values()][0] == "1"
    assert cell.listed(cell.listed(head)["next"])["value"]["value"] == "2"
    assert cell.step() == 7 and cell.listed(cell.scope()["row"])["[0]"]["value"] == "8.0"
    assert shared.command("variables", variablesReference=found["row"]["variablesReference"])["success"] is False
    cell.end().ok()


# ---- steps ----

def test_steps(shared):
    cell = shared.start(SQUARES, 10)
    cell.stopped()
    shared.breakpoints(SQUARES)
    assert cell.step() == 11
    assert [cell.step() for _ in range(2)] == [9, 10]
    assert cell.step("stepIn") == 4 and cell.where()[0][0] == "square" and cell.values()["n"] == "2"
    assert cell.step() == 5 and cell.values()["r"] == "4"
    assert cell.step("stepOut") == 10
    assert [cell.step() for _ in range(3)] == [11, 9, 10]
    assert cell.step("stepIn") == 4
    # A function returns into the line that has called it.
    assert [cell.step() for _ in range(5)] == [5, 10, 11, 9, 13]
    assert cell.go("next").pending.wait().ok().stdout == "total 14\n"


def test_a_step_stays_in_its_call(shared):
    """The same lines of a deeper call are passed by, and a loop in one line is one step."""
    code = """int depth(int n)
{
    if (n == 0)
        return 0;
    int below = depth(n - 1);
    return below + 1;
}
int deep = depth(5);
long sum = 0;
for (long k = 0; k < 50000000; k++) sum += k;
printf("%ld\\n", sum);"""
    cell = shared.start(code, 5)
    cell.stopped()
    shared.breakpoints(code)
    assert cell.values()["n"] == "5"
    assert cell.step() == 6 and cell.values()["n"] == "5" and cell.values()["below"] == "4"
    while cell.step() != 10:
        pass
    assert cell.step() == 11 and cell.values()["sum"] == "1249999975000000"
    cell.end().ok()


def test_a_breakpoint_ends_a_step(shared):
    cell = shared.start(SQUARES, 10, 5)
    cell.stopped()
    assert cell.go("next").stopped() == "breakpoint" and cell.where()[0] == ("square", 5)
    assert cell.go("stepOut").stopped() == "step" and cell.line() == 10
    shared.breakpoints(SQUARES)
    cell.end().ok()


def test_steps_through_a_library(shared):
    code = """int below(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
int row[4] = { 4, 1, 3, 2 };
qsort(row, 4, sizeof(int), below);
printf("%d\\n", row[0]);"""
    cell = shared.start("#include <stdlib.h>\n" + code, 7)
    cell.stopped()
    assert cell.step("stepIn") == 4
    names = [name for name, _ in cell.where()]
    assert names[0] == "below" and "In[" in names[-1]
    assert cell.step("stepOut") == 8
    assert cell.end().ok().stdout == "1\n"


CPP = """%%cpp
#include <stdexcept>
#include <vector>
struct Account {
    int balance;
    void pay(int n) {
        if (n > balance)
            throw std::runtime_error("too much");
        balance -= n;
    }
};
template <typename T> T larger(T a, T b)
{
    return a < b ? b : a;
}
int caught = 0;
void spend(Account &account, std::vector<int> const &sums)
{
    for (int n : sums) {
        try {
            account.pay(n);
        } catch (std::exception const &e) {
            caught = larger(caught, n);
        }
    }
}
Account account{10};
spend(account, {3, 20});
auto twice = [](int n) {
    return 2 * n;
};
int four = twice(2);"""


def test_cpp(debugger):
    cell = debugger.start(CPP, 21, 28)
    cell.stopped()
    assert cell.line() == 28
    cell.go().stopped()
    assert [name.partition("(")[0] for name, _ in cell.where()][0] == "spend" and cell.values()["n"] == "3"
    debugger.breakpoints(CPP)
    assert cell.step("stepIn") == 7 and cell.values()["n"] == "3"
    this = cell.scope()["this"]
    assert [v["value"] for v in cell.listed(this).values()] == ["10"]
    assert [cell.step() for _ in range(2)] == [9, 10]
    assert cell.step("stepOut") == 21
    while cell.step() != 21:
        pass
    assert cell.values()["n"] == "20"
    # What throws is left by the catch, behind the end of the function that clang begins a landing pad with.
    assert [cell.step() for _ in range(3)] == [26, 22, 23]
    assert cell.step("stepIn") == 14 and cell.values() == {"a": "0", "b": "20"}
    result = cell.end().ok()
    assert debugger.session.run("caught * 100 + account.balance").ok().results[0]["text/plain"] == "2007", result.shown


# ---- what ends a stop ----

def test_a_fault_can_be_looked_at(debugger):
    debugger.session.run("int kept = 1;").ok()
    debugger.body("setExceptionBreakpoints", filters=["fault"])
    cell = debugger.start("int first(int *p)\n{\n    int n = 7;\n    return *p + n;\n}\nkept = 2;\nfirst(NULL);")
    assert cell.stopped() == "exception"
    assert [line for _, line in cell.where()] == [4, 7]
    assert cell.values() == {"n": "7", "p": "(int *) NULL"} and cell.values(frame=1, which=1)["kept"] == "2"
    result = cell.end()
    assert result.ename == "SegmentationFault" and "rolled back" in result.traceback
    assert debugger.session.run("kept").ok().results[0]["text/plain"] == "1"
    debugger.body("setExceptionBreakpoints", filters=[])
    assert debugger.session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"


def test_an_interrupt_ends_a_cell_that_stands(debugger):
    debugger.session.run("int kept = 1;").ok()
    cell = debugger.start("kept = 2;\nfor (;;)\n    kept++;", 3)
    cell.stopped()
    debugger.session.interrupt()
    result = cell.pending.wait()
    assert result.ename == "Interrupted" and "line 3" in result.evalue
    assert [e["content"]["event"] for e in result.messages if e["msg_type"] == "debug_event"] == ["stopped", "continued"]
    assert debugger.session.run("kept").ok().results[0]["text/plain"] == "1"


def test_a_worker_that_is_killed_while_it_stands(debugger):
    debugger.session.run("int kept = 1;").ok()
    worker = debugger.session.worker_pid()
    cell = debugger.start("kept = 2;\nkept = 3;", 2)
    cell.stopped()
    debugger.session.kill(worker)
    result = cell.pending.wait()
    assert result.ename == "WorkerKilled"
    assert debugger.command("continue", threadId=1)["message"] == "notStopped"
    assert debugger.session.run("kept").ok().results[0]["text/plain"] == "1"


def test_a_debugger_that_leaves_lets_the_cell_go_on(debugger):
    cell = debugger.start(SQUARES, 10)
    cell.stopped()
    debugger.body("disconnect", restart=False, terminateDebuggee=True)
    assert cell.pending.wait().ok().stdout == "total 14\n"
    # Its breakpoints are for the next one.
    assert debugger.session.run(SQUARES).ok().stdout == "total 14\n"


def test_a_cell_is_paused(debugger):
    """Wherever it is: also in an endless loop, and in a library that it has called."""
    assert "no cell runs" in debugger.command("pause", threadId=1)["message"]
    code = """#include <unistd.h>
volatile int turns = 0;
void wait_long(void)
{
    while (turns >= 0) {
        turns++;
        usleep(1000);
    }
}
printf("on\\n"); fflush(stdout);
wait_long();"""
    cell = debugger.start(code)
    cell.pending.wait_output("on")
    # It goes on and is paused at once, too: while it is still on its way out of the last stop, or has taken the wish
    # by a step before the signal of the pause has come.
    for _ in range(60):
        debugger.body("pause", threadId=1)
        assert cell.stopped() == "pause"
        assert cell.where()[0] in (("wait_long", 5), ("wait_long", 6), ("wait_long", 7)), cell.where()
        assert int(cell.values(frame=1)["turns"]) > 0 and cell.step() in (5, 6, 7)
        cell.go()
    debugger.session.interrupt()
    assert cell.pending.wait().ename == "Interrupted"
    cell = debugger.start('printf("on\\n"); fflush(stdout);\nfor (volatile int i = 0; i >= 0; ) i = 1;')
    cell.pending.wait_output("on")
    debugger.body("pause", threadId=1)
    assert cell.stopped() == "pause" and cell.where() == [("In[2]", 2)]
    debugger.session.interrupt()
    assert cell.pending.wait().ename == "Interrupted"


def test_a_kernel_that_ends_while_a_cell_stands(debugger):
    cell = debugger.start(SQUARES, 10)
    cell.stopped()
    debugger.session.close()
    assert debugger.session.closed


# ---- beside a cell that stands ----

def test_questions_are_answered(shared):
    cell = shared.start(SQUARES, 11)
    cell.stopped()
    assert shared.session.ask("kernel_info")["status"] == "ok"
    assert "printf" in shared.session.ask("complete", "print", 5)["matches"]
    assert shared.body("threads")["threads"] == [{"id": 1, "name": "cells"}]
    assert shared.body("debugInfo")["stoppedThreads"] == [1]
    assert shared.body("source", source={"path": cell.frames()[0]["source"]["path"]})["content"] == SQUARES
    assert shared.body("evaluate", expression="s", frameId=1)["result"] == "1"
    assert shared.body("evaluate", expression="total", frameId=1)["result"] == "0"
    assert shared.command("evaluate", expression="nothing", frameId=1)["success"] is False
    assert "stands already" in shared.command("pause", threadId=1)["message"]
    shared.breakpoints(SQUARES)
    cell.end().ok()
    assert shared.command("stackTrace", threadId=1)["message"] == "notStopped"
    assert shared.command("next", threadId=1)["message"] == "notStopped"


def test_threads_stand_still(debugger):
    code = """#include <pthread.h>
#include <stdatomic.h>
_Atomic long ticks; _Atomic int done;
void *tick(void *unused)
{
    while (!done)
        ticks++;
    return unused;
}
pthread_t thread;
pthread_create(&thread, NULL, tick, NULL);
while (ticks < 1000)
    ;
done = 0;
done = 1;
pthread_join(thread, NULL);"""
    cell = debugger.start(code, 14)
    cell.stopped()
    first = cell.values()["ticks"]
    assert int(first) >= 1000 and cell.values()["ticks"] == first
    cell.end().ok()


def test_a_thread_stops(debugger):
    code = """#include <pthread.h>
void *work(void *n)
{
    long twice = 2 * (long)n;
    return (void *)twice;
}
pthread_t threads[4]; void *results[4]; long sum = 0;
for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)i);
for (long i = 0; i < 4; i++) pthread_join(threads[i], &results[i]);
for (long i = 0; i < 4; i++) sum += (long)results[i];"""
    cell = debugger.start(code, 5)
    seen = []
    for _ in range(4):
        assert cell.stopped() == "breakpoint"
        assert cell.where()[0] == ("work", 5)
        seen.append(int(cell.values()["twice"]))
        cell.go()
    cell.pending.wait().ok()
    assert sorted(seen) == [0, 2, 4, 6]
    assert debugger.session.run("sum").ok().results[0]["text/plain"] == "12"


def test_a_callback_stops(debugger):
    """What a user has moved in the browser calls a function of a cell, which stops as ever."""
    session = debugger.session
    code = """int calls = 0;
void changed(cgpu_widget *w, void *data)
{
    int seen = (int)cgpu_value(w);
    calls += seen;
}
cgpu_widget *s = cgpu_slider_new("n", 0, 10, 3);
cgpu_widget_on_change(s, changed, NULL);"""
    debugger.breakpoints(code, 5)
    opened, = [m for m in session.run(code).ok().messages if m["msg_type"] == "comm_open"]
    data = {"method": "update", "state": {"value": 7}, "buffer_paths": []}
    sent = session.send("comm_msg", {"comm_id": opened["content"]["comm_id"], "data": data})
    cell = Stops(debugger, Pending(session, sent))
    assert cell.stopped() == "breakpoint"
    assert cell.where()[0] == ("changed", 5) and cell.values()["seen"] == "7"
    cell.go()
    while not cell.pending.idle:
        cell.pending._next(time.monotonic() + DEADLINE)
    assert session.run("calls").ok().results[0]["text/plain"] == "7"


# ---- what is left of it ----

def test_no_breakpoint_is_committed(debugger):
    session = debugger.session
    cell = debugger.start("int f(int n)\n{\n    return n + 1;\n}\nint a = f(1);\ncgpu_checkpoint();\nint b = f(2);", 3)
    cell.stopped()
    cell.go().stopped()
    assert cell.end().ok()
    debugger.body("disconnect")
    # A worker that has only what was committed runs it.
    session.kill(session.worker_pid())
    assert session.run("f(a + b)").ok().results[0]["text/plain"] == "6"


def test_no_breakpoint_is_in_a_checkpoint(debugger):
    session = debugger.session
    f = "int f(int n)\n{\n    return n + 1;\n}\n"
    cell = debugger.start(f + "int a = f(1);\ncgpu_checkpoint();\na = 7;\n*(volatile int *)0 = 1;", 3)
    cell.stopped()
    assert cell.end().ename == "SegmentationFault"
    debugger.body("disconnect")
    assert session.run("f(a)").ok().results[0]["text/plain"] == "3"


def test_a_child_does_not_stop(debugger):
    code = """#include <sys/wait.h>
#include <unistd.h>
int answer(void)
{
    return 42;
}
int status;
if (!fork())
    _exit(answer());
wait(&status);
printf("%d %d\\n", WEXITSTATUS(status), answer());"""
    cell = debugger.start(code, 5)
    assert cell.stopped() == "breakpoint"
    assert cell.where() == [("answer", 5), ("In[1]", 11)]
    assert cell.end().ok().stdout == "42 42\n"


def test_traps_of_the_cell_itself(debugger):
    result = debugger.session.run("__builtin_debugtrap();")
    assert result.ename == "IllegalInstruction", result.shown


def test_a_checked_cell_is_not_stopped(debugger):
    code = "%%memcheck\nint a = 1;\na = 2;"
    debugger.breakpoints(code, 3)
    assert debugger.session.run(code).ok()


def test_device_code_beside_it(debugger):
    if not debugger.session.has_cuda:
        pytest.skip("built without CUDA")
    code = """__global__ void fill(int *p)
{
    p[threadIdx.x] = threadIdx.x;
}
int *d, h[32];
cudaMalloc(&d, sizeof h);
fill<<<1, 32>>>(d);
cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
printf("%d\\n", h[31]);"""
    cell = debugger.start(code, 6)
    cell.stopped()
    assert [cell.step() for _ in range(3)] == [7, 8, 9]
    assert cell.values()["h"].startswith("{0, 1, 2")
    assert cell.end().ok().stdout == "31\n"
