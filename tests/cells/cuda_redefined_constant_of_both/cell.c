constexpr int width = 4;
__host__ __device__ constexpr int cells(int h) { return width * h; }
__global__ void count(int *p) { *p = cells(2) + width; }
int *p; cudaMallocManaged(&p, 4);
count<<<1, 1>>>(p); cudaDeviceSynchronize(); *p * 100 + cells(1)
//---
constexpr int width = 8;
//---
count<<<1, 1>>>(p); cudaDeviceSynchronize(); *p * 100 + cells(1)
//---
__host__ __device__ constexpr int cells(int h) { return width * h; }
count<<<1, 1>>>(p); cudaDeviceSynchronize(); *p * 100 + cells(1)
