struct pair { int a, b; };
__constant__ int one, many[4];
__constant__ pair both;
namespace named { __constant__ int n; }
//---
__global__ void k() { one = 3; }
//---
__global__ void k() { many[1]++; both.b += 2; }
//---
__global__ void k(pair *p) { both = *p; }
//---
__global__ void k() { atomicAdd(&one, 1); }
//---
__device__ void add(int *p) { atomicAdd(p, 1); }
__global__ void k() { add(&named::n); }
//---
__device__ int *pointer() { return &one; }
__global__ void k(int *p) { *p = *pointer() + many[2] + both.a; }
