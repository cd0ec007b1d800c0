# SPDX-License-Identifier: Apache-2.0
"""Each process of a session killed by a real SIGKILL, idle and busy. Nothing of the session is lost."""
import os
import signal
import time

import pytest

from session import DEADLINE, alive, marked_processes, wait_until

LOOP = 'numbers[7] = -1; printf("running\\n"); fflush(stdout); for (volatile int i = 0; ; i++) ;'


def test_worker_idle(state):
    session = state.session
    worker = session.worker_pid()
    session.kill(worker)
    state.assert_untouched()
    assert session.worker_pid() != worker


def test_worker_busy(state):
    session = state.session
    worker = session.worker_pid()
    cell = session.start(LOOP).wait_output("running")
    session.kill(worker)
    state.assert_fault(cell.wait(), "WorkerKilled", None, "9")


def test_spare(state):
    session = state.session
    session.kill(session.spare_pid())
    state.assert_untouched()
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    state.assert_untouched()


def test_worker_and_spare_at_once(state):
    session = state.session
    spare, worker = session.spare_pid(), session.worker_pid()
    os.kill(spare, signal.SIGKILL)
    session.kill(worker)
    state.assert_untouched()


def test_zygote_idle(state):
    session = state.session
    session.kill(session.zygote_pid())
    state.assert_untouched()
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    state.assert_untouched()


def test_zygote_busy(state, tmp_path):
    session = state.session
    zygote = session.zygote_pid()
    go_on = tmp_path / "go-on"
    cell = session.start('numbers[7] = -1; printf("running\\n"); fflush(stdout);\n'
                         f'while (access("{go_on}", F_OK)) usleep(1000);').wait_output("running")
    session.kill(zygote)
    go_on.touch()
    if cell.wait().status == "ok":
        assert session.run("numbers[7]").ok().text == "-1"
        session.run("numbers[7] = 49;").ok()
    state.assert_untouched()
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    state.assert_untouched()


@pytest.mark.parametrize("magic", ["%mem", "%gpu", "%snapshot save before"])
def test_a_magic_waits_for_the_session(state, magic):
    session = state.session
    session.kill(session.worker_pid())
    session.run(magic).ok()
    state.assert_untouched()


@pytest.mark.parametrize("magic", ["%mem", "%gpu", "%snapshot save before", "%snapshot diff first"])
def test_the_worker_dies_over_the_question_of_a_magic(state, magic):
    session = state.session
    session.run("%snapshot save first").ok()
    worker = session.worker_pid()
    os.kill(worker, signal.SIGSTOP)
    pending = session.start(magic).wait_busy()
    session.kill(worker)
    pending.wait().ok()
    state.assert_untouched()


def test_compiler_idle(state):
    session = state.session
    session.kill(session.compiler_pid())
    state.assert_untouched()


def test_compiler_busy(state):
    session = state.session
    compiler = session.compiler_pid()
    os.kill(compiler, signal.SIGSTOP)
    cell = session.start("2 + 2")
    session.kill(compiler)
    result = cell.wait()
    assert result.status == "ok" and result.text == "4" or "compiler" in result.shown, result.shown
    state.assert_untouched()


def test_compiler_stopped_for_ever(state):
    """More questions than its socket holds: it is replaced, and each question has its answer."""
    session = state.session
    compiler = session.compiler_pid()
    os.kill(compiler, signal.SIGSTOP)
    text = "/*" + "x" * 60000 + "*/ numb"
    asked = [session.client.complete(text) for _ in range(12)]
    for msg_id in asked:
        assert session.reply(msg_id, time.monotonic() + DEADLINE)["content"]["status"] == "ok"
    assert session.compiler_pid() != compiler
    state.assert_untouched()


@pytest.mark.parametrize("busy", [False, True])
def test_nothing_outlives_a_killed_kernel(start_kernel, mark, busy):
    session = start_kernel()
    session.run("int x = 1;").ok()
    mine = {p.pid for p in session.children()}
    assert len(mine) >= 3
    if busy:
        session.start('#include <stdio.h>\n#include <unistd.h>\nif (fork() == 0) for (;;) pause();\n'
                      'printf("running\\n"); fflush(stdout); for (;;) ;').wait_output("running")
        mine |= {p.pid for p in session.children()}
    session.kill(session.pid)
    assert wait_until(lambda: not any(map(alive, mine))), [p for p in marked_processes(mark) if p[0] in mine]
