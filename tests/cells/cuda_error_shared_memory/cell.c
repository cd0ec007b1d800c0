__global__ void k(float *p, int n) { __shared__ float s[n]; s[0] = 1; p[0] = s[0]; }
//---
__global__ void k2(float *p) { __shared__ float s[4] = { 0 }; p[0] = s[0]; }
