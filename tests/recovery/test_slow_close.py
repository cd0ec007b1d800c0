# SPDX-License-Identifier: Apache-2.0
"""Device memory is let go by the kernel process, and a driver may take its time for that (slow-close.c): the kernel answers
meanwhile, and the cell ends when what it has freed can be had."""
import pathlib
import queue
import subprocess
import time

import pytest

pytestmark = [pytest.mark.cuda, pytest.mark.emulated]


@pytest.fixture
def gate(tmp_path):
    return tmp_path / "gate"


@pytest.fixture
def session(start_kernel, tmp_path, gate):
    library = tmp_path / "slow-close.so"
    source = pathlib.Path(__file__).with_name("slow-close.c")
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source], check=True)
    session = start_kernel(LD_PRELOAD=str(library), CGPU_SLOW_CLOSE=str(gate), CGPU_UNDO="1M")
    session.run("#include <time.h>\nchar *large; cudaMalloc(&large, 300u << 20); cudaMemset(large, 1, 300u << 20);").ok()
    yield session
    gate.unlink(missing_ok=True)
    session.close()


def let_go(session, gate):
    """More than %undo keeps, so that it is closed with the commit. Returns the cell when that has begun."""
    gate.touch()
    running = session.start("cudaFree(large);")
    deadline = time.monotonic() + 60
    while not gate.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return running


def test_the_kernel_answers_and_the_cell_has_not_ended(session, gate):
    running = let_go(session, gate)
    for _ in range(20):
        session.client.control_channel.send(session.client.session.msg("kernel_info_request"))
        assert session.client.get_control_msg(timeout=60)["content"]["status"] == "ok"
    with pytest.raises(queue.Empty):
        session.client.get_shell_msg(timeout=0)
    gate.unlink()
    running.wait().ok()


def test_a_close_that_does_not_return_holds_up_no_cell(session, gate):
    let_go(session, gate).wait().ok()
    assert session.run("1 + 1").ok().text == "2"
