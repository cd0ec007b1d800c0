%%cpp
constexpr int w = 4;
constexpr int cells(int h) { return w * h; }
constexpr int area(int h) { return cells(h) * 10; }
__global__ void k(int *p) { *p = area(1); }
int *q;
cudaMallocManaged(&q, sizeof *q);
area(2)
//---
%%cpp
constexpr int w = 8; int before = area(1); area(2)
//---
%%cpp
before
//---
k<<<1, 1>>>(q);
cudaDeviceSynchronize();
*q
//---
%%cpp
constexpr double w = 0.5;
area(2)
