__device__ int total;
__global__ void add(int n) { atomicAdd(&total, n); }
add<<<2, 3>>>(1);
total
//---
add<<<1, 1>>>(100);
total
//---
__device__ int total = 5;
add<<<1, 1>>>(1);
total
//---
__device__ double total = 0.5;
__global__ void add(int n) { atomicAdd(&total, n); }
add<<<1, 1>>>(2);
total
