# SPDX-License-Identifier: Apache-2.0
"""A program as %%cuda cells of the installed kernel: one cell, or a group when it has several files."""
import queue
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from session import Session

STEP = 0.5          # seconds between two looks at the processor time
WALL = 8            # a program that waits may take so many times the limit
COMPILE = 600       # seconds for nvcc
GROUP = "program"
LEGACY = Path(__file__).resolve().parents[2] / "compiler" / "prelude" / "cgpu-legacy.h"  # nvcc reads it before each cell
COMPILERS = {"nvcc", "cudafe++", "cicc", "cc1plus", "ptxas"}


@dataclass
class Outcome:
    stdout: str = ""
    stderr: str = ""
    status: int = 0
    problem: str = ""       # why it did not come to an end
    report: str = ""        # of a fault
    compiled: bool = True
    late: bool = False
    seconds: float = 0      # processor time of the worker


class TooLate(Exception):
    pass


class NotCompiled(Exception):
    """A file of the program was refused before its main() could be run; args[0] is the Result."""


def _quoted(words):
    return '"' + " ".join(words).replace('"', "'") + '"'


def quoted(word):
    return f"'{word}'" if re.search(r"\s", word) or not word else word


def magic_line(program):
    """What stands behind %%cuda."""
    folders = dict.fromkeys(p.parent for p in program.sources if p.parent != program.folder)
    flags = [f"-I{f}" for f in folders] + [quoted(f) for f in program.flags]
    flags += [f for f in program.libraries if f != "-lstdc++" and not f.startswith("-lcu")]
    line = " ".join(flags)
    if program.arguments:
        line += " --run-args " + _quoted([quoted(a) for a in program.arguments])
    return line


def names(program):
    """{path: name in the group}; a name must not meet another's object."""
    found = {}
    for path in program.sources:
        stem = path.stem
        while stem in (n.rsplit(".", 1)[0] for n in found.values()):
            stem += "_"
        found[path] = stem + path.suffix
    return found


class Runner:
    """A kernel that programs are sent to; it is started anew when one has been too late."""

    def __init__(self, prefix, **env):
        self.prefix, self.env = Path(prefix), env
        self.session = self.home = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        if self.session:
            self.session.close()
            self.session = None
            self.home.cleanup()

    def _start(self):
        if not self.session:
            self.home = tempfile.TemporaryDirectory(prefix="programs-", ignore_cleanup_errors=True)
            self.session = Session(self.prefix, Path(self.home.name), "tcp", {"HOME": self.home.name, **self.env})

    def _look(self):
        """Seconds of processor time that workers have used, those that have ended, too; and the names of all processes."""
        kernel = psutil.Process(self.session.pid)
        names = set()
        while True:
            ended = kernel.cpu_times()[2:4]
            used = sum(ended)
            for p in kernel.children(recursive=True):
                try:
                    names.add(p.name())
                    has_ended = p.status() == psutil.STATUS_ZOMBIE
                    # Tools of the compiler are children of that.
                    if p.ppid() == kernel.pid if has_ended else p.cmdline()[:1] == ["cgpu-worker"]:
                        used += sum(p.cpu_times()[:2])
                except psutil.Error:
                    continue
            if kernel.cpu_times()[2:4] == ended:  # else one has been counted twice, or not at all
                return used, names

    def _wait(self, pending, limit):
        began, wall_end = self._look()[0], time.monotonic() + COMPILE + WALL * limit
        busy_since = None
        while True:
            try:
                result = pending.wait(STEP)
            except queue.Empty:
                result = None
            used, running = self._look()
            if result:
                return result, used - began
            busy_since = None if running & COMPILERS else busy_since or time.monotonic()
            waits = busy_since and time.monotonic() - busy_since > WALL * limit
            if used - began > limit or waits or time.monotonic() > wall_end:
                raise TooLate

    def _processes(self):
        return [p for p in self.session.children() if p.is_running()]

    def _send(self, program):
        s = self.session
        s.run("%reset").ok()
        s.run("%cuda_group_delete --group " + GROUP)
        s.run(f"%cd {program.folder}").ok()
        headers = program.changed_headers()
        if len(program.sources) == 1 and not headers:
            return s.start(f"%%cuda {magic_line(program)}\n" + program.source(program.sources[0]))
        for path, name in [*names(program).items(), *((p, p.name) for p in headers)]:
            s.run(f"%%cuda_group_save --name {name} --group {GROUP}\n" + program.source(path)).ok()
        return s.start(f"%cuda_group_run --group {GROUP} {magic_line(program)}")

    def run(self, program, limit):
        """The Outcome; limit: seconds of processor time."""
        self._start()
        try:
            sent = self._send(program)
            result, used = self._wait(sent, limit)
        except NotCompiled as e:
            return self._outcome(e.args[0], 0)
        except TooLate:
            partial = sent.result
            self._drop()
            return Outcome(partial.stdout, partial.stderr, late=True, problem="too late", seconds=limit)
        except Exception as e:  # whatever the kernel did, the next program gets one that works
            self._drop()
            return Outcome(problem=f"the session does not answer: {e!r}"[:200])
        outcome = self._outcome(result, used)
        if "separate compilation mode" in outcome.report and "-rdc=true" not in program.flags:
            program.flags.append("-rdc=true")
            return self.run(program, limit)
        return outcome

    def _drop(self):
        """The kernel is not asked: it may be what hangs."""
        left = self._processes()
        for p in left + [psutil.Process(self.session.pid)]:
            try:
                p.kill()
            except psutil.Error:
                continue
        self.close()

    @staticmethod
    def _outcome(result, used):
        outcome = Outcome(result.stdout, result.stderr, seconds=used)
        status = re.findall(r"^exit status (\d+)$", result.stderr, re.MULTILINE)
        if status:
            outcome.status = int(status[-1])
        if result.status != "ok":
            first = result.evalue.splitlines()[0] if result.evalue else ""
            outcome.problem = f"{result.ename}: {first}"[:200]
            outcome.report = result.traceback
            outcome.compiled = result.ename != "CompileError"
        return outcome


def make_images(program, nvcc):
    """Files of device code beside the program, as its own build would make them."""
    for path, kind, source in program.images:
        folders = [f for f in program.flags if f.startswith("-I")]
        subprocess.run([nvcc, kind, "-gencode", "arch=compute_75,code=compute_75", "-w", *folders, "-o", str(path), str(source)],
                       stdin=subprocess.DEVNULL, capture_output=True, check=False)


def refused_by_nvcc(program, nvcc):
    """The first error of nvcc itself for these sources, "" for none; it reads first what it reads first for a cell."""
    with tempfile.TemporaryDirectory() as folder:
        for path in program.sources:
            flags = [f"-I{p}" for p in dict.fromkeys(p.parent for p in program.sources)] + program.flags
            made = subprocess.run([nvcc, "-ptx" if path.suffix == ".cu" else "-c", "-arch=compute_75", "-rdc=true", "-I.",
                                   "-include", str(LEGACY), *flags, "-o", f"{folder}/out", str(path)],
                                  cwd=program.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            if made.returncode:
                text = (made.stderr + made.stdout).decode(errors="replace")
                lines = [line for line in text.splitlines() if "error" in line or "nvcc fatal" in line] or text.splitlines()
                return lines[0].replace(str(program.folder) + "/", "")[:160] if lines else f"status {made.returncode}"
    return ""

