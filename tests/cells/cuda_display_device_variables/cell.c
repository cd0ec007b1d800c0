struct pair { int a; float b; };
__device__ pair held = { 3, 0.5f };
held
//---
__constant__ double table[2][2] = { { 1, 2 }, { 3, 4 } };
table
//---
table[1][0]
//---
__managed__ int list[3] = { 1, 2, 3 };
list
//---
__global__ void change() { held.a *= 2; list[1] = 20; }
change<<<1, 1>>>(); cudaDeviceSynchronize();
held
//---
list
//---
__device__ unsigned long long hits;
hits
