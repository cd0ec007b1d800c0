cudaDeviceProp prop;
printf("%d\n", prop.clockRate);
//---
texture<float, 2> old;
//---
if (threadIdx.x == 0) puts("first");
//---
__global__ void shift(int *p) { *p = __shfl_down(*p, 1) + __shfl(*p, 0); }
//---
__global__ void ask(int *p) { *p = __any(*p) + __ballot(*p); }
//---
__global__ void all(int *p) { *p = __all_sync(0xffffffff, *p); }
