/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device code for tests, as NVRTC gives it for (lines are counted from the first one below)
 *
 *	__device__ int counter = 5;
 *	__constant__ float weights[4];
 *	__global__ void bump(int *out, int n)
 *	{
 *		int i = blockIdx.x * blockDim.x + threadIdx.x;
 *		if (i < n)
 *			out[i] = i + 5, atomicAdd(&counter, 1);
 *	}
 *	__global__ void weigh(float *out) { out[threadIdx.x] = weights[threadIdx.x] * 2; }
 *
 * and, in a later cell, for
 *
 *	extern __device__ int counter;
 *	__global__ void read_counter(int *out) { *out = counter; }
 */
#ifndef CGPU_TESTS_DEVICE_CODE_UNITS_H
#define CGPU_TESTS_DEVICE_CODE_UNITS_H

#define PTX_HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

#define PTX_UNIT_1                                                                                 \
	PTX_HEAD                                                                                   \
	".visible .global .align 4 .u32 counter = 5;\n"                                            \
	".visible .const .align 4 .b8 weights[16];\n"                                              \
	".visible .entry _Z4bumpPii(.param .u64 _Z4bumpPii_param_0, .param .u32 "                  \
	"_Z4bumpPii_param_1)\n"                                                                    \
	"{\n"                                                                                      \
	".reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<6>;\n"                                 \
	".loc 1 4 0\n"                                                                             \
	"ld.param.u64 %rd1, [_Z4bumpPii_param_0];\nld.param.u32 %r2, [_Z4bumpPii_param_1];\n"      \
	"mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"                    \
	"mad.lo.s32 %r1, %r3, %r4, %r5;\n"                                                         \
	"setp.ge.s32 %p1, %r1, %r2;\n@%p1 bra $L__BB0_2;\n"                                        \
	"cvta.to.global.u64 %rd2, %rd1;\n"                                                         \
	"mov.u64 %rd3, counter;\n"                                                                 \
	"add.s32 %r7, %r1, 5;\nmul.wide.s32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd2, %rd4;\n"            \
	".loc 1 8 3\n"                                                                             \
	"st.global.u32 [%rd5], %r7;\n"                                                             \
	"atom.global.add.u32 %r8, [%rd3], 1;\n"                                                    \
	"$L__BB0_2:\n.loc 1 9 1\nret;\n}\n"                                                        \
	".visible .entry _Z5weighPf(.param .u64 _Z5weighPf_param_0)\n"                             \
	"{\n"                                                                                      \
	".reg .f32 %f<3>;\n.reg .b32 %r<2>;\n.reg .b64 %rd<7>;\n"                                  \
	"ld.param.u64 %rd1, [_Z5weighPf_param_0];\ncvta.to.global.u64 %rd2, %rd1;\n"               \
	"mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nmov.u64 %rd4, weights;\nadd.s64 %rd5, " \
	"%rd4, %rd3;\n"                                                                            \
	"ld.const.f32 %f1, [%rd5];\nadd.f32 %f2, %f1, %f1;\nadd.s64 %rd6, %rd2, %rd3;\n"           \
	"st.global.f32 [%rd6], %f2;\nret;\n}\n"                                                    \
	".file 1 \"In[2]\"\n"

#define PTX_UNIT_2                                                                                 \
	PTX_HEAD                                                                                   \
	".extern .global .align 4 .u32 counter;\n"                                                 \
	".visible .entry _Z12read_counterPi(.param .u64 _Z12read_counterPi_param_0)\n"             \
	"{\n.reg .b32 %r<2>;\n.reg .b64 %rd<3>;\n"                                                 \
	"ld.param.u64 %rd1, [_Z12read_counterPi_param_0];\ncvta.to.global.u64 %rd2, %rd1;\n"       \
	"ld.global.u32 %r1, [counter];\nst.global.u32 [%rd2], %r1;\nret;\n}\n"

#endif
