int host_count = 0;
float host_table[4] = { 1, 2, 3, 4 };
__device__ int on_device;
__constant__ float c[4];
//---
__global__ void k(int *p) { *p = host_count; }
//---
__global__ void k2(float *p) { *p = host_table[threadIdx.x]; }
//---
on_device = 3;
//---
int copy = on_device;
//---
__global__ void k3() { c[0] = 1; }
