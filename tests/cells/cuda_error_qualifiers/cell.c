__global__ __device__ void both() {}
//---
struct s { __global__ void member() {} };
//---
void f() { __device__ int local = 3; }
//---
__global__ auto k2() { return 1; }
