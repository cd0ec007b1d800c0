# SPDX-License-Identifier: Apache-2.0
"""Small CUDA programs over several cells, end to end: what a reader types on the first day."""
import pytest


def test_vector_add(kernel):
    kernel.run("""#include <stdio.h>
#include <stdlib.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}""").ok()
    result = kernel.run("""int n = 10000;
size_t bytes = n * sizeof(float);
float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
float *da, *db, *dc;
for (int i = 0; i < n; i++) { a[i] = i; b[i] = 2 * i; }
cudaMalloc(&da, bytes); cudaMalloc(&db, bytes); cudaMalloc(&dc, bytes);
cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
int wrong = 0;
for (int i = 0; i < n; i++) wrong += c[i] != 3.0f * i;
printf("%d wrong, c[9999] = %g\\n", wrong, c[9999]);""").ok()
    assert result.stdout == "0 wrong, c[9999] = 29997\n"


def test_reduction_in_shared_memory(kernel):
    kernel.run("""__global__ void sum(const int *in, long long *out, int n)
{
    __shared__ long long part[128];
    int t = threadIdx.x;
    long long s = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    part[t] = s;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd((unsigned long long *)out, (unsigned long long)part[0]);
}
__global__ void count_up(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i;
}""").ok()
    result = kernel.run("""int *values;
long long *total, host_total = 0;
cudaMalloc(&values, 50000 * sizeof(int));
cudaMalloc(&total, sizeof(long long));
cudaMemset(total, 0, sizeof(long long));
count_up<<<(50000 + 127) / 128, 128>>>(values, 50000);
sum<<<20, 128>>>(values, total, 50000);
cudaMemcpy(&host_total, total, sizeof(host_total), cudaMemcpyDeviceToHost);
host_total""").ok()
    assert result.text == str(50000 * 49999 // 2)


def test_dynamic_shared_memory_and_two_dimensions(kernel):
    result = kernel.run("""__global__ void transpose(const int *in, int *out, int n)
{
    extern __shared__ int tile[];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    tile[threadIdx.y * (blockDim.x + 1) + threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * blockDim.y + threadIdx.x;
    y = blockIdx.x * blockDim.x + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x * (blockDim.x + 1) + threadIdx.y];
}
int side = 64, *matrix, *turned, host_matrix[64 * 64], host_turned[64 * 64];
for (int i = 0; i < side * side; i++) host_matrix[i] = i;
cudaMalloc(&matrix, sizeof(host_matrix));
cudaMalloc(&turned, sizeof(host_turned));
cudaMemcpy(matrix, host_matrix, sizeof(host_matrix), cudaMemcpyHostToDevice);
dim3 grid(side / 16, side / 16), block(16, 16);
transpose<<<grid, block, 16 * 17 * sizeof(int)>>>(matrix, turned, side);
cudaMemcpy(host_turned, turned, sizeof(host_turned), cudaMemcpyDeviceToHost);
int bad = 0;
for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
        bad += host_turned[y * side + x] != host_matrix[x * side + y];
bad""").ok()
    assert result.text == "0"


def test_atomics(kernel):
    result = kernel.run("""__global__ void histogram(const unsigned char *text, int n, int *bins, int *largest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[text[i]], 1);
        atomicMax(largest, (int)text[i]);
    }
}
const char *sentence = "the quick brown fox jumps over the lazy dog";
int length = 43, *bins, *largest, host_bins[256], host_largest;
unsigned char *text;
cudaMalloc(&text, length);
cudaMalloc(&bins, sizeof(host_bins));
cudaMalloc(&largest, sizeof(int));
cudaMemcpy(text, sentence, length, cudaMemcpyHostToDevice);
cudaMemset(bins, 0, sizeof(host_bins));
cudaMemset(largest, 0, sizeof(int));
histogram<<<2, 32>>>(text, length, bins, largest);
cudaMemcpy(host_bins, bins, sizeof(host_bins), cudaMemcpyDeviceToHost);
cudaMemcpy(&host_largest, largest, sizeof(int), cudaMemcpyDeviceToHost);
printf("%d %d %c\\n", host_bins['o'], host_bins['e'], host_largest);""").ok()
    assert result.stdout == "4 3 z\n"


def test_device_printf(kernel):
    result = kernel.run("""__global__ void hello(const char *who, double x)
{
    printf("lane %d says %s %.2f %lld\\n", threadIdx.x, "hello", x, 1ll << 40);
}
hello<<<1, 3>>>(NULL, 2.5);
cudaDeviceSynchronize();""").ok()
    assert sorted(result.stdout.splitlines()) == [f"lane {i} says hello 2.50 {1 << 40}" for i in range(3)]


def test_device_variable_is_state_of_later_cells(kernel):
    kernel.run("__device__ int counter = 5;\n__global__ void bump() { atomicAdd(&counter, 1); }").ok()
    kernel.run("bump<<<2, 32>>>(); cudaDeviceSynchronize();").ok()
    kernel.run("__global__ void bump_more(int by) { counter += by; }\nbump_more<<<1, 1>>>(31);").ok()
    result = kernel.run("int counted; cudaMemcpyFromSymbol(&counted, counter, sizeof(counted)); counted").ok()
    assert result.text == "100"


def test_constant_memory(kernel):
    kernel.run("""__constant__ float weights[4];
__device__ float dot(const float *p)
{
    return p[0] * weights[0] + p[1] * weights[1] + p[2] * weights[2] + p[3] * weights[3];
}
float host_weights[4] = { 1, 10, 100, 1000 };
cudaMemcpyToSymbol(weights, host_weights, sizeof(host_weights));""").ok()
    result = kernel.run("""__global__ void weigh(const float *p, float *out) { *out = dot(p); }
float digits[4] = { 4, 3, 2, 1 }, *d_digits, *d_out, weighed;
cudaMalloc(&d_digits, sizeof(digits));
cudaMalloc(&d_out, sizeof(float));
cudaMemcpy(d_digits, digits, sizeof(digits), cudaMemcpyHostToDevice);
weigh<<<1, 1>>>(d_digits, d_out);
cudaMemcpy(&weighed, d_out, sizeof(weighed), cudaMemcpyDeviceToHost);
weighed""").ok()
    assert float(result.text) == 1234


def test_streams_and_events(kernel):
    result = kernel.run("""__global__ void twice(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] *= 2; }
int *line_of, host_line[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
cudaStream_t first, second;
cudaEvent_t begin, end;
float ms = -1;
cudaStreamCreate(&first); cudaStreamCreate(&second);
cudaEventCreate(&begin); cudaEventCreate(&end);
cudaMalloc(&line_of, sizeof(host_line));
cudaEventRecord(begin, first);
cudaMemcpyAsync(line_of, host_line, sizeof(host_line), cudaMemcpyHostToDevice, first);
twice<<<1, 8, 0, first>>>(line_of, 8);
cudaEventRecord(end, first);
cudaStreamWaitEvent(second, end, 0);
twice<<<1, 8, 0, second>>>(line_of, 8);
cudaMemcpyAsync(host_line, line_of, sizeof(host_line), cudaMemcpyDeviceToHost, second);
cudaStreamSynchronize(second);
cudaEventElapsedTime(&ms, begin, end);
printf("%d %d %d\\n", host_line[1], host_line[7], ms >= 0);
cudaStreamDestroy(first); cudaStreamDestroy(second); cudaEventDestroy(begin); cudaEventDestroy(end);""").ok()
    assert result.stdout == "4 28 1\n"


def test_struct_by_value_and_shared_types(kernel):
    kernel.run("""struct body { float x, y, z; int id; };
enum { SCALE = 3 };
#define OFFSET 0.5f""").ok()
    result = kernel.run("""__global__ void move(struct body b, struct body *out)
{
    b.x = b.x * SCALE + OFFSET;
    b.id++;
    *out = b;
}
struct body one = { 1, 2, 3, 4 }, moved, *d_moved;
cudaMalloc(&d_moved, sizeof(moved));
move<<<1, 1>>>(one, d_moved);
cudaMemcpy(&moved, d_moved, sizeof(moved), cudaMemcpyDeviceToHost);
printf("%g %g %g %d\\n", moved.x, moved.y, moved.z, moved.id);""").ok()
    assert result.stdout == "3.5 2 3 5\n"


def test_warp_shuffle_and_vote(kernel):
    result = kernel.run("""__global__ void warp(int *out)
{
    int v = threadIdx.x;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    unsigned odd = __ballot_sync(0xffffffff, threadIdx.x & 1);
    if (threadIdx.x == 0) { out[0] = v; out[1] = __popc(odd); }
}
int *d_warp, h_warp[2];
cudaMalloc(&d_warp, sizeof(h_warp));
warp<<<1, 32>>>(d_warp);
cudaMemcpy(h_warp, d_warp, sizeof(h_warp), cudaMemcpyDeviceToHost);
printf("%d %d\\n", h_warp[0], h_warp[1]);""").ok()
    assert result.stdout == "496 16\n"


def test_double_precision_math(kernel):
    result = kernel.run("""#include <math.h>
__global__ void functions(double *out, double x)
{
    out[0] = sqrt(x); out[1] = exp(x); out[2] = sin(x); out[3] = pow(x, 1.5); out[4] = fma(x, x, 1.0);
}
double *d_f, h_f[5], x = 1.75, e[5] = { sqrt(1.75), exp(1.75), sin(1.75), pow(1.75, 1.5), 1.75 * 1.75 + 1 };
cudaMalloc(&d_f, sizeof(h_f));
functions<<<1, 1>>>(d_f, x);
cudaMemcpy(h_f, d_f, sizeof(h_f), cudaMemcpyDeviceToHost);
double worst = 0;
for (int i = 0; i < 5; i++) worst = fmax(worst, fabs(h_f[i] / e[i] - 1));
worst < 1e-14""").ok()
    assert result.text in ("1", "true")


def test_unchecked_launch_error_is_a_warning_with_its_line(kernel):
    result = kernel.run("__global__ void idle_entry() { }\n\nidle_entry<<<1, 4096>>>();").ok()
    assert "cudaErrorInvalid" in result.shown and "line 3" in result.shown, result.shown


def test_device_properties(kernel):
    result = kernel.run("""cudaDeviceProp prop;
int devices = 0;
cudaGetDeviceCount(&devices);
cudaGetDeviceProperties(&prop, 0);
printf("%d %d %d\\n", devices, prop.warpSize, prop.maxThreadsPerBlock);""").ok()
    assert result.stdout == "1 32 1024\n"


def test_changed_entry_replaces_the_old_one(kernel):
    kernel.run("__global__ void answer(int *p) { *p = 1; }\nint *d_answer, h_answer; cudaMalloc(&d_answer, 4);").ok()
    ask = "answer<<<1, 1>>>(d_answer); cudaMemcpy(&h_answer, d_answer, 4, cudaMemcpyDeviceToHost); h_answer"
    assert kernel.run(ask).ok().text == "1"
    kernel.run("__global__ void answer(int *p) { *p = 42; }").ok()
    assert kernel.run(ask).ok().text == "42"


def test_whole_program_pasted_into_a_cell(kernel):
    kernel.run("""#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \\
        fprintf(stderr, "%s\\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void square(float *p, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        p[i] = p[i] * p[i];
}

int main(void)
{
    const int n = 1000;
    float *h = (float *)malloc(n * sizeof(float)), *d;

    for (int i = 0; i < n; i++)
        h[i] = i;
    CHECK(cudaMalloc((void **)&d, n * sizeof(float)));
    CHECK(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice));
    square<<<(n + 255) / 256, 256>>>(d, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    printf("h[30] = %.0f\\n", h[30]);
    cudaFree(d);
    free(h);
    return 0;
}""").ok()
    assert kernel.run("main();").ok().stdout == "h[30] = 900\n"


@pytest.mark.parametrize("cell, words", [
    ("__global__ void broken(int *p) {\n    *p = undefined_name;\n}", ["undefined_name", "line 2"]),
    ("int y = 1;\nint z = y +;", ["expected expression", "line 2"]),
])
def test_compile_errors_are_in_cell_lines(kernel, cell, words):
    result = kernel.run(cell)
    assert result.ename == "CompileError" and result.errors == 1 and not result.stderr
    for word in words:
        assert word in result.traceback.replace(":2:", ": line 2:"), result.traceback


def test_errors_in_device_code_quote_the_line_as_it_was_written(kernel):
    r = kernel.run("int host;\n__global__ void broken(int *p) { int i = threadIdx.x p[i] = 1; }")
    assert r.ename == "CompileError" and r.evalue.endswith(":2:53: error: expected ';' at end of declaration"), r.shown
    assert "    2 | __global__ void broken(int *p) { int i = threadIdx.x p[i] = 1; }\n" in r.traceback, r.shown
    assert 'extern "C"' not in r.traceback
