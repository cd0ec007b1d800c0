template <typename T> __global__ void fill(T *p, T value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) p[i] = value;
}
float *f; cudaMalloc(&f, 40);
fill<float><<<1, 16>>>(f, 2.5, 10);
float h[10];
cudaMemcpy(h, f, sizeof h, cudaMemcpyDeviceToHost);
h
//---
int *d; cudaMalloc(&d, 40);
fill<<<1, 16>>>(d, 7, 10);
int hd[10];
cudaMemcpy(hd, d, sizeof hd, cudaMemcpyDeviceToHost);
hd
//---
fill<float><<<1, 16>>>(f, 1, 5);
cudaMemcpy(h, f, sizeof h, cudaMemcpyDeviceToHost);
h
//---
struct point { float x, y; };
template <typename T, int N = 2> __global__ void put(T *p, T v) { for (int i = 0; i < N; i++) p[i] = v; }
void launch(struct point *p, struct point v) { put<<<1, 1>>>(p, v); put<struct point, 3><<<1, 1>>>(p, v); }
struct point *pp; cudaMalloc(&pp, 10 * sizeof *pp);
launch(pp, (struct point){ 1, 2 });
struct point hp[3]; cudaMemcpy(hp, pp, sizeof hp, cudaMemcpyDeviceToHost);
hp
//---
template <typename T> __device__ T twice(T v) { return v + v; }
template <class A, class B> __global__ void mix(const A *__restrict__ a, B *b, unsigned n)
{
	if (threadIdx.x < n) b[threadIdx.x] = twice(a[threadIdx.x]);
}
double *dd; cudaMalloc(&dd, 80);
mix<<<1, 32>>>(f, dd, 10);
double hdd[10]; cudaMemcpy(hdd, dd, 80, cudaMemcpyDeviceToHost);
hdd
//---
mix<<<1, 32>>>(f, dd);
//---
template <typename T> __global__ void none(int n) { }
none<<<1, 1>>>(3);
//---
none<float><<<1, 1>>>(3);
//---
template <typename T> __global__ void fill(T *p, T value, int n) { if (threadIdx.x < n) p[threadIdx.x] = -value; }
//---
fill<float><<<1, 16>>>(f, 1, 10);
cudaMemcpy(h, f, sizeof h, cudaMemcpyDeviceToHost);
h
//---
fill<float><<<1, 1>>>((float *)16, 1, 10);
cudaDeviceSynchronize()
//---
void *fp = 0; fill<<<1, 1>>>(fp, 1, 10);
//---
template <typename T, int N> struct box { T v[N]; };
template <typename T> class holder { public: T v; __device__ T get() const { return v; } };
template <typename T> __device__ __forceinline__ T scaled(T v, T by = T(2)) { holder<T> h; h.v = v * by; return h.get(); }
__global__ void uses_boxes(float *o) { box<float, 2> b; b.v[0] = 1; b.v[1] = scaled(4.0f); o[0] = b.v[0] + b.v[1]; }
float *o; cudaMalloc(&o, 4); uses_boxes<<<1, 1>>>(o); float ho; cudaMemcpy(&ho, o, 4, cudaMemcpyDeviceToHost); ho
//---
__global__ void later_boxes(float *o) { box<float, 3> b; b.v[2] = scaled(5.0f, 3.0f); o[0] = b.v[2]; }
later_boxes<<<1, 1>>>(o); cudaMemcpy(&ho, o, 4, cudaMemcpyDeviceToHost); ho
