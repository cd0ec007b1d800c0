#include <cassert>
__global__ void check(int n) { assert(n > 2); }
__global__ void stop() { __trap(); }
check<<<1, 1>>>(5);
cudaDeviceSynchronize()
//---
check<<<1, 2>>>(1);
cudaDeviceSynchronize();
//---
stop<<<1, 1>>>();
cudaDeviceSynchronize();
