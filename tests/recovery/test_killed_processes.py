# SPDX-License-Identifier: Apache-2.0
"""Each process of a session killed by a real SIGKILL, idle and busy. Nothing of the session is lost."""
import contextlib
import os
import pathlib
import re
import signal
import time

import pytest

from session import DEADLINE, alive, marked_processes, stop, wait_until

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
    stop(worker)
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
    stop(compiler)
    cell = session.start("2 + 2")
    session.kill(compiler)
    assert cell.wait().ok().text == "4"
    state.assert_untouched()


@pytest.mark.parametrize("magic", ["", "%%cpp\n"], ids=["C", "C++"])
def test_compiler_dies_over_a_text_each_time(start_kernel, magic, capfd):
    """It is asked once more, and not again."""
    session = start_kernel()
    session.run("int kept = 7;").ok()
    capfd.readouterr()
    result = session.run(f"{magic}kept = 1;\n#pragma clang __debug llvm_fatal_error")
    assert result.ename == "CompileError" and "while it worked on this cell" in result.evalue, result.shown
    log = capfd.readouterr().err
    assert log.count("and asked once more") == 1 and log.count("it is started again") == 2, log
    assert session.run("kept").ok().text == "7"


def test_compiler_stopped_for_ever(state):
    """More questions than its socket holds: it is replaced, and each question has its answer."""
    session = state.session
    compiler = session.compiler_pid()
    stop(compiler)
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


SLEEP = "echo $$ > {said}.new; mv {said}.new {said}; exec sleep 100000"
DAEMONS = {
    # A cell's: two forks, a session of its own, no descriptors, no environment.
    "cell": r"""#include <stdio.h>
#include <unistd.h>
if (fork() == 0) {{
	setsid();
	if (fork() == 0) {{
		for (int i = 0; i < 1000; i++)
			close(i);
		execle("/bin/sh", "sh", "-c", "{sleep}", NULL, (char *[]){{ NULL }});
	}}
	_exit(0);
}}""",
    "cell that runs": r"""#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
if (syscall(SYS_fork) == 0) {{
	setsid();
	execle("/bin/sh", "sh", "-c", "{sleep}", NULL, (char *[]){{ NULL }});
}}
for (;;) pause();""",
    "command": "!env -i setsid sh -c '{sleep}' <&- >&- 2>&- &",
    "command that runs": "!echo $$ > {said}.new; mv {said}.new {said}; trap '' TERM HUP INT; while :; do sleep 1000; done",
}


def of_number(pids, number):
    """The process that has this number where it lives: commands may have numbers of their own."""
    for pid in pids:
        with contextlib.suppress(OSError):
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            if re.search(rf"^NSpid:.*\b{number}$", status, re.M):
                return pid
    raise AssertionError(f"no process {number} below the kernel")


@pytest.mark.parametrize("killed", ["pid", "guard_pid", "front_pid", "all of the front's group"])
@pytest.mark.parametrize("without", ["", "landlock", "hide-file", "hide-file,landlock,seccomp,limits"])
def test_no_daemon_outlives_a_killed_kernel(start_kernel, tmp_path, without, killed):
    session = start_kernel(CGPU_WITHOUT=without)
    pids = [session.front_pid, session.guard_pid, session.pid, *(p.pid for p in session.children())]
    for i, (name, text) in enumerate(DAEMONS.items()):
        said = tmp_path / f"daemon{i}"
        pending = session.start(text.format(said=said, sleep=SLEEP.format(said=said)))
        assert wait_until(said.exists)
        pids += [p.pid for p in session.children()]
        daemon = of_number(pids, int(said.read_text()))
        if name == "cell that runs":
            session.interrupt()
        if name != "command that runs":
            pending.wait()
    assert all(map(alive, pids[:3])) and alive(daemon)
    if killed == "all of the front's group":
        os.killpg(os.getpgid(session.front_pid), signal.SIGKILL)
    else:
        os.kill(getattr(session, killed), signal.SIGKILL)
    assert wait_until(lambda: not any(map(alive, pids))), [p for p in pids if alive(p)]
    assert session.manager.provisioner.process.wait(DEADLINE) == -signal.SIGKILL
