struct op { __host__ __device__ int operator()(int a, int b) const { return a + b; } };
template <class F> __global__ void combine(int *p, F f) { p[0] = f(p[0], p[1]); }
int *p; cudaMallocManaged(&p, 8); p[0] = 3; p[1] = 4;
combine<<<1, 1>>>(p, op()); cudaDeviceSynchronize();
p[0] * 100 + op()(1, 1)
//---
struct op { __host__ __device__ int operator()(int a, int b) const { return a * b; } };
combine<<<1, 1>>>(p, op()); cudaDeviceSynchronize();
p[0] * 100 + op()(5, 5)
