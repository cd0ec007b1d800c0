# SPDX-License-Identifier: Apache-2.0
"""How the machine lets processes share its GPU: in exclusive mode, by MPS, and with host memory that device code reaches.

The GPU is played (start_on_gpu in conftest.py), and so is NVML, of which the compute mode is asked (played-nvml.c)."""
import fcntl
import os
import pathlib
import subprocess
import time

import pytest

pytestmark = pytest.mark.cuda

BUFFER = "__global__ void add(int *p) { *p += 1; }\nint *d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4);"
ADDED = "add<<<1, 1>>>(d); int h; cudaMemcpy(&h, d, 4, cudaMemcpyDefault); h"


def row(session, name):
    """The lines of %doctor about it, "" for none."""
    lines = session.run("%doctor").ok().stdout.splitlines()
    found = [i for i, line in enumerate(lines) if line[5:].startswith(name + " ")]
    return "\n".join(lines[found[0]:found[0] + 2]) if found else ""


@pytest.fixture
def nvml(tmp_path, start_on_gpu):
    """nvml(compute mode) -> environment of a kernel on a machine with this NVML and an MPS daemon."""
    folder, pipes = tmp_path / "nvml", tmp_path / "pipes"
    folder.mkdir()
    pipes.mkdir()
    (pipes / "control").touch()
    source = pathlib.Path(__file__).with_name("played-nvml.c")
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", "-o", folder / "libnvidia-ml.so.1", source], check=True)

    def environment(mode):
        path = os.pathsep.join([str(folder), start_on_gpu.played["LD_LIBRARY_PATH"]])
        return {"LD_LIBRARY_PATH": path, "CGPU_PLAYED_COMPUTE_MODE": str(mode), "CUDA_MPS_PIPE_DIRECTORY": str(pipes)}
    return environment


def test_a_device_for_one_process_at_a_time(start_on_gpu, tmp_path):
    """No spare tries for a context that it cannot have, and that is no trouble of the device."""
    session = start_on_gpu(CGPU_PLAYED_GPU=f"exclusive={tmp_path / 'context'}")
    session.run(BUFFER).ok()
    assert session.run(ADDED).ok().text == "1"
    assert row(session, "device").startswith("ok")
    assert row(session, "exclusive mode").startswith("--   exclusive mode         one process at a time may use the GPU")
    session.run("*(volatile int *)8 = 1;")
    assert session.run(ADDED).ok().text == "2"
    assert row(session, "device").startswith("ok")
    session.close()


def test_cells_are_no_clients_of_mps(start_on_gpu, nvml, tmp_path):
    ended = tmp_path / "ended"
    session = start_on_gpu(CGPU_PLAYED_GPU=f"mps={ended}", **nvml(0))
    assert "MPS" not in session.run(BUFFER).ok().stderr
    ended.touch()
    assert session.run(ADDED).ok().text == "1"
    assert not row(session, "sharing by MPS")
    session.close()


def test_clients_of_mps_where_the_device_is_exclusive(start_on_gpu, nvml, tmp_path):
    """A fault of another client ends the cell. As long as the daemon is not well, the device is out of reach; nothing is lost."""
    ended = tmp_path / "ended"
    session = start_on_gpu(CGPU_PLAYED_GPU=f"mps={ended}", **nvml(3))
    told = "cells share the GPU with other programs by MPS: a fault of one of them ends the cell"
    assert told in session.run(BUFFER).ok().stderr
    assert session.run(ADDED).ok().stderr == ""
    assert row(session, "sharing by MPS").startswith("--   sharing by MPS")
    ended.touch()
    result = session.run(ADDED)
    assert result.ename == "CudaMpsClientTerminated"
    assert "another program that shares the device by MPS has failed, and took this one with it" in result.shown, result.shown
    assert "is for CUDA 0.0" not in result.shown
    ended.unlink()
    session.run("%gpu reset").ok()
    assert session.run(ADDED).ok().text == "2"
    session.close()


def test_host_memory_that_device_code_reaches(start_on_gpu):
    session = start_on_gpu(CGPU_PLAYED_GPU="hmm=1")
    session.run(BUFFER).ok()
    assert row(session, "host memory by HMM").startswith("ok")
    session.close()


def contexts(folder):
    """How many processes have one."""
    count = 0
    for path in folder.iterdir():
        with path.open("r+") as f:
            try:
                fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                count += 1
    return count


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_memory_of_a_waiting_context_is_for_the_cell_that_needs_it(start_on_gpu, tmp_path):
    """Two contexts of 1 GiB leave 2 GiB of 4."""
    session = start_on_gpu(CGPU_PLAYED_GPU=f"footprint=1024:{tmp_path}")
    session.run(BUFFER).ok()
    until(lambda: contexts(tmp_path) == 2)
    session.run("char *large; cudaMalloc(&large, 2500u << 20); cudaMemset(large, 7, 4);").ok()
    assert contexts(tmp_path) == 1
    # The next one waits for the session without a context, and takes one after the fault.
    session.run("*(volatile int *)8 = 1;")
    assert session.run("char c; cudaMemcpy(&c, large, 1, cudaMemcpyDefault); (int)c").ok().text == "7"
    assert session.run(ADDED).ok().text == "1"
    assert contexts(tmp_path) == 1
    assert "cannot be used" not in row(session, "device")
    result = session.run("char *more; cudaMalloc(&more, 1000u << 20);")
    assert result.ename == "CudaOutOfMemory" and "the device has " in result.evalue, result.shown
    # With the memory given back there is a context for the fault after the next.
    session.run("cudaFree(large);").ok()
    session.run("*(volatile int *)8 = 1;")
    until(lambda: contexts(tmp_path) == 2)
    session.close()
