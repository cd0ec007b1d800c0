int count = 3;
int helper(int x) { return x; }
//---
__global__ void g(int *p) { *p = helper(1) + count + helper(2) + later(1); }
int later(int x) { return x; }
//---
__global__ void g(int *p) { *p = nowhere; }
//---
__global__ void h(int *p) { *p = count; }
//---
__device__ int twice(int x) { return 2 * x; }
twice(3)
