# SPDX-License-Identifier: Apache-2.0
"""What the commands of `!` and %%writefile may not do: they run beside the session, not in a cell."""
import pathlib
import sys

import pytest
from session import alive, wait_until

TRACED = f"""!{sys.executable} -c 'import ctypes; print("traced", ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0))'"""


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """A folder that is not above the connection file."""
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module", params=["", "landlock", "hide-file"], ids=["all", "no-landlock", "no-hide-file"])
def confined(request, start_kernel, notebook):
    """A session with all of the containment, or with steps taken away as on a Linux that lacks them."""
    session = start_kernel(CGPU_WITHOUT=request.param)
    session.without = request.param
    session.run(f"%cd {notebook}").ok()
    session.run("int kept = 41;").ok()
    return session


# Without a mount namespace commands can read and write what the user can.
hidden = pytest.mark.parametrize("confined", ["", "landlock"], ids=["all", "no-landlock"], indirect=True)


@hidden
@pytest.mark.parametrize("command", [
    "cat {path}", "cp {path} copy && cat copy", "cat /proc/{pid}/environ", "strings /proc/{pid}/mem", "ls -l /proc/{pid}/fd",
    "cat /proc/{pid}/root{path}", "umount {path}; cat {path}"])
def test_no_command_reads_the_key(confined, command):
    key = confined.manager.session.key.decode()
    assert len(key) > 20
    shown = confined.run("!" + command.format(path=confined.manager.connection_file, pid=confined.pid)).shown
    assert key not in shown and key[:20] not in shown and "socket:" not in shown, shown


@hidden
@pytest.mark.parametrize("append", ["", "-a "])
def test_writefile_does_not_write_the_connection_file(confined, append):
    path = pathlib.Path(confined.manager.connection_file)
    before = path.read_bytes()
    written = confined.run(f"%%writefile {append}{path}\nforged\n")
    assert path.read_bytes() == before and "cannot write" in written.evalue


@pytest.mark.parametrize("signal", ["KILL", "STOP"])
def test_no_command_signals_the_session_or_another_one(confined, kernel, signal):
    kernel.run("int other = 1;").ok()
    pids = [session_pid for session in (confined, kernel)
            for session_pid in (session.pid, session.front_pid, session.guard_pid, session.worker_pid())]
    confined.run(f"!for p in {' '.join(map(str, pids))}; do kill -{signal} $p; kill -{signal} -$p; done")
    assert all(alive(pid) for pid in pids)
    assert confined.run("kept + 1").ok().text == "42" and kernel.run("other").ok().text == "1"


def test_commands_signal_and_trace_each_other(confined):
    pid = confined.run("!sleep 600 & echo $!").ok().stdout.strip()
    assert "No such process" in confined.run(f"!kill {pid}; while kill -0 {pid}; do sleep 0.01; done").ok().stderr
    assert confined.run(TRACED).ok().stdout == "traced 0\n"


def test_the_end_of_the_launcher_is_an_error_of_the_command(confined):
    confined.run("!true").ok()
    running = confined.start("!echo begun; sleep 600").wait_output("begun")
    confined.kill(confined.launcher_pid())
    ended = running.wait()
    assert "the process that runs commands was killed by SIGKILL; it is started again" in ended.evalue
    assert confined.run("!echo again").ok().stdout == "again\n" and confined.run("kept").ok().text == "41"


def test_what_commands_left_ends_with_the_kernel(confined, start_kernel, tmp_path):
    """What the sessions of this module leave is looked for at its end: see `mark`."""
    confined.run("!(setsid sleep 600 &)").ok()
    session = start_kernel()
    session.run(f"!(setsid sleep 600 & echo $! >{tmp_path}/pid)").ok()
    pid = int((tmp_path / "pid").read_text())
    assert alive(pid)
    session.close()
    assert wait_until(lambda: not alive(pid))


def test_commands_leave_the_mounts_of_the_machine_alone(start_kernel):
    """Without a mount namespace of its own the launcher mounts nothing, and commands have numbers of their own all the same."""
    def mounts():
        return pathlib.Path("/proc/self/mountinfo").read_text()

    before, session = mounts(), start_kernel(CGPU_WITHOUT="hide-file,landlock")
    assert "No such process" in session.run(f"!kill -9 {session.pid}").stderr
    assert mounts() == before
