template <class F> __global__ void each(int *p, F f) { p[threadIdx.x] = f(threadIdx.x); }
int *p; cudaMallocManaged(&p, 12);
int base = 10;
auto f = [=] __device__ (int i) { return base + i; };
each<<<1, 3>>>(p, f); cudaDeviceSynchronize();
p[2]
//---
base = 20;
each<<<1, 3>>>(p, f); cudaDeviceSynchronize();
p[2]
//---
auto f = [=] __device__ (int i) { return base * i; };
each<<<1, 3>>>(p, f); cudaDeviceSynchronize();
p[2]
