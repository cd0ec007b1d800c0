# SPDX-License-Identifier: Apache-2.0
"""A program in two files, to be linked on the device: each has a variable `own`, and the second one has what the first
one uses."""

MAIN = r"""#include <stdio.h>
extern __device__ int calls;
__device__ int scaled(int x);
static __device__ int own = 5;
int calls_by_host();
__global__ void entry(int *p)
{
    p[0] = scaled(own);
    p[1] = calls;
}
int main()
{
    int *d, h[2];
    cudaMalloc(&d, sizeof(h));
    entry<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0], h[1], calls_by_host());
    return cudaGetLastError();
}
"""
OTHER = r"""
__device__ int calls = 40;
static __device__ int own = 3;
__device__ int scaled(int x)
{
    calls++;
    return x * own;
}
__global__ void call()
{
    calls++;
}
int calls_by_host()
{
    int n = 0;
    call<<<1, 1>>>();
    cudaMemcpyFromSymbol(&n, calls, sizeof(n));
    return n;
}
"""

OUTPUT = "15 41 42\n"
