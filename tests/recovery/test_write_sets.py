# SPDX-License-Identifier: Apache-2.0
"""Which device buffers a cell's launches save: those that they write, and no rollback or undo misses one. On a GPU, which tells
nobody of a stray write: test_certify.py."""
import re

import pytest

pytestmark = [pytest.mark.cuda, pytest.mark.emulated]

KB = 1 << 10
MAKE = f"""#include <stdio.h>
#include <cooperative_groups.h>
int *large, *out, *other; int **table; char *base;
__device__ int counter; __device__ int read_only[{1 << 16}];
__global__ void sum(const int *in, int *out, int n)
{{ int s = 0; for (int i = 0; i < n; i++) s += in[i]; out[threadIdx.x] = s; }}
__global__ void through(int **table, int k) {{ table[k][threadIdx.x] = 9; }}
__global__ void at(int *p, long i, int v) {{ p[i + threadIdx.x] = v; }}
__global__ void count(int *out) {{ counter += 1 + read_only[5]; out[0] = counter; }}
__global__ void pick(int *a, int *b, int which) {{ int *p = which ? a : b; for (int i = 0; i < 4; i++) *p++ = 9; }}
struct pair {{ const int *in; int *out; }};
__global__ void by_struct(struct pair p) {{ p.out[threadIdx.x] = p.in[threadIdx.x] + 8; }}
__global__ void both(int *out) {{ cooperative_groups::this_grid().sync(); out[threadIdx.x] = 9; }}
cudaMalloc(&large, 64 << 20); cudaMemset(large, 0, 64 << 20);
cudaMalloc(&out, 1 << 20); cudaMemset(out, 0, 1 << 20);
cudaMalloc(&other, 2 << 20); cudaMemset(other, 0, 2 << 20);
cudaMalloc(&table, 2 * sizeof(int *));
int *rows[2] = {{ out, other }}; cudaMemcpy(table, rows, sizeof(rows), cudaMemcpyHostToDevice);
cudaStream_t stream; cudaStreamCreate(&stream); cudaGraph_t graph; cudaGraphExec_t exec;
int look(const int *p) {{ int v; cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); return v; }}
int counted(void) {{ int v; cudaMemcpyFromSymbol(&v, counter, 4); return v; }}
"""
LOOK = 'printf("%d %d %d %d", look(large), look(out), look(other), counted());'
FAIL = "\ncudaDeviceSynchronize(); *(volatile int *)0 = 1;"


@pytest.fixture(scope="module")
def session(start_kernel):
    kernel = start_kernel(CGPU_EMULATED_MEMORY="512M")
    kernel.run(MAKE).ok()
    return kernel


def saved_kb(session, cell):
    """What is copied for a rollback of the cell, which is then taken back by one."""
    shown = session.run("%%time\n" + cell).ok().stdout
    found = re.search(r"copies of device memory for a rollback \((\d+) kB\)", shown)
    session.run("%undo").ok()
    assert session.run(LOOK).ok().stdout == "0 0 0 0", cell
    return int(found.group(1)) if found else 0


@pytest.mark.parametrize("cell, kb", [
    ("sum<<<1, 4>>>(large, out, 100);", KB),
    ("sum<<<1, 4, 0, stream>>>(large, out + 7, 100); cudaStreamSynchronize(stream);", KB),
    # Once in a cell.
    ("for (int i = 0; i < 5; i++) sum<<<1, 4>>>(large, out, 100);", KB),
    ("pick<<<1, 1>>>(out, other, 1);", 3 * KB),
    ("struct pair p = { large, other }; by_struct<<<1, 4>>>(p);", 2 * KB),
    # A variable and a number of its own: pages of the device are not what is copied.
    ("count<<<1, 1>>>(out);", KB),
    ("cudaMemset(other, 1, 4);", 2 * KB),
    ("void *args[] = { &out }; cudaLaunchCooperativeKernel((void *)both, 1, 4, args, 0, 0);", KB),
    ("cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); sum<<<1, 4, 0, stream>>>(large, out, 9);\n"
     "cudaStreamEndCapture(stream, &graph); cudaGraphInstantiate(&exec, graph, 0); cudaGraphLaunch(exec, stream);\n"
     "cudaStreamSynchronize(stream);", KB),
])
def test_what_is_not_written_is_not_copied(session, cell, kb):
    assert kb <= saved_kb(session, cell) <= kb + 1, cell


def test_an_unknown_write_set_saves_all(session):
    # 64 + 1 + 2 MB, the table, 256 KB of read_only and the counter.
    assert saved_kb(session, "through<<<1, 4>>>(table, 1);") >= 67 * KB + 256


@pytest.mark.parametrize("cell, mb", [
    ("at<<<1, 4>>>(other, 0, 0);", 2), ("sum<<<1, 4>>>(large, out, 9);", 2),
    ("at<<<1, 4>>>(large, ((char *)other - (char *)large) / 4, 0);", 64),
])
def test_what_a_launch_is_known_to_write_is_copied_before_it(session, cell, mb):
    """Such a copy is on the device; one that is made while a launch waits is on the host."""
    shown = session.run("size_t f, g, t; cudaMemGetInfo(&f, &t);" + cell + "cudaDeviceSynchronize(); cudaMemGetInfo(&g, &t);\n"
                        'printf("%zu", (f - g) >> 20);').ok().stdout
    assert shown == str(mb)
    session.run("cudaMemset(out, 0, 1 << 20);").ok()


STRAY = "at<<<1, 4>>>(out, ((char *)other - (char *)out) / 4, 9);"


def test_a_write_through_another_buffers_pointer_is_saved_in_time(session):
    assert 3 * KB <= saved_kb(session, STRAY) <= 3 * KB + 1
    # Each of them once, whoever wrote first.
    assert 3 * KB <= saved_kb(session, STRAY + "cudaMemset(other, 1, 4);" + STRAY) <= 3 * KB + 1


@pytest.mark.parametrize("cell", [
    "sum<<<1, 4>>>(large, out, 100);", "through<<<1, 4>>>(table, 1);", "count<<<1, 1>>>(out);", STRAY,
    "pick<<<1, 1>>>(out, other, 0);", "struct pair p = { large, other }; by_struct<<<1, 4>>>(p);",
    # Both in flight, in any order.
    "sum<<<1, 4, 0, stream>>>(large, out, 100);" + STRAY, STRAY + "cudaMemset(other, 3, 2 << 20);",
    "at<<<1, 4>>>(large, ((char *)out - (char *)large) / 4, 9);" + STRAY,
])
def test_a_failed_cell_leaves_nothing(session, cell):
    assert session.run(cell + FAIL).ename == "SegmentationFault"
    assert session.run(LOOK).ok().stdout == "0 0 0 0", cell
    written = session.run(cell + "cudaDeviceSynchronize();" + LOOK).ok().stdout
    assert written != "0 0 0 0" or cell.startswith("sum"), cell
    session.run("%undo").ok()
    assert session.run(LOOK).ok().stdout == "0 0 0 0", cell


MANY = """#define N 300
int *many[N];
for (int i = 0; i < N; i++) { cudaMalloc(&many[i], 1000); cudaMemset(many[i], 0, 1000); }
int all(void) { int sum = 0; for (int i = 0; i < N; i++) sum += look(many[i]); return sum; }"""
STRAYS = "for (int i = 0; i < N; i++) at<<<1, 4>>>(out, many[i] - out, 1); cudaDeviceSynchronize();"


def test_many_small_copies_while_launches_run(start_kernel):
    """They share chunks: 300 of 2 MiB each would be more than is kept for %undo."""
    kernel = start_kernel(CGPU_EMULATED_MEMORY="512M")
    kernel.run(MAKE).ok()
    kernel.run(MANY).ok()
    assert kernel.run(STRAYS + 'printf("%d", all());').ok().stdout == "300"
    kernel.run("%undo").ok()
    assert kernel.run('printf("%d", all());').ok().stdout == "0"
    assert kernel.run(STRAYS + FAIL).ename == "SegmentationFault"
    assert kernel.run('printf("%d", all());').ok().stdout == "0"


def test_a_fault_of_the_device_leaves_nothing(session):
    cell = "at<<<1, 4>>>(out, 0, 7); " + STRAY + "at<<<1, 4>>>(out, 1l << 40, 7); cudaDeviceSynchronize();"
    assert session.run(cell).ename == "CudaIllegalAddress"
    assert session.run(LOOK).ok().stdout == "0 0 0 0"


def test_after_a_checkpoint_it_begins_anew(session):
    session.run("at<<<1, 4>>>(out, 0, 5); cgpu_checkpoint();\nat<<<1, 4>>>(out, 0, 6); " + STRAY + FAIL)
    assert session.run(LOOK).ok().stdout == "0 5 0 0"
    session.run("cudaMemset(out, 0, 1 << 20);").ok()


def test_without_a_rollback_what_was_written_is_named(session):
    session.run("%gpu rollback off").ok()
    shown = session.run("at<<<1, 4>>>(out, 0, 9); " + STRAY + FAIL).shown
    assert "`out`" in shown and "`other`" in shown and "`large`" not in shown, shown
    assert session.run(LOOK).ok().stdout == "0 9 9 0"
    session.run("%gpu rollback full").ok()
