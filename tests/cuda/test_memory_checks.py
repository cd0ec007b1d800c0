# SPDX-License-Identifier: Apache-2.0
"""Checks of the emulated device's memory through a real kernel: each has a clean twin that must stay silent."""
import re

import pytest

HEAD = "%%cuda\n#include <cstdio>\n#include <cstdlib>\n"


def report_of(text):
    """Addresses, offsets of instructions and the numbers of cells differ."""
    text = re.sub(r"\+0x[0-9a-f]+", "+0x#", text)
    text = re.sub(r"In\[\d+\]", "In[#]", text)
    text = re.sub(r"cell \d+", "cell #", text)
    return re.sub(r"0x[0-9a-f]{2,}", "0x#", text)


def test_a_branch_on_what_nobody_wrote(kernel):
    result = kernel.run(r"""
__global__ void k(float *p, int *out)
{
    float v = p[threadIdx.x];
    if (v > 1)
        out[threadIdx.x] = 1;
}
float *d_x; int *d_out;
cudaMalloc(&d_x, 128);
cudaMalloc(&d_out, 128);
cudaMemset(d_x, 0, 12);
k<<<1, 32>>>(d_x, d_out);
cudaDeviceSynchronize();
""")
    assert report_of(result.ok().stderr) == """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at k(float *, int *)+0x# in In[#]:4
=========         4 | float v = p[threadIdx.x];
=========     by thread (3,0,0) in block (0,0,0)
=========     Address 0x# in `d_x` (cell #), 12 bytes from its start; nothing has written there
=========     and the value decides a branch in In[#]:5
=========         5 | if (v > 1)
"""


def test_a_sum_is_told_when_the_host_copies_it(kernel):
    result = kernel.run(r"""
__global__ void sum(const float *p, float *q)
{ float s = 0; for (int i = 0; i < 8; i++) s += p[i]; *q = s; }
float *d_in, *d_sum, h[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, got;
cudaMalloc(&d_in, 32);
cudaMalloc(&d_sum, 4);
cudaMemcpy(d_in, h, 28, cudaMemcpyHostToDevice);
sum<<<1, 1>>>(d_in, d_sum);
cudaMemcpy(&got, d_sum, 4, cudaMemcpyDeviceToHost);
""")
    assert report_of(result.ok().stderr) == """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at sum(const float *, float *)+0x# in In[#]:3
=========         3 | { float s = 0; for (int i = 0; i < 8; i++) s += p[i]; *q = s; }
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x# in `d_in` (cell #), 28 bytes from its start; nothing has written there
=========     and the value goes into what is stored in In[#]:3
=========     which the host copies from `d_sum` (cell #)
"""


def test_a_copy_of_what_nothing_wrote_to(kernel):
    result = kernel.run(r"""
int *d_a, h[4];
cudaMalloc(&d_a, 16);
cudaMemcpy(h, d_a, 16, cudaMemcpyDeviceToHost);
""")
    assert report_of(result.ok().stderr) == """\
========= Host API uninitialized memory access of 16 bytes by cudaMemcpy
=========     Address 0x# in `d_a` (cell #); nothing has written to any of these bytes
"""
    assert kernel.run("cudaMemset(d_a, 0, 4); cudaMemcpy(h, d_a, 16, cudaMemcpyDeviceToHost);").ok().stderr == ""


ENTRIES = {
    "an atomic counter": ("""
__global__ void k(int *p) { atomicAdd(p, 1); }
int *d_n;
cudaMalloc(&d_n, 4);
k<<<1, 1>>>(d_n);
cudaDeviceSynchronize();
""", """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at k(int *)+0x# in In[#]:2
=========         2 | __global__ void k(int *p) { atomicAdd(p, 1); }
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x# in `d_n` (cell #), 0 bytes from its start; nothing has written there
=========     and the value takes part in an atomic operation in In[#]:2
"""),
    "an index": ("""
__global__ void k(const int *which, int *p) { p[which[threadIdx.x] & 31] = 1; }
int *d_which, *d_p;
cudaMalloc(&d_which, 8);
cudaMalloc(&d_p, 128);
cudaMemset(d_which, 0, 4);
k<<<1, 2>>>(d_which, d_p);
cudaDeviceSynchronize();
""", """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at k(const int *, int *)+0x# in In[#]:2
=========         2 | __global__ void k(const int *which, int *p) { p[which[threadIdx.x] & 31] = 1; }
=========     by thread (1,0,0) in block (0,0,0)
=========     Address 0x# in `d_which` (cell #), 4 bytes from its start; nothing has written there
=========     and the value is used as an address in In[#]:2
"""),
    "shared memory before it is written": ("""
__global__ void k(int *p)
{
    __shared__ int a[8], b[8];
    a[threadIdx.x] = 1;
    __syncthreads();
    if (a[threadIdx.x] + b[threadIdx.x] > 0)
        p[threadIdx.x] = 1;
}
int *d_p;
cudaMalloc(&d_p, 32);
k<<<1, 8>>>(d_p);
cudaDeviceSynchronize();
""", """\
========= Uninitialized __shared__ memory read of size 4 bytes
=========     at k(int *)+0x# in In[#]:7
=========         7 | if (a[threadIdx.x] + b[threadIdx.x] > 0)
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x# in `b`, 0 bytes from its start; nothing has written there
=========     and the value decides a branch in In[#]:7
"""),
    "a local variable that is printed": ("""
__global__ void k(int n, int which)
{
    double a[4];
    for (int i = 0; i < n; i++)
        a[i] = i;
    printf("%g\\n", a[which]);
}
k<<<1, 1>>>(3, 3);
cudaDeviceSynchronize();
""", """\
========= Uninitialized __local__ memory read of size 8 bytes
=========     at k(int, int)+0x# in In[#]:7
=========         7 | printf("%g\\n", a[which]);
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x#; nothing has written there
=========     and the value is printed in In[#]:7
"""),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_a_use_is_told(kernel, name):
    cell, text = ENTRIES[name]
    assert report_of(kernel.run(cell).ok().stderr) == text


CLEAN = {
    "padding copied": r"""
struct item { char c; double d; short s; };
__global__ void make(item *p, int n) { int i = threadIdx.x; if (i < n) { p[i].c = i; p[i].d = i; p[i].s = i; } }
__global__ void copy(const item *p, item *q, int n) { int i = threadIdx.x; if (i < n) q[i] = p[i]; }
__global__ void use(const item *q, int *out, int n)
{
    int i = threadIdx.x;
    item mine = q[i];
    if (i < n && mine.c == i && mine.d == i && mine.s == i)
        atomicAdd(out, 1);
}
int main()
{
    item *p, *q; int *out, got;
    cudaMalloc(&p, 32 * sizeof(item)); cudaMalloc(&q, 32 * sizeof(item)); cudaMalloc(&out, 4);
    cudaMemset(out, 0, 4);
    make<<<1, 32>>>(p, 32); copy<<<1, 32>>>(p, q, 32); use<<<1, 32>>>(q, out, 32);
    item h[32];
    cudaMemcpy(h, q, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost);
    printf("%d %d\n", got, h[5].c);
    cudaFree(p); cudaFree(q); cudaFree(out);
}
""",
    "partially filled": r"""
__global__ void half(int *p) { if (threadIdx.x % 2) p[threadIdx.x] = 7; }
int main()
{
    int *p, h[64];
    cudaMalloc(&p, sizeof(h));
    half<<<1, 64>>>(p);
    cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h[1]);
    cudaFree(p);
}
""",
    "reduction in shared memory": r"""
__global__ void reduce(const float *in, float *out, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (t == 0) atomicAdd(out, s[0]);
}
int main()
{
    float *in, *out, got, h[1000];
    for (int i = 0; i < 1000; i++) h[i] = 1;
    cudaMalloc(&in, 4000); cudaMalloc(&out, 4);
    cudaMemcpy(in, h, 4000, cudaMemcpyHostToDevice); cudaMemset(out, 0, 4);
    reduce<<<4, 256, 1024>>>(in, out, 1000);
    cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost);
    printf("%g\n", got);
    cudaFree(in); cudaFree(out);
}
""",
    "transposed through a padded tile": r"""
__global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main()
{
    float *in, *out, h[1024];
    for (int i = 0; i < 1024; i++) h[i] = i;
    cudaMalloc(&in, 4096); cudaMalloc(&out, 4096);
    cudaMemcpy(in, h, 4096, cudaMemcpyHostToDevice);
    transpose<<<1, dim3(32, 32)>>>(in, out);
    cudaMemcpy(h, out, 4096, cudaMemcpyDeviceToHost);
    printf("%g\n", h[1]);
    cudaFree(in); cudaFree(out);
}
""",
    "local array": r"""
__global__ void pick(const int *which, int *out)
{
    int a[16]; char name[8];
    for (int i = 0; i < 16; i++) a[(i * 5 + which[0]) & 15] = i;
    name[which[0] & 7] = 'x';
    printf("%d %c\n", a[which[threadIdx.x] & 15], name[which[0] & 7]);
    out[threadIdx.x] = a[(which[threadIdx.x] + 1) & 15];
}
int main()
{
    int *which, *out, h[2] = { 3, 4 };
    cudaMallocManaged(&which, 8); cudaMalloc(&out, 8);
    which[0] = 3; which[1] = 4;
    pick<<<1, 2>>>(which, out);
    cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost);
    cudaFree(which); cudaFree(out);
}
""",
    "warp shuffles past the data": r"""
__global__ void k(const int *p, int n, int *out)
{
    int v = p[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, v, d); if (threadIdx.x >= d) v += o; }
    if (threadIdx.x < n) out[threadIdx.x] = v;
}
int main()
{
    int *p, *out, h[32];
    for (int i = 0; i < 20; i++) h[i] = 1;
    cudaMalloc(&p, 128); cudaMalloc(&out, 80);
    cudaMemcpy(p, h, 80, cudaMemcpyHostToDevice);
    k<<<1, 32>>>(p, 20, out);
    cudaMemcpy(h, out, 80, cudaMemcpyDeviceToHost);
    printf("%d\n", h[19]);
    cudaFree(p); cudaFree(out);
}
""",
    "pitched rows and device copies": r"""
__global__ void fill(char *p, size_t pitch) { *(int *)(p + threadIdx.y * pitch + threadIdx.x * 4) = threadIdx.x; }
__global__ void check(const int *p, int *bad) { if (p[threadIdx.x] != threadIdx.x % 5) atomicAdd(bad, 1); }
int main()
{
    char *p; int *q, *bad, got; size_t pitch;
    cudaMallocPitch((void **)&p, &pitch, 20, 4); cudaMalloc(&q, 80); cudaMalloc(&bad, 4);
    cudaMemset(bad, 0, 4);
    fill<<<1, dim3(5, 4)>>>(p, pitch);
    cudaMemcpy2D(q, 20, p, pitch, 20, 4, cudaMemcpyDeviceToDevice);
    check<<<1, 20>>>(q, bad);
    cudaMemcpy(&got, bad, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", got);
    cudaFree(p); cudaFree(q); cudaFree(bad);
}
""",
    "bit-fields": r"""
struct flags { unsigned a : 3, b : 5; };
__global__ void k(flags *p, int *out)
{
    p[threadIdx.x].a = 5;
    __syncthreads();
    if (p[threadIdx.x].a == 5)
        atomicAdd(out, 1);
}
int main()
{
    flags *p; int *out, got;
    cudaMalloc(&p, 128); cudaMalloc(&out, 4); cudaMemset(out, 0, 4);
    k<<<1, 32>>>(p, out);
    cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", got);
    cudaFree(p); cudaFree(out);
}
""",
}
OUTPUT = {
    "padding copied": "32 5\n", "partially filled": "7\n", "reduction in shared memory": "1000\n",
    "transposed through a padded tile": "32\n", "local array": "0 x\n13 x\n", "warp shuffles past the data": "20\n",
    "pitched rows and device copies": "0\n", "bit-fields": "32\n",
}


@pytest.mark.parametrize("name", CLEAN)
def test_a_correct_program_is_left_alone(kernel, name):
    result = kernel.run(HEAD + CLEAN[name]).ok()
    assert result.stderr == ""
    assert result.stdout == OUTPUT[name]


COPIES = {
    "cudaMemcpy": ("cudaMemcpy(h, d_part, SIZE, cudaMemcpyDeviceToHost);", 128, 100),
    "cudaMemcpyAsync": ("cudaMemcpyAsync(d_part, h, SIZE, cudaMemcpyHostToDevice, 0);", 128, 100),
    "cudaMemset": ("cudaMemset(d_part, 0, SIZE);", 101, 100),
    "cudaMemsetAsync": ("cudaMemsetAsync(d_part, 0, SIZE, 0);", 101, 100),
    "cudaMemcpy2D": ("cudaMemcpy2D(h, 10, d_part, 10, SIZE, 11, cudaMemcpyDeviceToHost);", 10, 0),
}


@pytest.mark.parametrize("name", COPIES)
def test_the_host_runs_past_a_buffer(kernel, name):
    call, bad, good = COPIES[name]
    head = "\nint *d_part, h[64];\ncudaMalloc(&d_part, 100);\ncudaMemset(d_part, 0, 100);\n"
    size = bad * 11 if name == "cudaMemcpy2D" else bad
    result = kernel.run(head + call.replace("SIZE", str(bad))).ok()
    assert report_of(result.stderr).startswith(f"""\
========= Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to {name}
=========     in In[#]:5
=========         5 | {call.replace("SIZE", str(bad))}
=========     The {size} bytes from address 0x# on end {size - 100} bytes after the allocation \
`d_part` at 0x# of size 100 bytes (cell #, line 3)
{name} returned cudaErrorInvalidValue (invalid argument) in line 5, and nobody looked at it
""")
    assert kernel.run(head + call.replace("SIZE", str(good))).ok().stderr == ""


def test_the_host_copies_from_what_was_freed(kernel):
    cell = "\nint *d_part, h[4];\ncudaMalloc(&d_part, 16);\ncudaMemset(d_part, 0, 16);\ncudaFree(d_part);\n"
    result = kernel.run(cell + "cudaMemcpy(h, d_part, 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue")
    assert "=========     The 16 bytes from address 0x# on are inside an allocation that was freed `d_part` at 0x# of size 16 " \
        "bytes (cell #, line 3, freed in cell #)\n" in report_of(result.ok().stderr)
    assert result.text == "true"


@pytest.mark.parametrize("checked", ["", "%%racecheck\n"])
def test_a_load_under_a_guard_keeps_the_lanes_that_it_leaves_out(kernel, checked):
    """It is run again to be watched, since nobody has written what it reads."""
    result = kernel.run(checked + HEAD + r"""
__global__ void k(const unsigned *p, unsigned *out)
{
    unsigned v = 5, odd = threadIdx.x & 1;
    asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; @q ld.global.u32 %0, [%2]; }"
                 : "+r"(v) : "r"(odd), "l"(p + threadIdx.x) : "memory");
    __syncthreads();
    out[threadIdx.x] = odd ? 100 : v;
}
int main()
{
    unsigned *p, *out, h[64], sum = 0;
    cudaMalloc(&p, 4096);
    cudaMalloc(&out, 256);
    k<<<1, 64>>>(p, out);
    cudaMemcpy(h, out, 256, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        sum += h[i];
    printf("%u\n", sum);
}
""")
    assert result.ok().stdout == "3360\n"


LEAKY = """%%memcheck
%%cuda
#include <cstdlib>
struct item { float *d_values; };
item *kept;
int main()
{
    int *p, *q;
    cudaMalloc(&p, 1024);
    cudaMalloc(&q, 64);
    kept = (item *)malloc(sizeof(*kept));
    cudaMalloc(&kept->d_values, 100);
    for (int i = 0; i < 2; i++)
        cudaMalloc(&p, 4096);
    FREE
}
"""


def test_leaks_of_a_program(fresh_kernel):
    result = fresh_kernel.run(LEAKY.replace("FREE", "cudaFree(q);")).ok()
    assert report_of(result.stderr).startswith("""\
========= Leaked 1,024 bytes at 0x#
=========     allocated in In[#]:9
=========         9 | cudaMalloc(&p, 1024);
========= Leaked 4,096 bytes at 0x#
=========     allocated in In[#]:14
=========         14 | cudaMalloc(&p, 4096);
========= Leaked 4,096 bytes at 0x#
=========     allocated in In[#]:14
=========         14 | cudaMalloc(&p, 4096);
========= LEAK SUMMARY: 9,216 bytes leaked in 3 allocations
memcheck: no bad access to memory.""")
    clean = LEAKY.replace("cudaMalloc(&p, 4096)", "cudaMalloc(&p, 4096), cudaFree(p)").replace("cudaMalloc(&p, 1024);", "")
    assert fresh_kernel.run(clean.replace("FREE", "cudaFree(q);")).ok().stderr.startswith("memcheck: no bad access")


def test_leaks_of_a_plain_cell_have_names(fresh_kernel):
    result = fresh_kernel.run("%%memcheck\nint *d_twice;\ncudaMalloc(&d_twice, 100);\ncudaMalloc(&d_twice, 200);").ok()
    assert report_of(result.stderr).startswith("""\
========= Leaked 100 bytes at 0x# `d_twice`
=========     allocated in In[#]:3
=========         3 | cudaMalloc(&d_twice, 100);
========= LEAK SUMMARY: 100 bytes leaked in 1 allocation
""")
    # Without %%memcheck a cell may leave to later ones what it likes.
    assert fresh_kernel.run("int *d_twice;\ncudaMalloc(&d_twice, 100);\ncudaMalloc(&d_twice, 200);").ok().stderr == ""
