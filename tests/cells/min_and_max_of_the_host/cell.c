max(3, 4) + min(2.5f, 1)
//---
__host__ __device__ int clamp(int a) { return min(max(a, 0), 3); }
__global__ void k(int *p) { p[0] = clamp(7) + max(1, 2); }
int *p;
cudaMallocManaged(&p, sizeof(int));
k<<<1, 1>>>(p);
cudaDeviceSynchronize();
p[0] + clamp(-1)
//---
int max(int a, int b) { return 100; }
//---
max(1, 2)
//---
k<<<1, 1>>>(p);
cudaDeviceSynchronize();
p[0]
//---
#include <algorithm>
using namespace std;
min(7, 8)
