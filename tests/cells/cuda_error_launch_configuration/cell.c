__global__ void nothing() {}
nothing<<<1, 2048>>>();
//---
nothing<<<0, 1>>>();
//---
nothing<<<dim3(1, 70000), 1>>>();
//---
nothing<<<1, dim3(1, 1, 128)>>>();
//---
nothing<<<1, 1, 1000000>>>();
