# SPDX-License-Identifier: Apache-2.0
"""Launches of code that is not the cell's, through the driver API as libraries make them: what their arguments point to is
copied before, and a failed cell changes nothing."""
import re

import pytest

pytestmark = pytest.mark.cuda

PTX = r""".version 7.0
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 p, .param .u32 v)
{ .reg .b64 %rd<2>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v]; st.global.u32 [%rd1], %r1; ret; }
.visible .entry packed(.param .align 8 .b8 s[24])
{ .reg .b64 %rd<2>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [s+8]; ld.param.u32 %r1, [s+16]; st.global.u32 [%rd1], %r1; ret; }
.visible .entry through(.param .u64 table)
{ .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [table]; ld.global.u64 %rd2, [%rd1+8]; st.global.u32 [%rd2], 9; ret; }
"""
MAKE = """#include <cuda.h>
#include <stdio.h>
int *large, *out, **table;
cudaMalloc(&large, 64 << 20); cudaMemset(large, 0, 64 << 20);
cudaMalloc(&out, 2 << 20); cudaMemset(out, 0, 2 << 20);
cudaMalloc(&table, 1 << 20);
int *rows[2] = { large, out }; cudaMemcpy(table, rows, sizeof(rows), cudaMemcpyHostToDevice);
int look(const int *p) { int v; cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); return v; }
CUfunction find(const char *name)
{
    CUmodule module;
    CUfunction f = NULL;
    if (!cuModuleLoadData(&module, PTX)) cuModuleGetFunction(&f, module, name);
    return f;
}
struct s { long unused; int *p; int v; };
""".replace("PTX", "\n".join('"%s\\n"' % line for line in PTX.splitlines()))
LOOK = 'printf("%d %d", look(large), look(out));'
LAUNCHES = {
    "parameters": """int v = 7; void *args[] = { &out, &v };
cuLaunchKernel(find("fill"), 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);""",
    "block": """struct { int *p; int v; } b = { out, 7 }; size_t n = 12;
void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &b, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, CU_LAUNCH_PARAM_END };
cuLaunchKernel(find("fill"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra);""",
    "struct": """struct s s = { 1, out, 7 }; void *args[] = { &s };
cuLaunchKernel(find("packed"), 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);""",
    "config": """int v = 7; void *args[] = { &out, &v };
CUlaunchConfig c = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1 };
cuLaunchKernelEx(&c, find("fill"), args, NULL);""",
    "cooperative": """int v = 7; void *args[] = { &out, &v };
cuLaunchCooperativeKernel(find("fill"), 1, 1, 1, 1, 1, 1, 0, NULL, args);""",
}
THROUGH = 'void *args[] = { &table }; cuLaunchKernel(find("through"), 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);'
FAIL = "\ncudaDeviceSynchronize(); *(volatile int *)0 = 1;"


@pytest.fixture(scope="module", params=["emulated", "gpu"])
def session(request, start_kernel, start_on_gpu):
    start = start_kernel if request.param == "emulated" else start_on_gpu
    session = start(CGPU_EMULATED_MEMORY="512M")
    session.run(MAKE).ok()
    yield session
    session.close()


def copied_kb(session, cell):
    found = re.search(r"for a rollback \((\d+) kB\)", session.run("%%time\n" + cell).ok().stdout)
    return int(found.group(1)) if found else 0


@pytest.mark.parametrize("how", LAUNCHES)
def test_what_an_argument_points_to_is_copied(session, how):
    assert session.run(LOOK).ok().stdout == "0 0"
    assert session.run(LAUNCHES[how] + FAIL).ename == "SegmentationFault"
    assert session.run(LOOK).ok().stdout == "0 0"
    assert 2048 <= copied_kb(session, LAUNCHES[how]) <= 2049
    assert session.run(LOOK).ok().stdout == "0 7"
    session.run("%undo").ok()
    session.run("%undo").ok()


def test_what_is_reached_through_memory_is_copied_by_rollback_whole(session):
    session.run("%gpu rollback whole").ok()
    session.run(THROUGH + FAIL)
    assert session.run(LOOK).ok().stdout == "0 0"
    session.run("%gpu rollback full").ok()


def test_what_is_reached_through_memory_is_named_on_a_gpu(start_on_gpu):
    session = start_on_gpu(CGPU_EMULATED_MEMORY="512M")
    session.run(MAKE).ok()
    assert "device buffer `out`" in session.run(THROUGH + FAIL).shown
    session.close()


@pytest.mark.emulated
def test_what_is_reached_through_memory_is_rolled_back_here(fresh_kernel):
    fresh_kernel.run(MAKE).ok()
    fresh_kernel.run(THROUGH + FAIL)
    assert fresh_kernel.run(LOOK).ok().stdout == "0 0"
