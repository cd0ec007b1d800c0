# SPDX-License-Identifier: Apache-2.0
"""What the commands of `!` and %%writefile may not do: they run beside the session, not in a cell."""
import os
import pathlib
import sys
import uuid

import machine
import pytest
from machine import stopped_by
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
    session.run(f"%cd {notebook}").ok()
    session.run("int kept = 41;").ok()
    return session


@pytest.mark.parametrize("command", [
    "cat {path}", "cp {path} copy && cat copy", "cat /proc/{pid}/environ", "strings /proc/{pid}/mem", "ls -l /proc/{pid}/fd",
    "cat /proc/{pid}/root{path}", "umount {path}; cat {path}"])
def test_no_command_reads_the_key(confined, command):
    key = confined.manager.session.key.decode()
    assert len(key) > 20
    stopped_by(confined, "hide-file", "landlock")
    shown = confined.run("!" + command.format(path=confined.manager.connection_file, pid=confined.pid)).shown
    assert key not in shown and key[:20] not in shown and "socket:" not in shown, shown


@pytest.mark.parametrize("confined", ["", "landlock"], ids=["all", "no-landlock"], indirect=True)
@pytest.mark.parametrize("append", ["", "-a "])
def test_writefile_does_not_write_the_connection_file(confined, append):
    """Landlock, which stands in for a mount namespace, keeps files from being read only."""
    stopped_by(confined, "hide-file")
    path = pathlib.Path(confined.manager.connection_file)
    before = path.read_bytes()
    written = confined.run(f"%%writefile {append}{path}\nforged\n")
    assert path.read_bytes() == before and "cannot write" in written.evalue


def test_what_a_command_makes_beside_the_hidden_folder(confined):
    """Landlock allows only what is there when a command begins; it is said, and the next command reads it."""
    name = f"made-{uuid.uuid4()}"
    folder = pathlib.Path(confined.manager.connection_file).parent.parent
    made = confined.run(f"!mkdir {folder}/{name}; echo text > {folder}/{name}/file; cat {folder}/{name}/file").ok()
    has_mounts = "hide-file" not in confined.without and machine.allows_mounts()
    if not has_mounts and "landlock" not in confined.without and machine.landlock() > 0:
        assert "Permission denied" in made.stderr and "exit status 1" in made.stderr
        assert f"cannot read what it has just made in {folder} itself" in made.stderr
    else:
        assert made.stdout == "text\n" and not made.stderr
    assert confined.run(f"!cat {folder}/{name}/file").ok().stdout == "text\n"
    assert "just made" not in confined.run("!false").ok().stderr
    confined.run(f"!rm -r {folder}/{name}").ok()


@pytest.mark.parametrize("signal", ["KILL", "STOP"])
def test_no_command_signals_the_session_or_another_one(confined, kernel, signal):
    # Root has a PID namespace whether or not files are hidden.
    if os.geteuid() or not machine.allows_mounts():
        stopped_by(confined, "landlock", "hide-file")
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


def sleeper(seconds):
    """The number that the machine knows `sleep SECONDS` by; a command may be in a PID namespace. None: there is none."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == f"sleep\0{seconds}\0".encode():
                return int(path.parent.name)
        except OSError:  # it has just ended
            pass
    return None


def test_what_commands_left_ends_with_the_kernel(confined, start_kernel):
    """What the sessions of this module leave is looked for at its end: see `mark`."""
    confined.run("!(setsid sleep 600 &)").ok()
    session = start_kernel()
    seconds = f"600.{session.pid}"
    session.run(f"!(setsid sleep {seconds} &)").ok()
    assert wait_until(lambda: sleeper(seconds))
    pid = sleeper(seconds)
    session.close()
    assert wait_until(lambda: not alive(pid))


def test_commands_leave_the_mounts_of_the_machine_alone(start_kernel):
    """Without a mount namespace of its own the launcher mounts nothing. Root's commands have numbers of their own all the same;
    an ordinary user has those by user namespaces only."""
    def mounts():
        return pathlib.Path("/proc/self/mountinfo").read_text()

    before, session = mounts(), start_kernel(CGPU_WITHOUT="hide-file,landlock")
    if os.geteuid():
        row = next(line for line in session.run("%doctor").ok().stdout.splitlines() if "landlock" in line)
        assert row.startswith("--"), row
    else:
        assert "No such process" in session.run(f"!kill -9 {session.pid}").stderr
    assert session.run("!echo done").ok().stdout == "done\n"
    assert mounts() == before
