int counter = 1;
//---
countr + 1
//---
int n = coutner;
//---
entirely_else + 1
//---
__global__ void hello(int n) {}
//---
helo<<<1, 1>>>(2);
//---
countr + 1
