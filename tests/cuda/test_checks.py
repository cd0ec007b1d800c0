# SPDX-License-Identifier: Apache-2.0
"""Races that are told after a launch, by default and under %%racecheck, and clean programs about which nothing is said."""
import re

import pytest

REVERSE = """__global__ void reverse(int *d)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = d[t];
%s    d[t] = tile[63 - t];
}
int *d_x;
cudaMalloc(&d_x, 64 * sizeof(int));
cudaMemset(d_x, 1, 64 * sizeof(int));
for (int i = 0; i < 3; i++)
    reverse<<<1, 64>>>(d_x);
cudaDeviceSynchronize();
puts("went on");"""

REVERSED = """========= Error: Race reported between Write access at reverse(int *)+0x# in In[{0}]:{1}
=========         {1} | tile[t] = d[t];
=========     and Read access at reverse(int *)+0x# in In[{0}]:{2} [64 hazards]
=========         {2} | d[t] = tile[63 - t];
=========     by thread (32,0,0) and thread (31,0,0) in block (0,0,0)
=========     on 4 bytes at __shared__ `tile` + 0x80
=========     Current Value : 0, Incoming Value : 16843009
=========     __syncthreads() between the two would order them
"""


def places_left_out(text):
    """Where in its function an instruction lies is another place in each release of NVRTC."""
    return re.sub(r"\)\+0x[0-9a-f]+", ")+0x#", text)


def summary(errors=0, warnings=0):
    n = errors + warnings
    return (f"========= RACECHECK SUMMARY: {n} hazard{'s'[:n != 1]} displayed ({errors} error{'s'[:errors != 1]}, "
            f"{warnings} warning{'s'[:warnings != 1]})\n")


def test_a_missing_barrier_is_told_once_and_unasked(fresh_kernel):
    result = fresh_kernel.run(REVERSE % "").ok()
    assert result.stdout == "went on\n"
    assert places_left_out(result.stderr) == REVERSED.format(1, 5, 6)
    # A new cell is told again, from a kernel that is defined already.
    again = fresh_kernel.run("cudaMemset(d_x, 1, 256); reverse<<<1, 64>>>(d_x); reverse<<<1, 64>>>(d_x);").ok()
    assert places_left_out(again.stderr) == REVERSED.format(1, 5, 6)
    assert fresh_kernel.run(REVERSE % "    __syncthreads();\n").ok().stderr == ""


def test_racecheck_sums_up(fresh_kernel):
    result = fresh_kernel.run("%%racecheck\n" + REVERSE % "").ok()
    assert places_left_out(result.stderr) == REVERSED.format(1, 6, 7) + summary(1)
    assert fresh_kernel.run("%racecheck\n" + REVERSE % "    __syncthreads();\n").ok().stderr == summary()
    # What the cell did is kept.
    assert fresh_kernel.run("int seen; cudaMemcpy(&seen, d_x, 4, cudaMemcpyDefault); seen").ok().text == "16843009"


def test_racecheck_says_when_an_address_has_left_its_buffer(fresh_kernel):
    far = """__global__ void far(const int *a, int *b, long away)
{
    b[away + threadIdx.x] = a[threadIdx.x] + 1;
}
int *d_a, *d_b;
cudaMalloc(&d_a, 256);
cudaMalloc(&d_b, 256);
far<<<1, 64>>>(d_a, d_b, %s);
cudaDeviceSynchronize();"""
    result = fresh_kernel.run("%%racecheck\n" + far % "d_a - d_b").ok()
    assert result.stderr.endswith("========= Not all was checked: an address that starts from one buffer lies in another one\n" +
                                  summary())
    assert fresh_kernel.run("%%racecheck\n" + far % "0").ok().stderr == summary()


def test_racecheck_of_a_cuda_cell(fresh_kernel):
    program = (REVERSE % "").replace("int *d_x;", "int main()\n{\nint *d_x;") + "}"
    result = fresh_kernel.run("%%racecheck\n%%cuda\n#include <cstdio>\n" + program).ok()
    assert "Race reported between Write access at reverse(int *)" in result.stderr
    assert result.stderr.endswith(summary(1))


def test_it_can_be_turned_off(fresh_kernel):
    fresh_kernel.run("%env CGPU_RACECHECK=off").ok()
    assert fresh_kernel.run(REVERSE % "").ok().stderr == ""


def test_blocks_that_write_one_place(fresh_kernel):
    """Each of the two may be the first one."""
    result = fresh_kernel.run("""__global__ void all(int *out) { out[threadIdx.x] = blockIdx.x; }
int *d_out;
cudaMalloc(&d_out, 4);
all<<<2, 1>>>(d_out);""").ok()
    assert re.sub(r"0x[0-9a-f]+, `", "ADDRESS, `", result.stderr) in [
        "========= Error: Race reported between Write access at all(int *)+0x60 in In[1]:1\n"
        "=========         1 | __global__ void all(int *out) { out[threadIdx.x] = blockIdx.x; }\n"
        "=========     and Write access at all(int *)+0x60 in In[1]:1 [1 hazard]\n"
        "=========         1 | __global__ void all(int *out) { out[threadIdx.x] = blockIdx.x; }\n"
        f"=========     by thread (0,0,0) in block ({first},0,0) and thread (0,0,0) in block ({1 - first},0,0)\n"
        "=========     on 4 bytes at __global__ ADDRESS, `d_out` + 0x0 (cell 1)\n"
        f"=========     Current Value : {first}, Incoming Value : {1 - first}\n"
        "=========     Nothing orders blocks of one launch: atomics, a flag behind __threadfence(), or a second launch do\n"
        for first in (0, 1)]


def test_a_warp_that_is_taken_to_run_in_step(fresh_kernel):
    code = """__global__ void shift(int *out)
{
    __shared__ volatile int s[32];
    s[threadIdx.x] = threadIdx.x;
    %sout[threadIdx.x] = s[threadIdx.x ^ 1];
}
int *d_out;
cudaMalloc(&d_out, 128);
shift<<<1, 32>>>(d_out);"""
    plain = code.replace("volatile ", "")
    assert fresh_kernel.run(plain % "").ok().stderr == ""
    result = fresh_kernel.run("%%racecheck\n" + plain % "").ok()
    assert result.stderr.startswith("========= Warning: Race reported between Write access at shift(int *)")
    assert "__syncwarp() between the two orders them" in result.stderr
    assert result.stderr.endswith(summary(0, 1))
    assert fresh_kernel.run("%%racecheck\n" + plain % "__syncwarp(); ").ok().stderr == summary()


def test_a_barrier_in_two_branches(fresh_kernel):
    code = """__global__ void part(int *out)
{
    int t = threadIdx.x;
    if (t < 16) {
        out[t] = 1;
        __syncthreads();
        out[t] += 1;
    } else {
        out[t] = 2;
        __syncthreads();
        out[t] *= 3;
    }
}
int *d_out, seen[32];
cudaMalloc(&d_out, sizeof(seen));
part<<<1, 32>>>(d_out);
cudaMemcpy(seen, d_out, sizeof(seen), cudaMemcpyDefault);
seen[0] * 10 + seen[31]"""
    result = fresh_kernel.run(code).ok()
    assert result.text == "26"
    assert re.sub(r"\+0x[0-9a-f]+", "", result.stderr) in [
        "========= Barrier error detected. Divergent thread(s) in warp.\n"
        f"=========     at part(int *) in In[1]:{a}\n=========         {a} | __syncthreads();\n"
        f"=========     by thread ({x},0,0) in block (0,0,0)\n"
        f"=========     and at part(int *) in In[1]:{b}\n=========         {b} | __syncthreads();\n"
        f"=========     by thread ({y},0,0) in block (0,0,0)\n"
        "=========     All threads of a block must come to the same __syncthreads()\n"
        for a, x, b, y in [(6, 0, 10, 16), (10, 16, 6, 0)]]
    ended = code.replace("if (t < 16) {", "if (t >= 16)\n        return;\n    {").split("    } else")[0] + "    }\n}\n"
    assert fresh_kernel.run(ended + "part<<<1, 32>>>(d_out);").ok().stderr == ""


def test_a_mask_that_lacks_who_calls(fresh_kernel):
    code = """__global__ void sum(int *out)
{
    int v = threadIdx.x;
    v += __shfl_xor_sync(MASK, v, 1);
    out[threadIdx.x] = v;
}
int *d_out;
cudaMalloc(&d_out, 128);
sum<<<1, 32>>>(d_out);"""
    result = fresh_kernel.run(code.replace("MASK", "0xffff")).ok()
    assert "Barrier error detected. Invalid arguments.\n" in result.stderr
    assert "by thread (16,0,0) in block (0,0,0)\n" in result.stderr
    assert result.stderr.endswith("The mask 0x0000ffff does not name lane 16, which executes it\n")
    result = fresh_kernel.run("%%racecheck\n" + code.replace("MASK", "0xffff")).ok()
    assert result.stderr.endswith("========= ERROR SUMMARY: 1 error\n" + summary())
    assert fresh_kernel.run(code.replace("MASK", "0xffffffff")).ok().stderr == ""


CLEAN = {
    "tiled product": """__global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float x[16][16], y[16][16];
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < n / 16; i++) {
        x[threadIdx.y][threadIdx.x] = a[row * n + i * 16 + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(i * 16 + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += x[threadIdx.y][k] * y[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
float *d_a, *d_b, *d_c;
cudaMalloc(&d_a, 64 * 64 * 4); cudaMalloc(&d_b, 64 * 64 * 4); cudaMalloc(&d_c, 64 * 64 * 4);
product<<<dim3(4, 4), dim3(16, 16)>>>(d_a, d_b, d_c, 64);""",
    "sum with shuffles": """__global__ void sum(const int *in, int *out)
{
    __shared__ int part[32];
    int v = in[blockIdx.x * blockDim.x + threadIdx.x], lane = threadIdx.x %% 32, warp = threadIdx.x / 32;
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (!lane)
        part[warp] = v;
    __syncthreads();
    if (!warp) {
        v = lane < blockDim.x / 32 ? part[lane] : 0;
        for (int d = 16; d; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (!lane)
            atomicAdd(out, v);
    }
}
int *d_in, *d_out;
cudaMalloc(&d_in, 1024 * 4); cudaMalloc(&d_out, 4);
cudaMemset(d_in, 0, 1024 * 4); cudaMemset(d_out, 0, 4);
sum<<<4, 256>>>(d_in, d_out);""".replace("%%", "%"),
    "scan with two rows": """__global__ void scan(int *d)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, from = 0;
    s[0][t] = d[t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        s[1 - from][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    d[t] = s[from][t];
}
int *d_x;
cudaMalloc(&d_x, 128 * 4);
scan<<<1, 128>>>(d_x);""",
    "the last block": """__device__ unsigned arrived = 0;
__global__ void total(const int *in, int *part, int *out)
{
    __shared__ bool last;
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += part[i];
        *out = sum;
        arrived = 0;
    }
}
int *d_in, *d_part, *d_out;
cudaMalloc(&d_in, 64 * 16 * 4); cudaMalloc(&d_part, 64); cudaMalloc(&d_out, 4);
total<<<16, 64>>>(d_in, d_part, d_out);""",
    "a grid barrier": """#include <cooperative_groups.h>
__global__ void steps(int *a, int *b)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    grid.sync();
    b[i] = a[n - 1 - i];
    grid.sync();
    a[i] = b[(i + 64) % n];
}
int *d_a, *d_b;
cudaMalloc(&d_a, 8 * 64 * 4); cudaMalloc(&d_b, 8 * 64 * 4);
void *args[] = { &d_a, &d_b };
cudaLaunchCooperativeKernel((void *)steps, dim3(8), dim3(64), args, 0, 0);""",
    "a lock": """__device__ int lock = 0;
__global__ void add(int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1))
            ;
        __threadfence();
        *sum += 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
int *d_sum;
cudaMalloc(&d_sum, 4);
add<<<16, 32>>>(d_sum);""",
    "a chain of blocks": """__device__ volatile int done[17];
__global__ void chain(int *value)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        if (b)
            while (!done[b - 1])
                ;
        __threadfence();
        value[b] = (b ? value[b - 1] : 0) + 1;
        __threadfence();
        done[b] = 1;
    }
}
int *d_value;
cudaMalloc(&d_value, 64);
chain<<<16, 32>>>(d_value);""",
    "a histogram": """__global__ void count(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&own[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
unsigned char *d_in;
unsigned *d_bins;
cudaMalloc(&d_in, 8192); cudaMalloc(&d_bins, 1024);
cudaMemset(d_in, 3, 8192); cudaMemset(d_bins, 0, 1024);
count<<<4, 256>>>(d_in, d_bins, 8192);""",
    "a barrier object": """#include <cuda/barrier>
__global__ void exchange(int *d)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0)
        init(&ready, 64);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        s[t] = d[t];
        ready.arrive_and_wait();
        d[t] = s[63 - t];
        ready.arrive_and_wait();
    }
}
int *d_x;
cudaMalloc(&d_x, 64 * 4);
exchange<<<1, 64>>>(d_x);""",
}


@pytest.mark.parametrize("name", CLEAN)
def test_clean_programs_stay_silent(kernel, name):
    assert kernel.run("%%racecheck\n" + CLEAN[name] + "\ncudaDeviceSynchronize();").ok().stderr == summary()


def test_a_launch_from_device_code_sees_what_its_parent_wrote(kernel):
    result = kernel.run(r"""%%racecheck
%%cuda -rdc=true
#include <cstdio>
__device__ int values[64], sum;
__global__ void child()
{
    __shared__ int s[1024];
    for (int i = threadIdx.x; i < 1024; i += 64)
        s[i] = values[i % 64];
    __syncthreads();
    atomicAdd(&sum, s[1023 - threadIdx.x]);
}
__global__ void parent()
{
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        child<<<2, 64>>>();
}
int main()
{
    int h;
    parent<<<1, 64>>>();
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&h, sum, sizeof(h));
    printf("%d", h);
}
""").ok()
    assert (result.stdout, result.stderr) == ("4032", summary())
