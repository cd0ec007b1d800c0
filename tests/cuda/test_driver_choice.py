# SPDX-License-Identifier: Apache-2.0
"""Which driver and which device cells use: the machine's own, the emulated one, one of several."""
import os
import subprocess

import pytest

ENTRY = "__global__ void one(int *p) { *p = 1; }\n"
WHERE = "({ int d; cudaGetDevice(&d); d; })"


@pytest.fixture(scope="module")
def four(start_kernel):
    session = start_kernel(CGPU_EMULATED_DEVICES="4", CGPU_EMULATED_MEMORY="64M")
    session.run("#include <stdio.h>\nint *p; cudaMalloc(&p, 1 << 20);").ok()
    return session


def test_gpu_use_chooses_the_device(four):
    r = four.run("%gpu use 2\nint first; cudaGetDevice(&first); first").ok()
    assert r.text == "2"
    assert r.stdout.startswith("cells use device 2 from here on: cgpu emulated device\n1 buffer (1 MB) stays on another device;")
    assert four.run(WHERE).ok().text == "2"
    # It is a part of its cell: taken back with it.
    assert four.run("// why\n%gpu use 1\n*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert four.run(WHERE).ok().text == "2"
    assert four.run("%gpu use 3\n" + WHERE).ok().text == "3"
    four.run("%undo").ok()
    assert four.run(WHERE).ok().text == "2"


def test_gpu_use_says_what_there_is(four):
    r = four.run("%gpu use 4")
    assert r.status == "error" and "there is no device 4; there are 4, and they count from 0" in r.evalue
    r = four.run("%gpu use first")
    assert r.status == "error" and 'not "first"' in r.evalue
    assert four.run("%gpu use emulated").ok().stdout == "cells use it already\n"
    r = four.run("%gpu use native")
    assert r.status == "error" and "CGPU_DEVICE=native" in r.evalue
    assert four.run(WHERE).ok().text == "2"


def library_path(folder):
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))


def test_the_driver_of_the_machine_is_found_by_its_file(start_kernel, prefix):
    """A library of ours has its name, so it is looked for as the dynamic linker would."""
    session = start_kernel(CGPU_DEVICE="native", LD_LIBRARY_PATH=library_path(prefix / "libexec" / "cgpu" / "emulated-driver"))
    session.run("%limit gpu 64MiB").ok()
    r = session.run(ENTRY + "int *p, v; cudaMalloc(&p, 4); one<<<1, 1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDefault); v").ok()
    assert r.text == "1" and not r.stderr
    r = session.run("CUdeviceptr q; cuMemAlloc(&q, 1 << 27)").ok()
    assert r.text == "CUDA_ERROR_OUT_OF_MEMORY (2)" and "was refused: the limit" in r.stderr
    for pid in (session.pid, session.compiler_pid(), session.zygote_pid()):
        with open(f"/proc/{pid}/maps") as f:
            assert "libcgpu-emulator" not in f.read()
    assert session.run('#include <stdlib.h>\ngetenv("CUDA_MODULE_LOADING")').ok().text == '"LAZY"'


def test_a_driver_that_is_passed_over_is_told(start_kernel, tmp_path):
    (tmp_path / "old.c").write_text("int cuInit(unsigned flags) { return 0; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", tmp_path / "libcuda.so.1", tmp_path / "old.c"], check=True)
    session = start_kernel(LD_LIBRARY_PATH=library_path(tmp_path))
    assert not session.run("int a = 1;").ok().stderr
    told = "the GPU of this machine is not used: "
    r = session.run(ENTRY + "int *p; cudaMalloc(&p, 4); one<<<1, 1>>>(p);").ok()
    assert r.stderr.startswith(told) and "the driver is too old, CUDA 13 is needed" in r.stderr
    assert told not in session.run("__global__ void two(int *p) { *p = 2; }\ntwo<<<1, 1>>>(p);").ok().stderr
    shown = session.run("%doctor").ok().shown
    assert "GPU driver" in shown and "Install NVIDIA driver 580 or later" in shown
