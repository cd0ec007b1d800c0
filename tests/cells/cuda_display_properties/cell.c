cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
p.warpSize
//---
cudaStream_t s; cudaStreamCreate(&s)
//---
cudaStreamQuery(s)
//---
cudaMemcpyHostToDevice
//---
cudaEvent_t none = nullptr; none
