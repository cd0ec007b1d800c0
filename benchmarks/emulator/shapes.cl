// SPDX-License-Identifier: Apache-2.0
// shapes.cu in OpenCL C 1.2, for pocl. It has no operation between the threads of a warp: the reduction goes through local
// memory there, in the same order.
#pragma OPENCL FP_CONTRACT OFF

#if defined(SHAPE_saxpy)
__kernel void saxpy(int n, float a, __global const float *x, __global float *y)
{
	int i = get_global_id(0);

	if (i < n)
		y[i] = fma(a, x[i], y[i]);
}

#elif defined(SHAPE_matmul)
__kernel void matmul(int n, __global const float *a, __global const float *b, __global float *c)
{
	int x = get_global_id(0), y = get_global_id(1);
	float s = 0;

	for (int k = 0; k < n; k++)
		s = fma(a[y * n + k], b[k * n + x], s);
	c[y * n + x] = s;
}

#elif defined(SHAPE_tiled)
__kernel void tiled(__global const float *in, __global float *out)
{
	__local float s[2][256];
	int t = get_local_id(0);
	float acc = in[get_global_id(0)];

	for (int i = 0; i < 64; i++) {
		s[0][t] = acc;
		s[1][t] = acc * 0.5f;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < 16; k++)
			acc = fma(s[0][(t + k) & 255] * 1e-3f, s[1][(t * k) & 255], acc);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = acc;
}

#elif defined(SHAPE_mandelbrot)
__kernel void mandelbrot(int n, int limit, __global int *out)
{
	int i = get_global_id(0), k = 0;
	float step = 3.f / n, cx = fma((float)(i % n), step, -2.f), cy = fma((float)(i / n), step, -1.5f), x = 0, y = 0;

	while (k < limit && x * x + y * y < 4.f) {
		float t = x * x - y * y + cx;

		y = fma(x + x, y, cy);
		x = t;
		k++;
	}
	out[i] = k;
}

#elif defined(SHAPE_collatz)
__kernel void collatz(int n, __global int *out)
{
	int i = get_global_id(0), c = 0;
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
__kernel void polynomial(__global const float *in, __global float *out)
{
	int i = get_global_id(0);
	float x = in[i], s = 0;

	for (int k = 0; k < 16; k++) {
		s = fma(s, x, 0.25f);
		s = fma(s, x, -0.5f);
		s = fma(s, x, 0.75f);
		s = fma(s, x, -0.125f);
		s = fma(s, x, 0.375f);
		s = fma(s, x, -0.625f);
		s = fma(s, x, 0.875f);
		s = fma(s, x, -0.0625f);
	}
	out[i] = s;
}

#elif defined(SHAPE_reduction)
__kernel void reduction(int n, __global const float *in, __global float *out)
{
	__local float part[256];
	int t = get_local_id(0);
	float s = 0;

	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		s += in[i];
	part[t] = s;
	for (int d = 16; d > 0; d /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t % 32 < d)
			part[t] += part[t + d];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t == 0) {
		s = part[0];
		for (int i = 1; i < 8; i++)
			s += part[32 * i];
		out[get_group_id(0)] = s;
	}
}

#elif defined(SHAPE_histogram)
__kernel void histogram(int n, __global const float *in, __global int *out)
{
	__local int bins[256];
	int t = get_local_id(0);

	bins[t] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(&bins[(int)(in[i] * 255)]);
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&out[t], bins[t]);
}
#endif
