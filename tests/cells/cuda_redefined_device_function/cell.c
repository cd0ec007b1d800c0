__device__ int rule(int x) { return x + 1; }
__global__ void apply(int *p) { *p = rule(*p); }
int *p; cudaMallocManaged(&p, 4);
*p = 5; apply<<<1, 1>>>(p); cudaDeviceSynchronize(); *p
//---
__device__ int rule(int x) { return x * 10; }
apply<<<1, 1>>>(p); cudaDeviceSynchronize(); *p
//---
__device__ float rule(int x) { return x / 4.0f; }
apply<<<1, 1>>>(p); cudaDeviceSynchronize(); *p
//---
__device__ int rule(int x, int y) { return x + y; }
__global__ void apply(int *p) { *p = rule(*p, 7); }
apply<<<1, 1>>>(p); cudaDeviceSynchronize(); *p
