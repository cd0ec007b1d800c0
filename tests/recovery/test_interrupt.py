# SPDX-License-Identifier: Apache-2.0
"""Interrupts: the cell ends, what it did so far is kept, and the next cell runs."""
import pytest

from session import DEADLINE, marked_processes, wait_until

PRINT = 'printf("running\\n"); fflush(stdout);\n'

CELLS = {
    "busy loop": "for (volatile int i = 0; ; i++) ;",
    "sleep": "#include <unistd.h>\nsleep(1000);",
    "malloc loop": "for (;;) free(malloc(100));",
    "printing loop": 'for (;;) printf("%d\\n", numbers[3]);',
    "read of standard input that never comes": "#include <unistd.h>\nint ends[2]; pipe(ends); read(ends[0], ends, 1);",
}


@pytest.mark.parametrize("loop", [
    CELLS["busy loop"],
    # no signal reaches this one: its worker is stopped, its memory committed, and another worker goes on
    "#include <signal.h>\n#include <sys/syscall.h>\nunsigned long every = ~0ul;\n"
    "syscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, NULL, 8);\n" + CELLS["busy loop"],
], ids=["unwound", "stopped"])
def test_variables_of_an_interrupted_cell_are_known(state, loop):
    session = state.session
    cell = session.start("int made_before = 77;\n" + PRINT + loop).wait_output("running")
    session.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert "made_before" in session.run("%whos").ok().stdout
    assert session.run("made_before").ok().text == "77"
    state.assert_untouched()


@pytest.mark.parametrize("name", CELLS)
def test_interrupt_keeps_what_the_cell_did(state, name):
    session = state.session
    cell = session.start("numbers[500] = 12345;\n" + PRINT + CELLS[name]).wait_output("running")
    session.interrupt()
    result = cell.wait()
    assert (result.status, result.ename) == ("error", "Interrupted"), result.shown
    assert session.run("numbers[500]").ok().text == "12345"
    session.run("numbers[500] = 500 * 500;").ok()
    state.assert_untouched()


@pytest.mark.cuda
def test_endless_entry_is_rolled_back_and_says_so(state, spoil):
    session = state.session
    cell = session.start(spoil + "__global__ void endless(volatile float *p) { for (;;) p[0] += 1; }\n" + PRINT +
                         "endless<<<1, 1>>>(device);\ncudaDeviceSynchronize();").wait_output("running")
    session.interrupt()
    state.assert_fault(cell.wait(), "Interrupted", None, "rolled back")


def test_interrupt_when_nothing_runs(state):
    state.session.interrupt()
    state.assert_untouched()


def test_interrupt_many_times(state):
    session = state.session
    cell = session.start(PRINT + CELLS["busy loop"]).wait_output("running")
    session.interrupt(times=5)
    assert cell.wait().ename == "Interrupted"
    state.assert_untouched()


def test_fork_bomb_stays_small_and_ends(start_kernel, mark):
    session = start_kernel()
    session.run("#include <stdio.h>\n#include <unistd.h>\nint before = 41;").ok()
    usual = len(marked_processes(mark))
    cell = session.start("before = 0; printf(\"running\\n\"); fflush(stdout);\nfor (;;) fork();").wait_output("running")
    result = cell.wait()
    assert result.ename == "ProcessLimit", result.shown
    assert wait_until(lambda: len(marked_processes(mark)) <= usual + 1), marked_processes(mark)
    assert session.run("1 + 1").ok().text == "2"


def test_the_kernel_answers_while_a_cell_runs(state):
    session = state.session
    cell = session.start(PRINT + CELLS["busy loop"]).wait_output("running")
    assert session.ask("kernel_info")["status"] == "ok"
    assert "numbers" in session.ask("complete", "numb", 4)["matches"]
    assert session.ask("is_complete", "int f(")["status"] == "incomplete"
    assert session.client.is_alive()
    session.interrupt()
    assert cell.wait().ename == "Interrupted"
    state.assert_untouched()
