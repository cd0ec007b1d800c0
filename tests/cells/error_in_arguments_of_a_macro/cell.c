#define CHECK(x) do { if ((x) != cudaSuccess) puts("bad"); } while (0)
float *p;
//---
cudaMalloc(&p, sizeof(nothing));
//---
CHECK(cudaMalloc(&p, nothing * 2));
