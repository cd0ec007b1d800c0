# SPDX-License-Identifier: Apache-2.0
"""The compiler of device code is newer than the driver, as packages are that pip brings: A12.

The GPU is played (start_on_gpu in conftest.py), and takes PTX up to a version only."""
import os
import pathlib
import subprocess

import pytest

pytestmark = pytest.mark.cuda

ENTRY = "__global__ void k(int *p) { *p = 3; }"


def test_device_code_that_the_driver_does_not_know_says_what_to_install(start_on_gpu):
    session = start_on_gpu(CGPU_PLAYED_GPU="ptx=77")
    session.run("int kept = 5;").ok()
    result = session.run("kept = 6;\n" + ENTRY)
    assert result.errors == 1, result.shown
    assert "for CUDA 13.0, does not take the code of this cell: it is PTX 7.8" in result.evalue, result.shown
    assert "cells need one for CUDA 11.8" in result.evalue and "(222)" not in result.shown, result.shown
    assert session.run("kept").ok().text == "5"
    session.close()


def test_device_code_of_the_drivers_version_runs(start_on_gpu):
    session = start_on_gpu(CGPU_PLAYED_GPU="ptx=78")
    session.run(ENTRY + "\nint *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize();").ok()
    assert session.run("*p").ok().text == "3"
    session.close()


def test_a_newer_toolkit_on_the_machine_makes_no_newer_device_code(start_on_gpu, nvcc):
    """Clang finds it by the ptxas in PATH."""
    session = start_on_gpu(CGPU_PLAYED_GPU="ptx=78", PATH=f"{pathlib.Path(nvcc).parent}:{os.environ['PATH']}")
    session.run(ENTRY + "\nint *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize();").ok()
    session.close()


@pytest.mark.emulated
@pytest.mark.parametrize("driver, release", [("13000", "cuda-toolkit<13.1"), ("13040", "cuda-toolkit<13.5"), ("12040", ""),
                                             (None, "")])
def test_bootstrap_takes_wheels_that_the_driver_knows(root, prefix, tmp_path, driver, release):
    """The driver is the emulated one under the name of the machine's, or none."""
    (tmp_path / "libcuda.so.1").symlink_to(prefix / "libexec" / "cgpu" / "libcgpu-emulator.so")
    env = {**os.environ, "CGPU_EMULATED_FAIL": f"driver={driver}", "LD_LIBRARY_PATH": str(tmp_path)}
    if not driver:
        env = {**os.environ, "LD_LIBRARY_PATH": ""}
    env.pop("CUDA_WHEELS", None)
    function = "sed -n '/^cuda_release()/,/^}/p' bootstrap"
    said = subprocess.run(["bash", "-c", f'eval "$({function})"; cuda_release'], cwd=root, env=env, check=True,
                          capture_output=True, text=True)
    assert said.stdout.strip() == release and not said.stderr
