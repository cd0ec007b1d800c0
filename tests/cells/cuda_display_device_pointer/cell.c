#include <vector>
float *d; cudaMalloc(&d, 16);
d != nullptr
//---
std::vector<float> h{ 1, 2, 3, 4 };
cudaMemcpy(d, h.data(), 16, cudaMemcpyHostToDevice)
//---
*d
//---
d[1]
//---
float *m; cudaMallocManaged(&m, 8); m[1] = 2.5;
m[1]
