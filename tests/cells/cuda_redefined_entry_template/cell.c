template <class T, int N> __global__ void put(T *p) { p[0] = N; }
double *d; cudaMallocManaged(&d, 8);
put<double, 3><<<1, 1>>>(d); cudaDeviceSynchronize(); *d
//---
template <class T, int N> __global__ void put(T *p) { p[0] = T(N) / 2; }
put<double, 3><<<1, 1>>>(d); cudaDeviceSynchronize(); *d
//---
template <class T> __global__ void put(T *p, T v) { p[0] = v; }
put<<<1, 1>>>(d, 0.125); cudaDeviceSynchronize(); *d
