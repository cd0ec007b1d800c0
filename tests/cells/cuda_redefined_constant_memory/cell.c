__constant__ float weights[2] = { 0.5f, 2 };
__global__ void mix(float *p) { *p = weights[0] + 10 * weights[1]; }
float *p; cudaMallocManaged(&p, 4);
mix<<<1, 1>>>(p); cudaDeviceSynchronize(); *p
//---
__constant__ float weights[2] = { 1, 3 };
mix<<<1, 1>>>(p); cudaDeviceSynchronize(); *p
//---
float w[2] = { 7, 8 };
cudaMemcpyToSymbol(weights, w, sizeof w);
mix<<<1, 1>>>(p); cudaDeviceSynchronize(); *p
//---
__constant__ double weights[3] = { 0.25, 4, 9 };
mix<<<1, 1>>>(p); cudaDeviceSynchronize(); *p
//---
weights
