/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The toolkit's header is C++. Host code of cells gets its types with the same bytes, arithmetic by
 * the C operators, and the functions that programs use on both sides; device code has the toolkit's
 * own.
 */
#ifndef CGPU_CUDA_FP16_H
#define CGPU_CUDA_FP16_H

typedef _Float16 __half;
typedef __half half;
typedef struct __half2 {
	__half x, y;
} __attribute__((aligned(4))) __half2;
typedef __half2 half2;

#define CGPU_HALF static __inline__ __attribute__((unused, always_inline))

CGPU_HALF __half __float2half(float a)
{
	return (__half)a;
}
CGPU_HALF __half __float2half_rn(float a)
{
	return (__half)a;
}
CGPU_HALF __half __double2half(double a)
{
	return (__half)a;
}
CGPU_HALF __half __int2half_rn(int a)
{
	return (__half)a;
}
CGPU_HALF float __half2float(__half a)
{
	return (float)a;
}
CGPU_HALF int __half2int_rn(__half a)
{
	return (int)__builtin_rintf((float)a);
}
CGPU_HALF int __half2int_rz(__half a)
{
	return (int)(float)a;
}
CGPU_HALF __half __hadd(__half a, __half b)
{
	return a + b;
}
CGPU_HALF __half __hsub(__half a, __half b)
{
	return a - b;
}
CGPU_HALF __half __hmul(__half a, __half b)
{
	return a * b;
}
CGPU_HALF __half __hdiv(__half a, __half b)
{
	return a / b;
}
CGPU_HALF __half __hneg(__half a)
{
	return -a;
}
CGPU_HALF __half2 __halves2half2(__half a, __half b)
{
	return (__half2){ a, b };
}
CGPU_HALF __half2 __half2half2(__half a)
{
	return (__half2){ a, a };
}
CGPU_HALF __half2 __floats2half2_rn(float a, float b)
{
	return (__half2){ (__half)a, (__half)b };
}
CGPU_HALF __half __low2half(__half2 a)
{
	return a.x;
}
CGPU_HALF __half __high2half(__half2 a)
{
	return a.y;
}
CGPU_HALF float __low2float(__half2 a)
{
	return (float)a.x;
}
CGPU_HALF float __high2float(__half2 a)
{
	return (float)a.y;
}

#undef CGPU_HALF

#endif
