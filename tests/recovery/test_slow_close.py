# SPDX-License-Identifier: Apache-2.0
"""Device memory is let go by the kernel process, and a driver may take its time for that (slow-close.c): the notebook is served
meanwhile, and the next cell begins when the memory is free."""
import pathlib
import subprocess
import time

import pytest

pytestmark = pytest.mark.cuda


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
    """It is more than %undo keeps."""
    gate.touch()
    session.run("cudaFree(large);").ok()


def test_the_notebook_is_served_and_the_next_cell_waits(session, gate):
    let_go(session, gate)
    assert session.ask("kernel_info")["status"] == "ok"
    running = session.start("struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec * 1000000000 + t.tv_nsec")
    running.wait_busy()
    # Time enough for a cell that does not wait.
    for _ in range(200):
        session.client.control_channel.send(session.client.session.msg("kernel_info_request"))
        assert session.client.get_control_msg(timeout=60)["content"]["status"] == "ok"
    opened = time.time_ns()
    gate.unlink()
    assert int(running.wait().ok().text) > opened


def test_a_close_that_does_not_return_holds_up_no_cell(session, gate):
    let_go(session, gate)
    assert session.run("1 + 1").ok().text == "2"
