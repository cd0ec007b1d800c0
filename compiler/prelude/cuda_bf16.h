/* SPDX-License-Identifier: Apache-2.0 */
/* As cuda_fp16.h beside it: the types with the bytes that device code sees, and what programs use
 * on both sides. */
#ifndef CGPU_CUDA_BF16_H
#define CGPU_CUDA_BF16_H

typedef __bf16 __nv_bfloat16;
typedef __nv_bfloat16 nv_bfloat16;
typedef struct __nv_bfloat162 {
	__nv_bfloat16 x, y;
} __attribute__((aligned(4))) __nv_bfloat162;
typedef __nv_bfloat162 nv_bfloat162;

#define CGPU_BFLOAT static __inline__ __attribute__((unused, always_inline))

CGPU_BFLOAT float __bfloat162float(__nv_bfloat16 a)
{
	unsigned short bits;
	unsigned wide;
	float f;

	__builtin_memcpy(&bits, &a, sizeof(bits));
	wide = (unsigned)bits << 16;
	__builtin_memcpy(&f, &wide, sizeof(f));
	return f;
}

/* To nearest even; NaN has one form. */
CGPU_BFLOAT __nv_bfloat16 __float2bfloat16(float f)
{
	unsigned short bits = 0x7fff;
	__nv_bfloat16 a;
	unsigned wide;

	__builtin_memcpy(&wide, &f, sizeof(wide));
	if (f == f)
		bits = (unsigned short)((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
	__builtin_memcpy(&a, &bits, sizeof(a));
	return a;
}

CGPU_BFLOAT __nv_bfloat16 __float2bfloat16_rn(float f)
{
	return __float2bfloat16(f);
}
CGPU_BFLOAT __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
	return (__nv_bfloat162){ __float2bfloat16(a), __float2bfloat16(b) };
}
CGPU_BFLOAT __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
	return (__nv_bfloat162){ a, b };
}

#undef CGPU_BFLOAT

#endif
