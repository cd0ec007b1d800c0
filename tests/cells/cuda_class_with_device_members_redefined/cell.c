struct particle {
	float x, v;
	__host__ __device__ void step(float dt) { x += v * dt; }
};
__global__ void advance(particle *p) { p[threadIdx.x].step(2); }
particle *p; cudaMallocManaged(&p, 2 * sizeof *p);
p[0] = { 0, 1 }; p[1] = { 10, 2 };
advance<<<1, 2>>>(p); cudaDeviceSynchronize();
p[1]
//---
struct particle {
	float x, v, m = 3;
	__host__ __device__ void step(float dt) { x += v * dt / m; }
};
//---
particle *q; cudaMallocManaged(&q, sizeof *q);
*q = { 0, 6 };
advance<<<1, 1>>>(q); cudaDeviceSynchronize();
*q
