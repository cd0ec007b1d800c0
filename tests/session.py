# SPDX-License-Identifier: Apache-2.0
"""One session of cgpu as a front end sees it, with its processes as Linux sees them."""
import contextlib
import os
import re
import signal
import socket
import time
import uuid
from dataclasses import dataclass, field

import psutil
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager

ANSI = re.compile(r"\x1b\[[0-9;]*m")
DEADLINE = 180


def wait_until(condition, deadline=DEADLINE):
    """True as soon as condition() holds, False when it did not within `deadline` seconds."""
    end = time.monotonic() + deadline
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def marked_processes(mark):
    """[(pid, command)] of live processes that have CGPU_TEST_MARK=mark in their environment."""
    needle = f"CGPU_TEST_MARK={mark}".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if needle in f.read().split(b"\0"):
                    with open(f"/proc/{pid}/comm") as f:
                        found.append((int(pid), f.read().strip()))
        except OSError:
            continue
    return found


def stop(pid):
    """Stop a process, and wait until all threads stand still: Linux tells one, which stops the others when it runs."""

    def has_stopped(thread):
        with open(f"/proc/{pid}/task/{thread}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] == "T"

    os.kill(pid, signal.SIGSTOP)
    assert wait_until(lambda: all(map(has_stopped, os.listdir(f"/proc/{pid}/task"))))


def alive(pid):
    """True while pid runs. A zombie has ended when its threads have, too: they close its files."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE or len(os.listdir(f"/proc/{pid}/task")) > 1
    except (psutil.NoSuchProcess, FileNotFoundError):
        return False


CHANNELS = ("shell", "iopub", "stdin", "hb", "control")


@contextlib.contextmanager
def reserved_ports(manager):
    """Ports for the kernel that nobody else is given meanwhile: they are bound here, and the kernel may listen there
    nevertheless. jupyter_client's own are free again before the kernel starts. A client that meets another kernel,
    as when tests run side by side, does not try again: libzmq ends a connection to a socket of the wrong type."""
    with contextlib.ExitStack() as stack:
        if manager.transport == "tcp":
            manager.cache_ports = False
            for channel in CHANNELS:
                s = stack.enter_context(socket.socket())
                s.bind((manager.ip, 0))
                s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                setattr(manager, f"{channel}_port", s.getsockname()[1])
        yield


@dataclass
class Result:
    """What came back for one cell."""
    status: str = ""
    ename: str = ""
    evalue: str = ""
    traceback: str = ""             # lines joined, colours taken off
    count: int = None
    stdout: str = ""
    stderr: str = ""
    results: list = field(default_factory=list)   # data of each execute_result
    displays: list = field(default_factory=list)  # data of each display_data
    errors: int = 0                 # `error` messages on iopub
    messages: list = field(default_factory=list)  # all of iopub, in order
    reply: dict = None              # content of execute_reply

    @property
    def text(self):
        """text/plain of the displayed last expression."""
        return self.results[-1]["text/plain"] if self.results else None

    @property
    def printed(self):
        """What it prints: its text, and that of its displays."""
        return self.stdout + "".join(data.get("text/plain", "") for data in self.displays)

    @property
    def shown(self):
        """All that a reader would see, for assertions and their messages."""
        parts = [self.stdout, self.stderr, self.ename, self.evalue, self.traceback]
        parts += [d.get("text/plain", "") for d in self.results + self.displays]
        return "\n".join(p for p in parts if p)

    def ok(self):
        assert self.status == "ok", self.shown
        return self


class Pending:
    """A cell that runs."""

    def __init__(self, session, msg_id):
        self.session, self.msg_id, self.result = session, msg_id, Result()
        self.idle = False

    def _next(self, deadline):
        message = self.session.client.get_iopub_msg(timeout=max(0.001, deadline - time.monotonic()))
        if message["parent_header"].get("msg_id") != self.msg_id:
            return
        r, content, kind = self.result, message["content"], message["msg_type"]
        r.messages.append(message)
        if kind == "stream":
            setattr(r, content["name"], getattr(r, content["name"]) + content["text"])
        elif kind == "execute_result":
            r.results.append(content["data"])
        elif kind == "display_data":
            r.displays.append(content["data"])
        elif kind == "error":
            r.errors += 1
        elif kind == "status" and content["execution_state"] == "idle":
            self.idle = True

    def wait_output(self, text, deadline=DEADLINE):
        """Until `text` stands in stdout."""
        end = time.monotonic() + deadline
        while text not in self.result.stdout:
            assert not self.idle, f"the cell ended without printing {text!r}: {self.result.shown}"
            self._next(end)
        return self

    def wait_busy(self, deadline=DEADLINE):
        """Until its turn has come."""
        end = time.monotonic() + deadline
        while not self.result.messages:
            self._next(end)
        return self

    def wait(self, deadline=DEADLINE):
        """Until idle and the reply are here; returns the Result."""
        end = time.monotonic() + deadline
        while not self.idle:
            self._next(end)
        r = self.result
        r.reply = self.session.reply(self.msg_id, end)["content"]
        r.status, r.count = r.reply["status"], r.reply.get("execution_count")
        if r.status == "error":
            r.ename, r.evalue = r.reply["ename"], ANSI.sub("", r.reply["evalue"])
            r.traceback = ANSI.sub("", "\n".join(r.reply["traceback"]))
        return r


class Session:
    """A started kernel and a client that is ready."""

    def __init__(self, prefix, cwd, transport, env, kernelspec="cgpu", runtime=None):
        self.has_cuda = (prefix / "libexec" / "cgpu" / "libcgpu-emulator.so").exists()
        specs = KernelSpecManager(kernel_dirs=[str(prefix / "share" / "jupyter" / "kernels")])
        self.manager = KernelManager(kernel_name=kernelspec, kernel_spec_manager=specs, transport=transport)
        # A Jupyter server has it below the home.
        runtime = runtime or cwd / "runtime"
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.manager.connection_file = str(runtime / f"kernel-{uuid.uuid4()}.json")
        if transport == "ipc":
            self.manager.ip = str(cwd / "ipc")
        env = {k: v for k, v in {**os.environ, **env}.items() if v is not None}
        self.without = env.get("CGPU_WITHOUT", "").split(",")
        with reserved_ports(self.manager):
            self.manager.start_kernel(cwd=str(cwd), env=env)
            self._found = (0, [])
            self.client = self.manager.blocking_client()
            self.client.start_channels()
            self.client.wait_for_ready(timeout=DEADLINE)
        self.replies = {}
        self.closed = False

    # --- cells ---

    def start(self, code, cell_id=None, subshell=None, **options):
        """Send a cell and return at once. cell_id: which cell of the notebook it is, as JupyterLab says it."""
        if cell_id is None and subshell is None:
            return Pending(self, self.client.execute(code, **options))
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
                   "stop_on_error": True, **options}
        metadata = {} if cell_id is None else {"cellId": cell_id}
        return Pending(self, self.send("execute_request", content, subshell, metadata))

    def send(self, kind, content, subshell=None, metadata=None):
        """Send a message on shell, as that of a subshell; its id."""
        message = self.client.session.msg(kind, content, metadata=metadata)
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def run(self, code, deadline=DEADLINE, **options):
        return self.start(code, **options).wait(deadline)

    def reply(self, msg_id, end):
        while msg_id not in self.replies:
            message = self.client.get_shell_msg(timeout=max(0.001, end - time.monotonic()))
            self.replies[message["parent_header"].get("msg_id")] = message
        return self.replies.pop(msg_id)

    def ask(self, method, *args, deadline=DEADLINE, **options):
        """Content of the reply to another shell request, e.g. ask("complete", "pri", 3)."""
        return self.reply(getattr(self.client, method)(*args, **options), time.monotonic() + deadline)["content"]

    def interrupt(self, times=1):
        """Answered when this returns: control and shell are not ordered, so it could meet a cell that is sent afterwards."""
        for _ in range(times):
            self.client.control_channel.send(self.client.session.msg("interrupt_request"))
        for _ in range(times):
            reply = self.client.get_control_msg(timeout=DEADLINE)
            assert reply["msg_type"] == "interrupt_reply" and reply["content"]["status"] == "ok", reply

    # --- processes ---

    @property
    def front_pid(self):
        """The process that the launcher knows, or that the program which stands before it has become."""
        return self._chain()[0]

    @property
    def guard_pid(self):
        return self._chain()[1]

    @property
    def pid(self):
        """The kernel process; also when it has ended."""
        return self._chain()[2]

    def _chain(self):
        started = self.manager.provisioner.process.pid
        if self._found[0] != started:
            chain = []

            def find():
                first = psutil.Process(started)
                try:
                    chain[:] = [p.pid for p in [first, *first.children(recursive=True)] if p.name() == "cgpu-kernel"][:3]
                except psutil.NoSuchProcess:  # one of them has ended meanwhile
                    return False
                return len(chain) == 3

            assert wait_until(find), "no kernel process"
            self._found = (started, chain)
        return self._found[1]

    def children(self):
        """Live processes under the kernel, oldest first."""
        found = [p for p in psutil.Process(self.pid).children(recursive=True) if alive(p.pid)]
        return sorted(found, key=lambda p: (p.create_time(), p.pid))

    def _of(self, program):
        pids = []
        for p in self.children():
            try:
                if os.path.basename(os.readlink(f"/proc/{p.pid}/exe")) == program:
                    pids.append(p.pid)
            except OSError:
                continue
        return pids

    def wait_for_headers(self):
        """Until no process makes headers ahead of cells: one takes memory and a processor as long as it works."""
        def at_work():
            for p in self.children():
                try:
                    if p.name() == "headers-ahead":
                        return True
                except psutil.NoSuchProcess:
                    continue
            return False

        assert wait_until(lambda: not at_work())

    def worker_pid(self):
        """The worker that runs this session's cells."""
        r = self.run("#include <unistd.h>\n#include <stdio.h>\nprintf(\"pid %d\\n\", (int)getpid());").ok()
        return int(re.search(r"pid (\d+)", r.stdout).group(1))

    def _first_of(self, program):
        """One that was killed is there again soon."""
        pids = []

        def found():
            pids[:] = self._of(program)
            return pids

        assert wait_until(found), f"no {program}"
        return pids[0]

    def zygote_pid(self):
        return self._first_of("cgpu-worker")

    def compiler_pid(self):
        return self._first_of("cgpu-compiler")

    def history_pid(self):
        return self._first_of("cgpu-history")

    def launcher_pid(self):
        """There from the first command on."""
        return self._first_of("cgpu-launcher")

    def presenter_pid(self):
        """There from the first fault on."""
        return self._first_of("cgpu-presenter")

    def spare_pid(self):
        """The worker that waits; there is one again soon after each recovery."""
        busy = {self.worker_pid(), self.zygote_pid()}
        spares = []

        def found():
            spares[:] = [p for p in self._of("cgpu-worker") if p not in busy]
            return spares

        assert wait_until(found), "no spare worker"
        return spares[0]

    def workers(self):
        """The worker that has the session, and the spare; no cell runs to find them."""
        return set(self._of("cgpu-worker")) - {self.zygote_pid()}

    def kill(self, pid, number=signal.SIGKILL):
        """Kill and wait until Linux has taken the process away."""
        os.kill(pid, number)
        assert wait_until(lambda: not alive(pid)), f"process {pid} does not end"

    def close(self):
        if self.closed:
            return
        self.closed = True
        self.client.stop_channels()
        self.manager.shutdown_kernel()
