__global__ void hello(int n) {}
int counter = 1;
//---
helo<<<1, 1>>>(2);
//---
countr + 1
//---
int n = coutner;
//---
entirely_else + 1
