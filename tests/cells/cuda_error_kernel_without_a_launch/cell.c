__global__ void work(int *p) { *p = 1; }
void host_function(int *p) { *p = 1; }
__device__ void device_function(int *p) { *p = 1; }
int *d; cudaMalloc(&d, 4);
//---
work(d);
//---
host_function<<<1, 1>>>(d);
//---
device_function<<<1, 1>>>(d);
//---
device_function(d);
//---
__global__ int gives(int *p) { return *p; }
