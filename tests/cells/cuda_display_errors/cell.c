cudaSuccess
//---
cudaGetLastError()
//---
int *p = nullptr;
cudaMalloc(&p, 64)
//---
cudaGetErrorString(cudaErrorInvalidValue)
//---
cudaError_t e = cudaErrorMemoryAllocation;
e
//---
#include <vector>
std::vector<cudaError_t>{ cudaSuccess, cudaErrorNotReady }
