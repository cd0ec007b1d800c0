# SPDX-License-Identifier: Apache-2.0
"""%gpu rollback: where the old content of device buffers goes, and what it costs."""
import re
import pytest

pytestmark = pytest.mark.cuda

MAKE = """#include <stdio.h>
char *one, *two; char c;
__global__ void set(char *p, int n, char v) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v; }
cudaMalloc(&one, 24 << 20); cudaMemset(one, 1, 24 << 20); cudaMalloc(&two, 1000); cudaMemset(two, 2, 1000);"""
READ = 'cudaMemcpy(&c, one + (20 << 20), 1, cudaMemcpyDeviceToHost); printf("%d ", c); ' \
       'cudaMemcpy(&c, two, 1, cudaMemcpyDeviceToHost); printf("%d", c);'
SPOIL = "cudaMemset(one, 9, 24 << 20); cudaMemset(two, 9, 1000); *(volatile int *)0 = 1;"


def taken_by_a_copy(session):
    return session.run("size_t f, g, t; cudaMemGetInfo(&f, &t); cudaMemset(one, 1, 24 << 20); cudaMemGetInfo(&g, &t);\n"
                       'printf("%zu", (f - g) >> 20);').ok().stdout


@pytest.mark.emulated
def test_each_mode(start_kernel):
    session = start_kernel(CGPU_EMULATED_MEMORY="128M")
    session.run(MAKE).ok()
    assert session.run("%gpu rollback").ok().stdout == "rollback of device memory: full\n"
    assert session.run(SPOIL).ename == "SegmentationFault"
    assert session.run(READ).ok().stdout == "1 2"
    assert taken_by_a_copy(session) == "24"
    # The copy on the host takes nothing of the device.
    assert "host" in session.run("%gpu rollback host").ok().stdout
    result = session.run(SPOIL)
    assert result.ename == "SegmentationFault" and "Not rolled back" not in result.shown, result.shown
    assert session.run(READ).ok().stdout == "1 2"
    assert taken_by_a_copy(session) == "0"
    session.run("set<<<1, 32>>>(two, 1000, 3);").ok()
    session.run("%undo").ok()
    assert session.run(READ).ok().stdout == "1 2"
    # No copy: what has happened to them is said, and they are as the cell left them; the host is as ever.
    session.run("%gpu rollback off").ok()
    result = session.run('c = 77; cudaMemset(one, 9, 24 << 20); cudaDeviceSynchronize(); *(volatile int *)0 = 1;')
    assert "Not rolled back, because of `%gpu rollback off`" in result.shown, result.shown
    assert re.search(r"`one`, 24(\.0)? MB at 0x\w+, made in cell 1", result.shown) and "`two`" not in result.shown, result.shown
    assert session.run('printf("%d ", c);').ok().stdout == "2 "
    assert session.run(READ).ok().stdout == "9 2"
    # A checked cell keeps nothing in any mode.
    session.run("%%memcheck\ncudaMemset(one, 8, 24 << 20); set<<<1, 32>>>(two, 1000, 8); cudaDeviceSynchronize();").ok()
    assert session.run(READ).ok().stdout == "9 2"
    session.run("cudaMemset(two, 5, 1000);").ok()
    assert session.run("%undo").status == "error"
    assert session.run("%gpu rollback some").ename == "UsageError"
    session.run("%gpu rollback full").ok()
    session.run(SPOIL)
    assert session.run(READ).ok().stdout == "9 5"


def test_time_says_what_the_copies_cost(fresh_kernel):
    fresh_kernel.run(MAKE).ok()
    assert "rollback" not in fresh_kernel.run("%%time\n" + READ).ok().stdout
    shown = fresh_kernel.run("%%time\ncudaMemset(one, 3, 24 << 20);").ok().stdout
    assert re.search(r"of the run, \d+\.\d+ ms went into copies of device memory for a rollback \(24576 kB\)", shown), shown


@pytest.mark.emulated
def test_a_copy_that_fits_nowhere_is_refused_before_it_is_begun(start_kernel):
    """Memory of the host that a driver registers is taken at once: a copy of most of a large GPU took the host's."""
    session = start_kernel(CGPU_EMULATED_MEMORY="256M")
    session.run("char *most; cudaMalloc(&most, 200 << 20); cudaMemset(most, 1, 200 << 20);").ok()
    session.run("%limit ram 150M").ok()
    result = session.run("cudaMemset(most, 2, 200 << 20);")
    assert result.ename == "CudaOutOfMemory", result.shown
    assert "%limit ram SIZE" in result.traceback and "%gpu rollback off" in result.traceback, result.traceback
    session.run("%gpu rollback off").ok()
    session.run("char c; cudaMemset(most, 2, 200 << 20); cudaMemcpy(&c, most + 99, 1, cudaMemcpyDeviceToHost);").ok()
    assert session.run("(int)c").ok().text == "2"
