#include <cuda_runtime.h>
#define TPB 64
struct pt { float x, y; };
__constant__ float coef[] = { 1, 2, 3, 4 };
__device__ int counter;
const int limit = 7;
__host__ __device__ float twice(float v) { return 2 * v; }
__device__ static float scale(float v) { return v * coef[1] + limit; }

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) { y[i] = a * x[i] + scale(y[i]); atomicAdd(&counter, 1); }
}
//---
float *d_x, *d_y;
cudaMalloc(&d_x, 1000 * sizeof(float));
cudaMalloc(&d_y, 4000);
dim3 grid(16), block(TPB, 1);
saxpy<<<grid, block>>>(1000, 2.0f, d_x, d_y);
for (int i = 0; i < 2; i++) { dim3 g(2, 3); saxpy<<<g, dim3(1, 2), 0>>>(1, 2, d_x, d_y); }
cudaDeviceSynchronize()
//---
__global__ void move(struct pt *p) { p->x = scale(twice(p->y)) + TPB + limit; counter++; }
move<<<1, 1>>>(0);
float h[4];
cudaMemcpyFromSymbol(h, coef, sizeof(h));
cudaDeviceProp prop;
cudaGetDeviceProperties(&prop, 0);
twice(3)
//---
__global__ void bad(int *p)
{
	p[0] = undefined_thing;
}
//---
move<<<1>>>(0);
//---
move<<<1, 1>>>(0, 0);
//---
__managed__ int shared_value = 4;
template <typename T> __device__ T add(T a, T b) { return a + b; }
__global__ void uses(float *o) { o[0] = add(coef[0], 3.0f) + shared_value; }
shared_value + 1
//---
__global__ void later(float *o) { o[0] = add(coef[1], 3.0f); }
