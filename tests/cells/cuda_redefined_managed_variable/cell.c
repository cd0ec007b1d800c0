__managed__ int shared = 4;
__global__ void bump() { shared *= 2; }
bump<<<1, 1>>>(); cudaDeviceSynchronize();
shared
//---
shared = 50;
bump<<<1, 1>>>(); cudaDeviceSynchronize();
shared
//---
__managed__ float shared = 0.75f;
bump<<<1, 1>>>(); cudaDeviceSynchronize();
shared
