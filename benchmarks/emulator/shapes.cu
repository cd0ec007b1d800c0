// SPDX-License-Identifier: Apache-2.0
// The shapes that the machine is measured with, one a compilation: SHAPE_name is defined. shapes.cl says the same in
// OpenCL C. Products are contracted where fma() is written and nowhere else, so results are compared bit by bit.
#if defined(SHAPE_saxpy)
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = fmaf(a, x[i], y[i]);
}

#elif defined(SHAPE_matmul)
extern "C" __global__ void matmul(int n, const float *a, const float *b, float *c)
{
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	float s = 0;

	for (int k = 0; k < n; k++)
		s = fmaf(a[y * n + k], b[k * n + x], s);
	c[y * n + x] = s;
}

#elif defined(SHAPE_tiled)
extern "C" __global__ void tiled(const float *in, float *out)
{
	__shared__ float s[2][256];
	int t = threadIdx.x;
	float acc = in[blockIdx.x * 256 + t];

	for (int i = 0; i < 64; i++) {
		s[0][t] = acc;
		s[1][t] = acc * 0.5f;
		__syncthreads();
		for (int k = 0; k < 16; k++)
			acc = fmaf(s[0][(t + k) & 255] * 1e-3f, s[1][(t * k) & 255], acc);
		__syncthreads();
	}
	out[blockIdx.x * 256 + t] = acc;
}

#elif defined(SHAPE_mandelbrot)
extern "C" __global__ void mandelbrot(int n, int limit, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
	float step = 3.f / n, cx = fmaf(i % n, step, -2.f), cy = fmaf(i / n, step, -1.5f), x = 0, y = 0;

	while (k < limit && x * x + y * y < 4.f) {
		float t = x * x - y * y + cx;

		y = fmaf(x + x, y, cy);
		x = t;
		k++;
	}
	out[i] = k;
}

#elif defined(SHAPE_collatz)
extern "C" __global__ void collatz(int n, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, c = 0;
	unsigned v = i + 1;

	if (i >= n)
		return;
	while (v != 1 && c < 1000) {
		v = v & 1 ? 3 * v + 1 : v >> 1;
		c++;
	}
	out[i] = c;
}

#elif defined(SHAPE_polynomial)
extern "C" __global__ void polynomial(const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = in[i], s = 0;

	for (int k = 0; k < 16; k++) {
		s = fmaf(s, x, 0.25f);
		s = fmaf(s, x, -0.5f);
		s = fmaf(s, x, 0.75f);
		s = fmaf(s, x, -0.125f);
		s = fmaf(s, x, 0.375f);
		s = fmaf(s, x, -0.625f);
		s = fmaf(s, x, 0.875f);
		s = fmaf(s, x, -0.0625f);
	}
	out[i] = s;
}

#elif defined(SHAPE_reduction)
extern "C" __global__ void reduction(int n, const float *in, float *out)
{
	__shared__ float part[8];
	int t = threadIdx.x;
	float s = 0;

	for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
		s += in[i];
	for (int d = 16; d > 0; d /= 2)
		s += __shfl_down_sync(0xffffffff, s, d);
	if (t % 32 == 0)
		part[t / 32] = s;
	__syncthreads();
	if (t == 0) {
		for (int i = 1; i < 8; i++)
			s += part[i];
		out[blockIdx.x] = s;
	}
}

#elif defined(SHAPE_histogram)
extern "C" __global__ void histogram(int n, const float *in, int *out)
{
	__shared__ int bins[256];
	int t = threadIdx.x;

	bins[t] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[(int)(in[i] * 255)], 1);
	__syncthreads();
	atomicAdd(&out[t], bins[t]);
}
#endif
