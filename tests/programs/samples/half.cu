// Halves, bit operations and votes against the host's arithmetic.
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>

__global__ void axpy(const __half2 *x, __half2 *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

__global__ void bits(const unsigned *in, unsigned *out)
{
    unsigned x = in[threadIdx.x], vote = __ballot_sync(~0u, x & 1);
    out[threadIdx.x] = __popc(x) + 100 * __clz(x) + 10000 * __ffs(vote) + (__brev(x) == 0 ? 1000000 : 0);
}

int main()
{
    const int n = 96;
    __half2 *x, *y;
    unsigned *in, *out;
    int wrong = 0;
    cudaMallocManaged(&x, n * sizeof(*x));
    cudaMallocManaged(&y, n * sizeof(*y));
    cudaMallocManaged(&in, 32 * sizeof(*in));
    cudaMallocManaged(&out, 32 * sizeof(*out));
    for (int i = 0; i < n; i++) {
        x[i] = __floats2half2_rn(i, -i);
        y[i] = __floats2half2_rn(0.5f, 1);
    }
    for (int i = 0; i < 32; i++)
        in[i] = i == 31 ? 0 : 1u << i;
    axpy<<<3, 32>>>(x, y, 2, n);
    bits<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        wrong += __low2float(y[i]) != 2 * i + 0.5f || __high2float(y[i]) != 1 - 2 * i;
    for (unsigned i = 0; i < 32; i++)
        wrong += out[i] != (i == 31 ? 1013200 : 10001 + 100 * (31 - i));
    cudaFree(x);
    cudaFree(y);
    cudaFree(in);
    cudaFree(out);
    printf("%d mismatches\n%s\n", wrong, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
