#include <vector>
__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
std::vector<int> made(int n, int v = 3)
{
	int *p;
	cudaMallocManaged(&p, n * sizeof(int));
	fill<<<1, n>>>(p, v);
	cudaDeviceSynchronize();
	std::vector<int> out(p, p + n);
	cudaFree(p);
	return out;
}
made(3)
//---
__global__ void fill(int *p, int v) { p[threadIdx.x] = v * threadIdx.x; }
made(3)
//---
__global__ void fill(int *p, double v) { p[threadIdx.x] = v * 100; }
made(3)
//---
int *one; cudaMallocManaged(&one, 4);
fill<<<1, 1>>>(one, 0.25);
cudaDeviceSynchronize();
*one
