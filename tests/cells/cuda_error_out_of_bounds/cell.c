__global__ void fill(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; p[i] = i; }
__global__ void local(int *p) { __shared__ int s[8]; s[threadIdx.x] = 1; *p = s[0]; }
int *d; cudaMalloc(&d, 10 * sizeof(int));
//---
fill<<<1, 32>>>(d, 10);
cudaDeviceSynchronize();
//---
local<<<1, 16>>>(d);
cudaDeviceSynchronize();
//---
fill<<<1, 4>>>(nullptr, 4);
cudaDeviceSynchronize();
//---
fill<<<1, 10>>>(d, 10);
cudaDeviceSynchronize()
