int helper(int x) { return x + 1; }
struct counter { int n; int next() { return ++n; } };
//---
__global__ void k(int *p) { *p = helper(3); }
//---
__global__ void k5(counter *c) { c->next(); }
//---
__device__ int rand_on_device() { return rand(); }
//---
__global__ void k6(int *p) { throw 3; }
