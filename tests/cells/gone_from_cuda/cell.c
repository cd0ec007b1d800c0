cudaDeviceProp prop;
printf("%d\n", prop.clockRate);
//---
texture<float, 2> old;
//---
if (threadIdx.x == 0) puts("first");
