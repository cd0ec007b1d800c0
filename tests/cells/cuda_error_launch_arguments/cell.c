__global__ void scale(float *p, float by, int n) { if (threadIdx.x < n) p[threadIdx.x] *= by; }
float *d; cudaMalloc(&d, 16);
//---
scale<<<1, 4>>>(d, 2.0f);
//---
scale<<<1, 4>>>(d, 2.0f, 4, 5);
//---
scale<<<1, 4>>>(2.0f, d, 4);
//---
double *dd = nullptr;
scale<<<1, 4>>>(dd, 2, 4);
//---
scale<<<4>>>(d, 2, 4);
//---
scale<<<1, 4, 0, 0, 0>>>(d, 2, 4);
