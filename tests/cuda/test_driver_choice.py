# SPDX-License-Identifier: Apache-2.0
"""Which driver and which device cells use: the machine's own, the emulated one, one of several."""
import os
import shutil
import subprocess

import pytest

from session import wait_until

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


@pytest.mark.parametrize("file", [None, "no library\n"], ids=["none", "broken"])
def test_without_the_driver_that_was_asked_for_each_call_says_so(start_kernel, tmp_path, file):
    """CGPU_DEVICE=native on a machine without a driver that works: nothing is called that is not there."""
    if file:
        (tmp_path / "libcuda.so.1").write_text(file)
    session = start_kernel(CGPU_DEVICE="native", LD_LIBRARY_PATH=library_path(tmp_path))
    assert "cannot load the CUDA driver" in session.run("%gpu").ok().printed
    r = session.run("int n = 5; int *p; cudaGetDeviceCount(&n)").ok()
    assert r.text == "cudaErrorNoDevice (100)" and "The driver is for CUDA" not in r.stderr
    assert session.run("n").ok().text == "0"
    assert session.run("cudaMalloc(&p, 4)").ok().text == "cudaErrorNoDevice (100)"
    assert session.run("cuInit(0)").ok().text == "CUDA_ERROR_NO_DEVICE (100)"
    r = session.run(ENTRY + "one<<<1, 1>>>(p);")
    assert r.ename == "CudaNoDevice" and "cannot load the CUDA driver" in r.evalue
    session.run("%gpu reset").ok()
    assert "Between two cells" not in session.run("1").ok().stderr
    # Another driver is a word away.
    session.run("%gpu use emulated").ok()
    assert session.run("cudaMalloc(&p, 4)").ok().text == "cudaSuccess (0)"


def test_the_driver_of_the_machine_is_found_by_its_file(start_kernel, prefix):
    """A library of ours has its name, so it is looked for as the dynamic linker would."""
    session = start_kernel(CGPU_DEVICE="native", LD_LIBRARY_PATH=library_path(prefix / "libexec" / "cgpu" / "emulated-driver"))
    session.run("%limit gpu 64MiB").ok()
    r = session.run(ENTRY + "int *p, v; cudaMalloc(&p, 4); one<<<1, 1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDefault); v").ok()
    assert r.text == "1" and not r.stderr
    r = session.run("CUdeviceptr q; cuMemAlloc(&q, 1 << 27)").ok()
    assert r.text == "CUDA_ERROR_OUT_OF_MEMORY (2)" and "was refused: the limit" in r.stderr
    assert session.run('#include <stdlib.h>\ngetenv("CUDA_MODULE_LOADING")').ok().text == '"LAZY"'


@pytest.mark.root
def test_a_driver_that_is_found_is_opened_by_workers_only(start_kernel, prefix):
    session = start_kernel(CGPU_DEVICE="native", LD_LIBRARY_PATH=library_path(prefix / "libexec" / "cgpu" / "emulated-driver"))
    session.run("int *p; cudaMalloc(&p, 4);").ok()
    for pid in (session.pid, session.compiler_pid(), session.zygote_pid()):
        with open(f"/proc/{pid}/maps") as f:
            assert "libcgpu-emulator" not in f.read()


OLD = "int cuInit(unsigned flags) { return %d; }\nint cuDriverGetVersion(int *ret) { return *ret = 12020, 0; }\n"


@pytest.mark.parametrize("text, why", [
    ("int cuInit(unsigned flags) { return 0; }\n", "the driver is too old, CUDA 13 is needed"),
    (OLD % 0, "The driver is for CUDA 12.2; CUDA 13.0 is needed, which driver 580 and later have"),
    # No newer one would help.
    (OLD % 100, "no CUDA-capable device is detected (100). The driver is for CUDA 12.2; CUDA 13.0 is needed"),
], ids=["older", "old", "no device"])
def test_a_driver_that_is_passed_over_is_told(start_kernel, tmp_path, text, why):
    (tmp_path / "old.c").write_text(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", tmp_path / "libcuda.so.1", tmp_path / "old.c"], check=True)
    session = start_kernel(LD_LIBRARY_PATH=library_path(tmp_path))
    assert not session.run("int a = 1;").ok().stderr
    told = "NVIDIA's driver is not used on this machine: "
    r = session.run(ENTRY + "int *p; cudaMalloc(&p, 4); one<<<1, 1>>>(p);").ok()
    assert r.stderr.startswith(told) and why in r.stderr, r.stderr
    assert told not in session.run("__global__ void two(int *p) { *p = 2; }\ntwo<<<1, 1>>>(p);").ok().stderr
    shown = session.run("%doctor").ok().shown
    assert "GPU driver" in shown and "Install NVIDIA driver 580 or later" in shown


RUN = "({ int *p, v = 0; cudaMalloc(&p, 4); one<<<1, 1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDefault); cudaFree(p); v; })"


def test_gpu_use_changes_the_driver_both_ways(start_kernel, prefix, tmp_path):
    """The emulated driver under NVIDIA's name is what is there, as far as anybody can tell who opens it."""
    folder = tmp_path / "driver"
    folder.mkdir()
    shutil.copy(prefix / "libexec" / "cgpu" / "emulated-driver" / "libcuda.so.1", folder / "libcuda.so.1")
    session = start_kernel(LD_LIBRARY_PATH=library_path(folder))

    def is_native():
        with open(f"/proc/{session.worker_pid()}/maps") as f:
            return str(folder) in f.read()

    session.run("#include <stdlib.h>\n" + ENTRY + "int kept = 41; cudaStream_t s; cudaStreamCreate(&s);").ok()
    session.run("%gpu use native").ok()
    assert is_native() and session.run(RUN).ok().text == "1"
    r = session.run("%gpu use emulated\nkept + 1").ok()
    assert r.text == "42" and r.stdout.startswith("cells use another driver from here on: cgpu emulated device")
    assert not is_native()
    # Device code, and what streams are, come along.
    assert session.run(RUN).ok().text == "1"
    assert session.run("({ int *p, v = 0; cudaMalloc(&p, 4); one<<<1, 1, 0, s>>>(p); cudaStreamSynchronize(s);\n"
                       "cudaMemcpy(&v, p, 4, cudaMemcpyDefault); cudaFree(p); v; })").ok().text == "1"
    assert session.run("%gpu use emulated").ok().stdout == "cells use it already\n"
    # So it stays for the workers to come.
    session.run("*(volatile int *)0 = 1;")
    assert not is_native() and session.run(RUN).ok().text == "1"
    session.run("%gpu use native").ok()
    # What %undo could bring back was the other driver's.
    r = session.run("%undo")
    assert r.status == "error" and session.run("kept").ok().text == "41", r.shown
    assert is_native()
    assert session.run(RUN).ok().text == "1"

    # Memory of one driver is nothing to another one.
    session.run("int *held; cudaMalloc(&held, 1 << 20);").ok()
    r = session.run("%gpu use emulated")
    assert r.status == "error" and "`%reset gpu` frees the buffers" in r.evalue and "CGPU_DEVICE=emulated" in r.evalue
    assert is_native() and session.run("cudaMemset(held, 1, 1 << 20)").ok().text == "cudaSuccess (0)"
    session.run("%reset gpu").ok()
    session.run("%gpu use emulated").ok()
    assert not is_native() and session.run(RUN).ok().text == "1"


def test_a_driver_that_does_not_work_changes_nothing(start_kernel):
    session = start_kernel()
    session.run("#include <stdio.h>\n" + ENTRY + "int kept = 41; FILE *f = tmpfile();").ok()
    before = session.worker_pid()
    r = session.run("%gpu use native\nkept = 42;")
    assert r.status == "error" and "there is no libcuda.so.1. Nothing has changed" in r.evalue
    assert session.worker_pid() == before
    assert session.run('kept == 41 && fprintf(f, "still open") == 10').ok().text == "1"
    assert session.run(RUN).ok().text == "1"
    # The next worker has the driver that works.
    session.run("*(volatile int *)0 = 1;")
    assert session.run(RUN).ok().text == "1"


def test_interrupt_of_a_driver_that_hangs_changes_nothing(start_kernel, tmp_path):
    reached = tmp_path / "reached"
    (tmp_path / "stuck.c").write_text("#include <fcntl.h>\n#include <unistd.h>\n"
                                      "__attribute__((constructor)) static void hang(void)\n"
                                      f'{{ close(open("{reached}", O_CREAT | O_WRONLY, 0600)); for (;;) pause(); }}\n')
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "libcuda.so.1", tmp_path / "stuck.c"], check=True)
    session = start_kernel(CGPU_DEVICE="emulated", LD_LIBRARY_PATH=library_path(tmp_path))
    session.run(ENTRY + "int kept = 41;").ok()
    before = session.worker_pid()
    cell = session.start("%gpu use native")
    assert wait_until(reached.exists)
    session.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert session.worker_pid() == before and session.run("kept").ok().text == "41"
    session.run("*(volatile int *)0 = 1;")
    assert session.run(RUN).ok().text == "1"
