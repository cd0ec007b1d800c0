__global__ void nothing() {}
//---
__syncthreads();
//---
int i = threadIdx.x;
//---
int j = 0;
atomicAdd(&j, 1);
