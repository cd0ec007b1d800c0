# SPDX-License-Identifier: Apache-2.0
"""The compiler process, or what it has started, hangs: the cell can be interrupted, or says what hangs, and the session
goes on."""
import os
import subprocess

import pytest

from session import alive, stop, wait_until

PROGRAM = "%%cuda\nint main() {}\n"


def assert_untouched(session):
    assert session.run("kept").ok().text == "7"


def test_the_compiler_hangs_over_a_cell(fresh_kernel):
    fresh_kernel.run("int kept = 7;").ok()
    stop(fresh_kernel.compiler_pid())
    cell = fresh_kernel.start("kept = 8;").wait_busy()
    fresh_kernel.interrupt()
    result = cell.wait()
    assert (result.ename, result.evalue) == ("Interrupted", "interrupted while it was compiled; nothing was run")
    assert_untouched(fresh_kernel)


@pytest.mark.cuda
def test_nvcc_hangs_and_does_not_end_when_it_is_told_to(start_kernel, tmp_path):
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!/bin/sh\ntrap '' TERM\nsleep 1000000 &\necho $! $$ > {tmp_path}/new\n"
                    f"mv {tmp_path}/new {tmp_path}/pids\nwhile :; do wait; done\n")
    nvcc.chmod(0o755)
    session = start_kernel(CGPU_NVCC=str(nvcc))
    session.run("int kept = 7;").ok()
    for _ in range(2):
        cell = session.start(PROGRAM)
        assert wait_until((tmp_path / "pids").exists)
        session.interrupt()
        result = cell.wait()
        assert (result.ename, result.evalue) == ("Interrupted", "interrupted while it was compiled; nothing was run")
        for pid in map(int, (tmp_path / "pids").read_text().split()):
            assert wait_until(lambda: not alive(pid))
        (tmp_path / "pids").unlink()
        assert_untouched(session)
    session.close()


@pytest.mark.cuda
def test_nvcc_is_ended_with_a_compiler_that_dies(start_kernel, tmp_path):
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!/bin/sh\ntrap '' TERM\necho $$ > {tmp_path}/new\nmv {tmp_path}/new {tmp_path}/pid\n"
                    "while :; do sleep 1000000; done\n")
    nvcc.chmod(0o755)
    session = start_kernel(CGPU_NVCC=str(nvcc))
    session.run("int kept = 7;").ok()
    cell = session.start(PROGRAM)
    for _ in range(2):
        assert wait_until((tmp_path / "pid").exists)
        nvcc_pid = int((tmp_path / "pid").read_text())
        (tmp_path / "pid").unlink()
        session.kill(session.compiler_pid())
        assert wait_until(lambda: not alive(nvcc_pid))
    assert "the compiler was killed by SIGKILL while it worked on this cell" in cell.wait().evalue
    assert_untouched(session)
    session.close()


@pytest.mark.parametrize("magic", ["", "%%cpp\n"], ids=["C", "C++"])
def test_an_include_that_is_a_fifo(fresh_kernel, tmp_path, magic):
    """Nobody ever writes into it."""
    os.mkfifo(tmp_path / "fifo.h")
    result = fresh_kernel.run(f'{magic}#include "{tmp_path}/fifo.h"\nint after = 1;')
    assert result.ename == "CompileError" and "fifo.h" in result.shown, result.shown
    assert fresh_kernel.run(f"{magic}int after = 2;\nafter").ok().text == "2"
