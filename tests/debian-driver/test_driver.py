# SPDX-License-Identifier: Apache-2.0
"""With NVIDIA's own library and no GPU: the experiments, the bundle's product and cgpu's sessions say in words what the library
answers, error 100, and nothing hangs, dies or claims more."""
import glob
import os
import subprocess
import sys

import check_gpu
import pytest

NO_DEVICE = "libcuda.so.1 cannot be initialised: no CUDA-capable device is detected (100)"
PASSED_OVER = "NVIDIA's driver is not used on this machine: "
ENTRY = "__global__ void one(int *p) { *p = 1; }\n"
RUN = "({ int *p, v = 0; cudaMalloc(&p, 4); one<<<1, 1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDefault); cudaFree(p); v; })"
SANDBOX = ("seccomp", "landlock", "namespace", "capabilities")


def library_path(driver):
    return os.pathsep.join(filter(None, [str(driver), os.environ.get("LD_LIBRARY_PATH")]))


@pytest.fixture(scope="module", autouse=True)
def device_files():
    """None is made: not by a worker, which may not. The library would make /dev/nvidiactl for any process of root."""
    before = glob.glob("/dev/nvidia*")
    yield
    assert glob.glob("/dev/nvidia*") == before


@pytest.fixture(scope="module")
def before():
    """What stands before a command that runs without a worker's sandbox: root may make no device file then."""
    return ["setpriv", "--bounding-set=-mknod", "--inh-caps=-mknod"] if os.geteuid() == 0 else []


@pytest.fixture(scope="module")
def bundle(root, tmp_path_factory):
    return check_gpu.whole_bundle(root, tmp_path_factory.mktemp("bundle"))


def test_the_experiments_end_with_the_first(bundle, driver, before, tmp_path):
    ran, lines = check_gpu.run(bundle, tmp_path, driver / "libcuda.so.1", before=before)
    text = "error 100 in cu.cuInit(0): the driver finds no GPU"
    assert ran.returncode == check_gpu.NO_GPU and not ran.stderr, ran.stdout + ran.stderr
    assert lines == [{"experiment": "card", "verdict": "NO", "name": "card", "text": text}]
    table = (tmp_path / "table.md").read_text().splitlines()
    assert table[2] == f"| NO | card | {text} |" and "see what nvidia-smi says here" in table[-1] and len(table) == 5, table


def test_each_experiment_says_that_there_is_no_device(root, bundle, driver, before, tmp_path):
    names = check_gpu.names(root)[1:]
    ran, lines = check_gpu.run(bundle, tmp_path, driver / "libcuda.so.1", *names, before=before)
    assert not ran.stderr, ran.stderr
    check_gpu.assert_no_device(ran, lines, names, tmp_path)


def test_the_product_says_so_and_runs_nothing(bundle, driver, tmp_path):
    ran = subprocess.run([sys.executable, bundle / "product", tmp_path / "results"], text=True, capture_output=True,
                         env={**os.environ, "CGPU_DEVICE": "native", "LD_LIBRARY_PATH": library_path(driver)})
    assert ran.returncode == check_gpu.NO_GPU and NO_DEVICE in ran.stdout, ran.stdout + ran.stderr
    assert ran.stdout.endswith("The device cannot be used, so nothing was run.\n"), ran.stdout


def maps(session):
    with open(f"/proc/{session.worker_pid()}/maps") as f:
        return f.read()


def assert_sandbox(doctor):
    rows = {line[5:27].strip(): line for line in doctor.splitlines()}
    assert all(rows[name].startswith("ok ") for name in SANDBOX), doctor


def test_a_session_passes_it_over_and_says_why(start_kernel, driver):
    session = start_kernel(CGPU_DEVICE=None, LD_LIBRARY_PATH=library_path(driver))
    worker = session.worker_pid()
    assert str(driver) in maps(session)
    doctor = session.run("%doctor").ok().stdout
    assert "cgpu emulated device (emulated on the CPU)" in doctor and NO_DEVICE in doctor, doctor
    assert "driver 580 or later if there is a GPU" in doctor, doctor
    assert_sandbox(doctor)
    r = session.run(ENTRY + "int kept = 41, *held; cudaMalloc(&held, 4); one<<<1, 1>>>(held);").ok()
    assert r.stderr.startswith(PASSED_OVER) and NO_DEVICE in r.stderr, r.stderr
    assert PASSED_OVER not in session.run("__global__ void two(int *p) { *p = 2; }\n" + RUN).ok().stderr
    # Nothing that the library did in the sandbox has ended the worker; the next one does the same.
    assert session.worker_pid() == worker
    assert session.run("kept = 42; *(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.worker_pid() != worker
    r = session.run("({ int v; cudaMemcpy(&v, held, 4, cudaMemcpyDefault); v + kept; })").ok()
    assert r.text == "42" and not r.stderr, r.shown
    assert session.run(RUN).ok().text == "1"


def test_what_asks_for_it_is_refused_and_the_session_lives_on(start_kernel, driver):
    session = start_kernel(CGPU_DEVICE="native", LD_LIBRARY_PATH=library_path(driver))
    session.run("int kept = 41;").ok()
    worker = session.worker_pid()
    assert str(driver) in maps(session)
    doctor = session.run("%doctor").ok().stdout
    assert NO_DEVICE in doctor and "emulated on the CPU" not in doctor, doctor
    assert_sandbox(doctor)
    r = session.run(ENTRY + "kept = 42; int *p; cudaMalloc(&p, 4); one<<<1, 1>>>(p);")
    assert r.ename == "CudaNoDevice" and NO_DEVICE in r.evalue, r.shown
    assert session.run("int n = 5; cudaGetDeviceCount(&n)").ok().text == "cudaErrorNoDevice (100)"
    assert session.run("cuInit(0)").ok().text == "CUDA_ERROR_NO_DEVICE (100)"
    assert session.run("%gpu").ok().printed.count("(100)") == 1
    session.run("%gpu reset").ok()
    assert session.run("kept").ok().text == "41"
    assert session.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert session.run("kept").ok().text == "41" and session.worker_pid() != worker
    session.run("%gpu use emulated").ok()
    assert session.run(ENTRY + RUN).ok().text == "1"


def test_use_of_it_changes_nothing(start_kernel, driver):
    session = start_kernel(CGPU_DEVICE="emulated", LD_LIBRARY_PATH=library_path(driver))
    session.run(ENTRY + "int kept = 41;").ok()
    worker = session.worker_pid()
    assert str(driver) not in maps(session)
    r = session.run("%gpu use native\nkept = 42;")
    assert r.status == "error" and NO_DEVICE in r.evalue and "Nothing has changed" in r.evalue, r.shown
    assert session.worker_pid() == worker and session.run("kept").ok().text == "41"
    assert session.run(RUN).ok().text == "1"
