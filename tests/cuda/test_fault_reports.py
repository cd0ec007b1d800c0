# SPDX-License-Identifier: Apache-2.0
"""The whole text of faults of device code, each beside a clean twin that must stay silent."""
import re

import pytest

from device_report import report_of

HEAD = """
int *d_in, *d_out, h[1024];
cudaMalloc(&d_in, 4000);
cudaMalloc(&d_out, 4096);
cudaMemset(d_in, 0, 4000);
"""

SYNC = "\ncudaDeviceSynchronize();"


# name: (error, the cell, what makes its twin of it, the report)
FAULTS = {
    "behind a buffer": ("CudaIllegalAddress", """
__global__ void twice(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}
twice<<<4, 256>>>(d_in, d_out);""", ("4, 256", "4, 250"), """\
========= Invalid __global__ read of size 4 bytes
=========     at twice(const int *, int *)+0x# in In[#]:5
=========         5 | out[i] = 2 * in[i];
=========     by thread (232,0,0) in block (3,0,0)
=========     Address 0x# is out of bounds
=========     and is 1 bytes after the nearest allocation `d_in` at 0x# of size 4,000 bytes (cell #)
=========     The address is %rd# + 4 * %r#
=========         %rd# = 0x#: parameter 1
=========         %r# = 1000: blockIdx.x * blockDim.x + threadIdx.x = 3 * 256 + 232
"""),
    "in an inlined function": ("CudaIllegalAddress", """
__device__ int at(const int *q, int i)
{
    return q[i];
}
__global__ void shift(const int *in, int *out)
{
    out[threadIdx.x] = at(in, threadIdx.x - 1);
}
shift<<<1, 32>>>(d_in, d_out);""", ("threadIdx.x - 1", "threadIdx.x + 1"), """\
========= Invalid __global__ read of size 4 bytes
=========     at at(const int *, int)+0x# in In[#]:4
=========         4 | return q[i];
=========         called from shift(const int *, int *) in In[#]:8
=========             8 | out[threadIdx.x] = at(in, threadIdx.x - 1);
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x# is out of bounds
=========     and is 4 bytes before the nearest allocation `d_in` at 0x# of size 4,000 bytes (cell #)
=========     The address is %rd# + 4 * %r# - 4
=========         %rd# = 0x#: parameter 1
=========         %r# = 0: threadIdx.x
"""),
    "by an index from memory": ("CudaIllegalAddress", """
__global__ void scatter(const int *in, int *out)
{
    int j = in[threadIdx.x];
    out[j * 3 + 1] = 5;
}
h[7] = 99999;
cudaMemcpy(d_in, h, 128, cudaMemcpyHostToDevice);
scatter<<<1, 32>>>(d_in, d_out);""", ("99999", "9"), """\
========= Invalid __global__ write of size 4 bytes
=========     at scatter(const int *, int *)+0x# in In[#]:5
=========         5 | out[j * 3 + 1] = 5;
=========     by thread (7,0,0) in block (0,0,0)
=========     Address 0x# is out of bounds
=========     and is 1,195,897 bytes after the nearest allocation `d_out` at 0x# of size 4,096 bytes (cell #)
=========     The address is %rd# + 4 * %r# + 4
=========         %rd# = 0x#: parameter 2
=========         %r# = 299997: %r# * 3 = 99999 * 3
=========         %r# = 99999: loaded in In[#]:4
"""),
    "between two shared arrays": ("CudaIllegalAddress", """
__global__ void fill(int *out, int n)
{
    __shared__ int a[64], b[64];
    b[threadIdx.x] = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        a[i * 2 + threadIdx.x] = i;
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
fill<<<1, 1>>>(d_out, 40);""", ("40)", "32)"), """\
========= Invalid __shared__ write of size 4 bytes
=========     at fill(int *, int)+0x# in In[#]:8
=========         8 | a[i * 2 + threadIdx.x] = i;
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x100 is out of bounds
=========     and is 1 bytes after __shared__ array `a` of size 256 bytes
=========     and the shared memory of the block has 512 bytes
=========     The address is {index}
"""),
    "behind a constant array": ("CudaIllegalAddress", """
__constant__ int weights[4] = { 1, 2, 3, 4 };
__constant__ int others[4] = { 5, 6, 7, 8 };
__global__ void weigh(int *out)
{
    out[threadIdx.x] = weights[threadIdx.x] + others[0];
}
weigh<<<1, 5>>>(d_out);""", ("1, 5", "1, 4"), """\
========= Invalid __global__ read of size 4 bytes
=========     at weigh(int *)+0x# in In[#]:6
=========         6 | out[threadIdx.x] = weights[threadIdx.x] + others[0];
=========     by thread (4,0,0) in block (0,0,0)
=========     Address 0x# is out of bounds
=========     and is 1 bytes after the nearest allocation `weights` at 0x# of size 16 bytes (cell #)
=========     The address is 0x# + 4 * %r#
=========         %r# = 4: threadIdx.x
"""),
    "behind a module variable": ("CudaIllegalAddress", """
__device__ int counts[8];
__device__ int sums[8];
__global__ void count()
{
    counts[threadIdx.x] += 1;
    sums[threadIdx.x & 7] += 1;
}
count<<<1, 9>>>();""", ("1, 9", "1, 8"), """\
========= Invalid __global__ read of size 4 bytes
=========     at count()+0x# in In[#]:6
=========         6 | counts[threadIdx.x] += 1;
=========     by thread (8,0,0) in block (0,0,0)
=========     Address 0x# is out of bounds
=========     and is 1 bytes after the nearest allocation `counts` at 0x# of size 32 bytes (cell #)
=========     The address is 0x# + 4 * %r#
=========         %r# = 8: threadIdx.x
"""),
    "after free": ("CudaIllegalAddress", """
__global__ void late(int *p) { p[threadIdx.x] = 1; }
int *was;
cudaMalloc(&was, 64);
cudaFree(was);
late<<<1, 8>>>(was);""", ("cudaFree(was);", ""), """\
========= Invalid __global__ write of size 4 bytes
=========     at late(int *)+0x# in In[#]:2
=========         2 | __global__ void late(int *p) { p[threadIdx.x] = 1; }
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x# is out of bounds
=========     and is 0 bytes inside an allocation that was freed `was` at 0x# of size 64 bytes (cell #, freed in cell #)
=========     The address is %rd# + 4 * %r#
=========         %rd# = 0x#: parameter 1
=========         %r# = 0: threadIdx.x
"""),
    "memory of the host": ("CudaIllegalAddress", """
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
fill<<<1, 8>>>(h);""", ("(h)", "(d_out)"), """\
========= Invalid __global__ write of size 4 bytes
=========     at fill(int *)+0x# in In[#]:2
=========         2 | __global__ void fill(int *p) { p[threadIdx.x] = 1; }
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x# is out of bounds
=========     and is memory of the host, which device code cannot reach: copy it to the device with cudaMemcpy(),
=========     or allocate it with cudaMallocManaged()
=========     The address is %rd# + 4 * %r#
=========         %rd# = 0x#: parameter 1
=========         %r# = 0: threadIdx.x
"""),
    "a null pointer": ("CudaIllegalAddress", """
struct pair { int first, second; };
__global__ void fill_second(struct pair *p) { p->second = 1; }
fill_second<<<1, 1>>>(NULL);""", ("(NULL)", "((struct pair *)d_out)"), """\
========= Invalid __global__ write of size 4 bytes
=========     at fill_second(pair *)+0x# in In[#]:3
=========         3 | __global__ void fill_second(struct pair *p) { p->second = 1; }
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x4 is out of bounds
=========     and is a null pointer plus 4
=========     The address is %rd# + 4
=========         %rd# = 0x0: parameter 1
"""),
    "no dynamic shared memory": ("CudaIllegalAddress", """
extern __shared__ int room[];
__global__ void use(int *out) { room[threadIdx.x] = 1; __syncthreads(); out[0] = room[0]; }
use<<<1, 8>>>(d_out);""", ("<<<1, 8>>>", "<<<1, 8, 32>>>"), """\
========= Invalid __shared__ write of size 4 bytes
=========     at use(int *)+0x# in In[#]:3
=========         3 | __global__ void use(int *out) { room[threadIdx.x] = 1; __syncthreads(); out[0] = room[0]; }
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x0 is out of bounds
=========     and the block has no shared memory: the launch says how many bytes, as third value of
=========     <<<grid, block, bytes>>>
=========     The address is room + 4 * %r#
=========         %r# = 0: threadIdx.x
"""),
    "misaligned": ("CudaMisalignedAddress", """
__global__ void pairs(char *p) { *(int *)(p + 4 * threadIdx.x + OFFSET) = 1; }
pairs<<<1, 8>>>((char *)d_out);""", ("OFFSET", "4"), """\
========= Invalid __global__ write of size 4 bytes
=========     at pairs(char *)+0x# in In[#]:2
=========         2 | __global__ void pairs(char *p) { *(int *)(p + 4 * threadIdx.x + 2) = 1; }
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x# is misaligned
=========     and must be a multiple of 4
=========     and is 2 bytes inside the allocation `d_out` at 0x# of size 4,096 bytes (cell #)
=========     The address is %rd# + %r# + 2
=========         %rd# = 0x#: parameter 1
=========         %r# = 0: threadIdx.x * 4 = 0 * 4
"""),
}

# How the address of an access in a loop comes about, as NVRTC of CUDA 13.0 and of 13.5 have it.
LOOP_INDEX = ["a + 4 * %r#\n=========         %r# = 64: set in In[#]:5 and In[#]:7",
              "%rd#\n=========         %rd# = 0x100: set in In[#]:7"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_cell(kernel, name):
    ename, cell, (old, new), text = FAULTS[name]
    assert old in cell
    kernel.run(HEAD).ok()
    result = kernel.run(cell.replace("OFFSET", "2") + SYNC)
    assert result.ename == ename, result.shown
    assert report_of(result) in [text.replace("{index}", index) for index in LOOP_INDEX]
    twin = kernel.run(cell.replace(old, new) + SYNC).ok()
    assert twin.stderr == ""


# A call that is refused: what is told of it.
REFUSED = {
    "cudaMalloc((int *)NULL, 16);":
        "there is no place for the address, the first argument is NULL: hand over that of the pointer, &p",
    "cudaMemcpy(d_in, h, 16, cudaMemcpyDeviceToHost);":
        "its destination is memory of the device, and cudaMemcpyDeviceToHost writes to the host",
    "cudaMemcpy(h, d_in, 16, cudaMemcpyHostToDevice);":
        "its destination is memory of the host, and cudaMemcpyHostToDevice writes to the device",
    "cudaMemcpy(h, h, 16, cudaMemcpyDeviceToHost);":
        "its source is memory of the host, and cudaMemcpyDeviceToHost reads from the device",
    "cudaMemcpy(d_in, NULL, 16, cudaMemcpyHostToDevice);": "its source is NULL",
    "cudaFree(h);": "is memory of the host, which cudaFree does not free: free() or cudaFreeHost() does",
    "cudaFree(d_in + 1);": "is not the start of a buffer, but 4 bytes behind that of one",
    "cudaFree(d_out); cudaFree(d_out);": "that buffer was freed before",
    "int *m; cudaMallocManaged(&m, 16); cudaFreeHost(m);": "that memory was allocated otherwise: cudaFree frees it",
    "__global__ void called(int *p) { }\nvoid (*same)(int *) = called;\nsame(d_in);":
        "it was called like a function: a CUDA kernel is launched with called<<<grid, block>>>(arguments)",
}


def test_a_kernel_that_is_called_like_a_function(kernel):
    result = kernel.run("__global__ void called(int *p) { }\ncalled(nullptr);")
    assert result.ename == "CompileError"
    assert "= a CUDA kernel is launched with called<<<grid, block>>>(arguments)" in result.shown, result.shown


@pytest.mark.parametrize("call", REFUSED)
def test_a_refused_call_says_what_is_wrong(kernel, call):
    kernel.run(HEAD).ok()
    shown = kernel.run(call).ok().stderr
    assert shown.count("nobody looked at it") == 1 and REFUSED[call] in shown, shown
    # What explains one call is not told of the next one.
    shown = kernel.run("cudaSetDevice(77);").ok().stderr
    assert REFUSED[call] not in shown and "cudaErrorInvalidDevice" in shown, shown


PROGRAM = """%%cuda
#include <cstdio>
template <class T> struct Row {
    T *p;
    __device__ T &at(int i) const { return p[i]; }
};
template <class T> __global__ void scale(Row<T> r, T by)
{
    r.at(blockIdx.x * blockDim.x + threadIdx.x) *= by;
}
__global__ void addOne(int *p, int n)
{
    p[blockIdx.y * n + threadIdx.x]++;
}
int main()
{
    int *p;
    cudaMalloc(&p, 400);
    cudaMemset(p, 0, 400);
    LAUNCH
    cudaDeviceSynchronize();
    cudaFree(p);
}
"""


def test_functions_of_programs_have_their_parameters(kernel):
    result = kernel.run(PROGRAM.replace("LAUNCH", "addOne<<<dim3(1, 4), 32>>>(p, 32);"))
    assert report_of(result) == """\
========= Invalid __global__ read of size 4 bytes
=========     at addOne(int *, int)+0x# in In[#]:13
=========         13 | p[blockIdx.y * n + threadIdx.x]++;
=========     by thread (4,0,0) in block (0,3,0)
=========     Address 0x# is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x# of size 400 bytes (cell #)
=========     The address is %rd# + 4 * %r#
=========         %rd# = 0x#: parameter 1
=========         %r# = 100: blockIdx.y * parameter 2 + threadIdx.x = 3 * 32 + 4
"""
    result = kernel.run(PROGRAM.replace("LAUNCH", "scale<float><<<1, 128>>>(Row<float>{(float *)p}, 2);"))
    assert "at scale<float>(Row<float>, float)+0x# in In[#]:9\n" in report_of(result)
    assert "         9 | r.at(blockIdx.x * blockDim.x + threadIdx.x) *= by;\n" in report_of(result)
    assert kernel.run(PROGRAM.replace("LAUNCH", "addOne<<<dim3(1, 4), 25>>>(p, 25);")).ok().stderr == ""


def test_lines_of_included_files_are_quoted(start_kernel, tmp_path):
    (tmp_path / "part.cuh").write_text("__device__ void put(int *p, int i)\n{\n\tp[i] = i;\n}\n")
    kernel = start_kernel(cwd=tmp_path)
    cell = '#include "part.cuh"\n__global__ void k(int *p) { put(p, threadIdx.x); }\nint *d_p;\ncudaMalloc(&d_p, 16);\n'
    result = kernel.run(cell + "k<<<1, 5>>>(d_p);" + SYNC)
    assert re.search(r"at put\(int \*, int\)\+0x\w+ in \S*part.cuh:3\n=========         3 \| p\[i\] = i;\n", result.traceback)
    assert kernel.run(cell + "k<<<1, 4>>>(d_p);" + SYNC).ok().stderr == ""


def test_what_is_inlined_of_a_header_has_the_line_of_its_call(start_kernel, prefix):
    """Also where the working folder shares a part with the header's."""
    kernel = start_kernel(cwd=prefix)
    result = kernel.run("__global__ void k(int *p) { atomicAdd(p, 1); }\nk<<<1, 1>>>(NULL);" + SYNC)
    assert re.search(r"at k\(int \*\)\+0x\w+ in In\[1\]:1\n", result.traceback), result.shown


def test_a_new_worker_knows_the_lines_of_earlier_cells(fresh_kernel):
    fresh_kernel.run("__global__ void k(int *p)\n{\n    *p = 1;\n}").ok()
    for _ in range(2):
        result = fresh_kernel.run("k<<<1, 1>>>(NULL);" + SYNC)
        assert "in In[1]:3\n=========         3 | *p = 1;\n" in result.traceback
