# SPDX-License-Identifier: Apache-2.0
"""A fault on a GPU is told with thread and line, from the core dump that its driver writes.

The GPU is played (start_on_gpu in conftest.py): the emulated driver is asked for a dump as any driver is, and the
session knows nothing else of the fault."""
import pytest

from device_report import report_of

pytestmark = pytest.mark.cuda

SPREAD = """__device__ __noinline__ void put(int *p, int i)
{
    p[i] = 7;
}
__global__ void spread(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 70)
        put(p, i);
}
__global__ void claim(int *p)
{
    assert(p[threadIdx.x] == 3);
}
int *none = NULL, *kept;
cudaMalloc(&kept, 256);
cudaMemset(kept, 1, 256);"""
FAULT = "cudaMemset(kept, 2, 256);\nspread<<<2, 64>>>(none);\ncudaDeviceSynchronize();"
NUMBER_ONLY = "Which thread and line it was this device does not say."
ADDRESS = "Which address and buffer it was this device does not say. Run the cell again with `%%memcheck`"


@pytest.fixture
def dumps(tmp_path):
    """The folder in which workers make theirs."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def start(start_on_gpu, dumps, **env):
    session = start_on_gpu(TMPDIR=str(dumps), **{"CGPU_DEVICE_DUMP": "on", **env})
    session.run(SPREAD).ok()
    return session


def test_thread_and_line_are_told(start_on_gpu, dumps):
    session = start(start_on_gpu, dumps)
    result = session.run(FAULT)
    assert result.ename == "CudaIllegalAddress", result.shown
    assert ", in the CUDA kernel spread, line 3 of In[1]\n" in result.traceback, result.traceback
    assert """
========= Warp Illegal Address
=========     at put+0x50 in In[1]:3
=========         3 | p[i] = 7;
=========         called from spread in In[1]:9
=========             9 | put(p, i);
=========     by thread (7,0,0) in block (1,0,0)
""" in result.traceback, result.traceback
    assert ADDRESS in result.traceback and NUMBER_ONLY not in result.traceback, result.traceback
    assert not list(dumps.glob("cgpu-dump-*/*"))
    session.run("int seen; cudaMemcpy(&seen, kept, 4, cudaMemcpyDefault); seen").ok().text == "16843009"
    # The next worker has its own.
    assert "by thread (7,0,0) in block (1,0,0)" in session.run(FAULT).traceback


@pytest.mark.parametrize("wait", ["cudaDeviceSynchronize();", "", "int seen; cudaMemcpy(&seen, kept, 4, cudaMemcpyDefault);"])
def test_a_driver_that_tells_the_fault_late(start_on_gpu, dumps, wait):
    """The cell's own wait has no error; the cell does, and nothing of it is kept."""
    session = start(start_on_gpu, dumps, CGPU_PLAYED_GPU="late=200")
    result = session.run("cudaMemset(kept, 2, 256);\nspread<<<2, 64>>>(none);\n" + wait)
    assert result.ename == "CudaIllegalAddress", result.shown
    assert "by thread (7,0,0) in block (1,0,0)" in result.traceback, result.traceback
    session.run("int after; cudaMemcpy(&after, kept, 4, cudaMemcpyDefault); after").ok()
    assert session.run("after").ok().text == "16843009"


def test_threads_of_a_warp_that_fail_together(start_on_gpu, dumps):
    result = start(start_on_gpu, dumps).run("claim<<<3, 64>>>(kept); cudaDeviceSynchronize();")
    assert result.ename == "CudaAssert", result.shown
    assert "line 13 of In[1]" in result.traceback and "========= Warp Assert\n" in result.traceback, result.traceback
    assert "=========     by one or more of 32 threads, (0,0,0) to (31,0,0) in block (" in result.traceback
    assert ADDRESS not in result.traceback


def test_a_cell_that_dies_after_the_fault_is_told_of_it(start_on_gpu, dumps):
    result = start(start_on_gpu, dumps).run(FAULT + " *none = 1;")
    assert result.ename == "SegmentationFault", result.shown
    assert "Before that the device had failed" in result.traceback, result.traceback
    assert "by thread (7,0,0) in block (1,0,0)" in result.traceback, result.traceback


@pytest.mark.parametrize("env", [{"CGPU_DEVICE_DUMP": None}, {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION": "0"},
                                 {"CGPU_EMULATED_FAIL": "cuCoredumpSetAttributeGlobal=801"}])
def test_without_a_dump_it_is_a_number(start_on_gpu, dumps, env):
    result = start(start_on_gpu, dumps, **env).run(FAULT)
    assert result.ename == "CudaIllegalAddress", result.shown
    assert NUMBER_ONLY in result.traceback and "spread," not in result.traceback, result.traceback


def test_a_dump_that_is_none_is_a_number(start_on_gpu, dumps):
    """Who waits for the rest of a dump does so for a bounded time."""
    session = start(start_on_gpu, dumps)
    result = session.run("""#include <glob.h>
#include <unistd.h>
glob_t found;
glob("%s/cgpu-dump-*", 0, NULL, &found);
for (size_t i = 0; i < found.gl_pathc; i++) {
    char path[512];
    snprintf(path, sizeof(path), "%%s/dump", found.gl_pathv[i]);
    symlink("/dev/full", path);
}
%s""" % (dumps, FAULT))
    assert result.ename == "CudaIllegalAddress", result.shown
    assert NUMBER_ONLY in result.traceback, result.traceback


def test_nothing_is_left(start_on_gpu, dumps):
    session = start(start_on_gpu, dumps)
    assert list(dumps.glob("cgpu-dump-*"))
    session.run(FAULT)
    session.close()
    assert not list(dumps.glob("cgpu-dump-*"))


@pytest.mark.emulated
def test_an_emulated_device_makes_no_dumps(start_kernel, dumps):
    session = start_kernel(TMPDIR=str(dumps), CGPU_DEVICE_DUMP="on")
    session.run(SPREAD).ok()
    assert report_of(session.run(FAULT)).startswith("========= Invalid write of size 4 bytes\n")
    assert not list(dumps.glob("cgpu-dump-*"))
