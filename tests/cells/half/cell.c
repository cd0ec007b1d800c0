#include <cuda_fp16.h>
__global__ void add(half *p, half a) { p[threadIdx.x] = __hadd(p[threadIdx.x], a); }
__global__ void mul(half2 *p) { p[threadIdx.x] = __hmul2(p[threadIdx.x], __floats2half2_rn(2.f, 3.f)); }
__device__ half g;
struct pair { half a; float b; };
//---
half *d, h[4] = {1, 2, 3, 4};
cudaMalloc(&d, sizeof h);
cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
add<<<1, 4>>>(d, (half)0.5f);
mul<<<1, 2>>>((half2 *)d);
cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
printf("%g %g\n", (double)h[0], __half2float(h[3]));
//---
h
//---
struct pair q = {1.25, 2};
q
//---
__global__ void read(struct pair *p) { p->b = __half2float(p->a) + __half2float(g); }
half one = __float2half(1);
struct pair *on;
cudaMalloc(&on, sizeof q);
cudaMemcpy(on, &q, sizeof q, cudaMemcpyHostToDevice);
cudaMemcpyToSymbol(g, &one, sizeof one);
read<<<1, 1>>>(on);
cudaMemcpy(&q, on, sizeof q, cudaMemcpyDeviceToHost);
q.b
