// SPDX-License-Identifier: Apache-2.0
// The five shapes that the machine is measured with. shapes.ptx is nvcc -ptx -arch=sm_75 of this file.
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

extern "C" __global__ void matmul(int n, const float *a, const float *b, float *c)
{
	int x = blockIdx.x * 16 + threadIdx.x % 16, y = blockIdx.y * 16 + threadIdx.x / 16;
	float s = 0;

	for (int k = 0; k < n; k++)
		s += a[y * n + k] * b[k * n + x];
	c[y * n + x] = s;
}

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
			acc += s[0][(t + k) & 255] * s[1][(t * k) & 255] * 1e-3f;
		__syncthreads();
	}
	out[blockIdx.x * 256 + t] = acc;
}

extern "C" __global__ void mandelbrot(int n, int limit, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
	float cx = -2.f + 3.f * (i % n) / n, cy = -1.5f + 3.f * (i / n) / n, x = 0, y = 0;

	while (k < limit && x * x + y * y < 4.f) {
		float t = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = t;
		k++;
	}
	out[i] = k;
}

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
