__global__ void addp(int *p) { atomicAdd(*p, 1); }
//---
__global__ void addl(long *p) { atomicAdd(p, 1L); }
