struct __align__(8) pair { float x, y; };
float sum(pair *p) { return p->x + p->y; }
pair v = { 1, 2 };
sum(&v)
//---
__global__ void half_of(pair *p) { p->x /= 2; }
