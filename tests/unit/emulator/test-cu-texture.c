/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, textures and surfaces through the driver API, sampled by the instructions that nvcc
 * writes for tex2D() and its kind. Expected values come from the formulas of the programming guide,
 * worked out by hand for small images.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/emulator.h"

struct point {
	float at[4];
};

struct texel {
	union {
		float f[4];
		uint32_t u[4];
		int32_t s[4];
	};
};

/* Lane i has point i in %f0..%f3 and, as integers, in %i0..%i3; the four results of the instruction
 * go to out[i]. */
static const char frame[] =
	".version 9.0\n.target sm_75\n.address_size 64\n"
	".visible .entry k(.param .u64 handle, .param .u64 points, .param .u64 out)\n{\n"
	".reg .b64 %%rd<8>; .reg .f32 %%f<4>; .reg .b32 %%i<4>; .reg .b32 %%r<8>; .reg .b16 "
	"%%h<4>;\n"
	"ld.param.u64 %%rd0, [handle]; ld.param.u64 %%rd1, [points]; ld.param.u64 %%rd2, [out]; "
	"mov.u32 %%r6, %%tid.x;\n"
	"mul.wide.u32 %%rd3, %%r6, 16; add.s64 %%rd1, %%rd1, %%rd3; add.s64 %%rd2, %%rd2, %%rd3;\n"
	"ld.global.v4.f32 {%%f0, %%f1, %%f2, %%f3}, [%%rd1]; cvt.rmi.s32.f32 %%i0, %%f0; "
	"cvt.rmi.s32.f32 %%i1, %%f1;\n"
	"cvt.rmi.s32.f32 %%i2, %%f2; cvt.rmi.s32.f32 %%i3, %%f3; mov.b32 %%r1, 0; mov.b32 %%r2, 0; "
	"mov.b32 %%r3, 0;\n"
	"%s;\nst.global.v4.u32 [%%rd2], {%%r0, %%r1, %%r2, %%r3};\nret;\n}\n";

static CUresult run(const char *instruction, unsigned long long handle, const struct point *p,
		    unsigned n, struct texel *out)
{
	static CUmodule module; /* a fault leaves it: nothing can be freed behind one */
	char text[2048];
	CUfunction f;
	CUdeviceptr points, results;
	CUresult result;

	snprintf(text, sizeof(text), frame, instruction);
	assert_int_equal(EMU(cuModuleLoadData)(&module, text), 0);
	assert_int_equal(EMU(cuModuleGetFunction)(&f, module, "k"), 0);
	assert_int_equal(EMU(cuMemAlloc)(&points, n * sizeof(*p)), 0);
	assert_int_equal(EMU(cuMemAlloc)(&results, n * sizeof(*out)), 0);
	assert_int_equal(EMU(cuMemcpyHtoD)(points, p, n * sizeof(*p)), 0);
	assert_int_equal(EMU(cuLaunchKernel)(f, 1, 1, 1, n, 1, 1, 0, NULL,
					     (void *[]){ &handle, &points, &results }, NULL),
			 0);
	result = EMU(cuCtxSynchronize)();
	if (result)
		return result;
	assert_int_equal(EMU(cuMemcpyDtoH)(out, results, n * sizeof(*out)), 0);
	EMU(cuMemFree)(points);
	EMU(cuMemFree)(results);
	EMU(cuModuleUnload)(module);
	return 0;
}

static CUarray make_array(CUDA_ARRAY3D_DESCRIPTOR d, const void *texels, size_t texel_bytes)
{
	CUarray a;
	CUDA_MEMCPY3D copy = {
		.srcMemoryType = CU_MEMORYTYPE_HOST,
		.srcHost = texels,
		.srcPitch = d.Width * texel_bytes,
		.srcHeight = d.Height ? d.Height : 1,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY,
		.WidthInBytes = d.Width * texel_bytes,
		.Height = d.Height ? d.Height : 1,
		.Depth = d.Depth ? d.Depth : 1,
	};

	assert_int_equal(EMU(cuArray3DCreate)(&a, &d), 0);
	copy.dstArray = a;
	if (texels)
		assert_int_equal(EMU(cuMemcpy3D)(&copy), 0);
	return a;
}

static CUtexObject make_texture(CUarray a, CUDA_TEXTURE_DESC t)
{
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a };
	CUtexObject object;

	assert_int_equal(EMU(cuTexObjectCreate)(&object, &r, &t, NULL), 0);
	return object;
}

static CUDA_TEXTURE_DESC sampling(CUaddress_mode mode, CUfilter_mode filter, unsigned flags)
{
	return (CUDA_TEXTURE_DESC){ .addressMode = { mode, mode, mode },
				    .filterMode = filter,
				    .flags = flags,
				    .maxMipmapLevelClamp = 16 };
}

#define FLOAT_ARRAY(w, h, d, flags_)                                                               \
	(CUDA_ARRAY3D_DESCRIPTOR)                                                                  \
	{                                                                                          \
		.Width = w, .Height = h, .Depth = d, .Format = CU_AD_FORMAT_FLOAT,                 \
		.NumChannels = 1, .Flags = flags_                                                  \
	}

static const float grid[3][4] = { { 0, 1, 2, 3 }, { 10, 11, 12, 13 }, { 20, 21, 22, 23 } };

static void close_to(float is, float expected)
{
	if (!(fabsf(is - expected) <= 1e-5f * fmaxf(1.0f, fabsf(expected))))
		fail_msg("%.9g, expected %.9g", (double)is, (double)expected);
}

static void expect(const char *instruction, CUtexObject t, const struct point *p,
		   const float *expected, unsigned n)
{
	struct texel out[16];

	assert_int_equal(run(instruction, t, p, n, out), 0);
	for (unsigned i = 0; i < n; i++)
		close_to(out[i].f[0], expected[i]);
}

#define TEX_2D "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}]"
#define EXPECT(instruction, t, points, values)                                                     \
	expect(instruction, t, points, values, sizeof(values) / sizeof((values)[0]))

static void nearest_texels_and_address_modes(void **state)
{
	CUarray a = make_array(FLOAT_ARRAY(4, 3, 0, 0), grid, 4);
	const struct point inside[] = {
		{ { 0.2f, 0.9f } }, { { 3.99f, 2.5f } }, { { -5, 1 } }, { { 9, 7 } }
	};
	const float clamped[] = { 0, 23, 10, 23 }, bordered[] = { 0, 23, 0, 0 };
	/* Normalised: 1.3 * 4 = 5.2, so texel 5: 1 when wrapped, 2 when mirrored. */
	const struct point unit[] = {
		{ { 0.3f, 0.4f } }, { { 1.3f, 0.4f } }, { { -0.3f, 0.4f } }, { { 0.3f, 1.4f } }
	};
	const float wrapped[] = { 11, 11, 12, 11 }, mirrored[] = { 11, 12, 11, 11 };

	(void)state;
	EXPECT(TEX_2D,
	       make_texture(a, sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0)),
	       inside, clamped);
	EXPECT(TEX_2D,
	       make_texture(a, sampling(CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, 0)),
	       inside, bordered);
	EXPECT(TEX_2D,
	       make_texture(a, sampling(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT,
					CU_TRSF_NORMALIZED_COORDINATES)),
	       unit, wrapped);
	EXPECT(TEX_2D,
	       make_texture(a, sampling(CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_POINT,
					CU_TRSF_NORMALIZED_COORDINATES)),
	       unit, mirrored);
	assert_int_equal(EMU(cuArrayDestroy)(a), 0);
}

static void linear_filtering_in_one_to_three_dimensions(void **state)
{
	CUDA_TEXTURE_DESC linear = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0);
	static const float line[] = { 0, 4, 8, 16 },
			   cube[2][2][2] = { { { 0, 1 }, { 2, 3 } }, { { 4, 5 }, { 6, 7 } } };
	const struct point on_line[] = {
		{ { 0.5f } }, { { 1.0f } }, { { 1.75f } }, { { 3.0f } }, { { 9 } }
	};
	const float of_line[] = { 0, 2, 5, 12, 16 };
	const struct point on_grid[] = { { { 0.5f, 0.5f } },
					 { { 2.0f, 1.0f } },
					 { { 1.25f, 1.5f } } };
	const float of_grid[] = { 0, 6.5f, 10.75f };
	const struct point in_cube[] = { { { 1, 1, 1 } },
					 { { 0.5f, 0.5f, 1 } },
					 { { 1.5f, 1.5f, 1.5f } } };
	const float of_cube[] = { 3.5f, 2, 7 };

	(void)state;
	EXPECT("tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0}]",
	       make_texture(make_array(FLOAT_ARRAY(4, 0, 0, 0), line, 4), linear), on_line,
	       of_line);
	EXPECT(TEX_2D, make_texture(make_array(FLOAT_ARRAY(4, 3, 0, 0), grid, 4), linear), on_grid,
	       of_grid);
	EXPECT("tex.3d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1, %f2, %f2}]",
	       make_texture(make_array(FLOAT_ARRAY(2, 2, 2, 0), cube, 4), linear), in_cube,
	       of_cube);
}

static void layers_and_faces(void **state)
{
	static const float layers[3][1][2] = { { { 1, 2 } }, { { 11, 12 } }, { { 21, 22 } } };
	static const float faces[6][1][1] = { { { 0 } }, { { 1 } }, { { 2 } },
					      { { 3 } }, { { 4 } }, { { 5 } } };
	const struct point in_layers[] = { { { 0.5f, 0.5f, 1 } },
					   { { 1.5f, 0.5f, 2 } },
					   { { 1.5f, 0.5f, 9 } } };
	const float of_layers[] = { 11, 22, 22 };
	const struct point directions[] = { { { 3, 1, 1 } },  { { -3, 1, 1 } }, { { 1, 3, 1 } },
					    { { 1, -3, 1 } }, { { 1, 1, 3 } },  { { 1, 1, -3 } } };
	const float of_faces[] = { 0, 1, 2, 3, 4, 5 };

	(void)state;
	EXPECT("tex.a2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%i2, %f0, %f1, %f1}]",
	       make_texture(make_array(FLOAT_ARRAY(2, 1, 3, CUDA_ARRAY3D_LAYERED), layers, 4),
			    sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0)),
	       in_layers, of_layers);
	EXPECT("tex.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1, %f2, %f2}]",
	       make_texture(make_array(FLOAT_ARRAY(1, 1, 6, CUDA_ARRAY3D_CUBEMAP), faces, 4),
			    sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
				     CU_TRSF_NORMALIZED_COORDINATES)),
	       directions, of_faces);
}

static void levels_of_detail(void **state)
{
	CUDA_ARRAY3D_DESCRIPTOR d = FLOAT_ARRAY(4, 4, 0, 0);
	CUDA_TEXTURE_DESC t = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
				       CU_TRSF_NORMALIZED_COORDINATES);
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY };
	const struct point p[] = { { { 0.5f, 0.5f, 0 } },
				   { { 0.5f, 0.5f, 1 } },
				   { { 0.5f, 0.5f, 1.25f } },
				   { { 0.5f, 0.5f, 7 } } };
	const float nearest[] = { 0, 100, 100, 200 }, between[] = { 0, 100, 125, 200 };
	/* A step of half the image is two texels of level 0: level 1. */
	const struct point steps[] = { { { 0.5f, 0.5f, 0.5f, 0 } }, { { 0.5f, 0.5f, 0, 1.0f } } };
	const float by_steps[] = { 100, 200 };
	CUmipmappedArray m;
	CUtexObject object;

	(void)state;
	assert_int_equal(EMU(cuMipmappedArrayCreate)(&m, &d, 9), 0);
	for (unsigned level = 0; level < 3; level++) {
		float texels[16];
		CUarray a;

		for (int i = 0; i < 16; i++)
			texels[i] = 100.0f * (float)level;
		assert_int_equal(EMU(cuMipmappedArrayGetLevel)(&a, m, level), 0);
		assert_int_equal(EMU(cuMemcpyHtoA)(a, 0, texels, 64 >> 2 * level), 0);
	}
	r.res.mipmap.hMipmappedArray = m;
	assert_int_equal(EMU(cuTexObjectCreate)(&object, &r, &t, NULL), 0);
#define TEX_LEVEL "tex.level.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}], %f2"
	EXPECT(TEX_LEVEL, object, p, nearest);
	EXPECT("mov.f32 %f1, 0f3F000000; mov.b32 %i0, 0; mov.b32 %f0, %i0;\n"
	       "tex.grad.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f1, %f1}], {%f2, %f0}, {%f0, "
	       "%f3}",
	       object, steps, by_steps);
	t.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
	assert_int_equal(EMU(cuTexObjectCreate)(&object, &r, &t, NULL), 0);
	EXPECT(TEX_LEVEL, object, p, between);
	assert_int_equal(EMU(cuTexObjectDestroy)(object), 0);
	assert_int_equal(EMU(cuTexObjectDestroy)(object), CUDA_ERROR_INVALID_VALUE);
}

static void formats_are_read_as_numbers_or_fractions(void **state)
{
	static const uint8_t bytes[2][4] = { { 0, 51, 102, 255 }, { 1, 2, 3, 4 } };
	static const int16_t words[2] = { -32768, 16384 };
	CUDA_ARRAY3D_DESCRIPTOR four = {
		.Width = 2, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 4
	};
	CUDA_ARRAY3D_DESCRIPTOR one = {
		.Width = 2, .Height = 1, .Format = CU_AD_FORMAT_SIGNED_INT16, .NumChannels = 1
	};
	const struct point p[] = { { { 0.5f, 0.5f } }, { { 1.5f, 0.5f } } };
	struct texel out[2];
	CUarray a = make_array(four, bytes, 4), b = make_array(one, words, 2);

	(void)state;
	assert_int_equal(
		run(TEX_2D,
		    make_texture(a, sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0)),
		    p, 2, out),
		0);
	close_to(out[0].f[1], 0.2f);
	close_to(out[0].f[3], 1.0f);
	close_to(out[1].f[2], 3.0f / 255.0f);
	assert_int_equal(
		run("tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}]",
		    make_texture(a, sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
					     CU_TRSF_READ_AS_INTEGER)),
		    p, 2, out),
		0);
	assert_int_equal(out[0].u[3], 255);
	assert_int_equal(out[1].u[0], 1);
	assert_int_equal(
		run(TEX_2D,
		    make_texture(b, sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0)),
		    p, 2, out),
		0);
	close_to(out[0].f[0], -1.0f);
	close_to(out[1].f[0], 16384.0f / 32767.0f);
	assert_int_equal(
		run("tex.2d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}]",
		    make_texture(b, sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
					     CU_TRSF_READ_AS_INTEGER)),
		    p, 2, out),
		0);
	assert_int_equal(out[0].s[0], -32768);
}

static void gathers_four_texels(void **state)
{
	CUtexObject t =
		make_texture(make_array(FLOAT_ARRAY(4, 3, 0, CUDA_ARRAY3D_TEXTURE_GATHER), grid, 4),
			     sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0));
	const struct point p = { { 2, 1 } };
	struct texel out;

	(void)state;
	assert_int_equal(run("tld4.r.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}]", t, &p,
			     1, &out),
			 0);
	close_to(out.f[0], 11);
	close_to(out.f[1], 12);
	close_to(out.f[2], 2);
	close_to(out.f[3], 1);
	assert_int_equal(
		run("txq.width.b32 %r0, [%rd0]; txq.height.b32 %r1, [%rd0]", t, &p, 1, &out), 0);
	assert_int_equal(out.u[0], 4);
	assert_int_equal(out.u[1], 3);
}

static void linear_and_pitched_memory(void **state)
{
	CUDA_TEXTURE_DESC t = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
				       CU_TRSF_READ_AS_INTEGER);
	static const int numbers[] = { 5, 6, 7 };
	const struct point at[] = { { { 0 } }, { { 2 } }, { { 3 } }, { { -1 } } };
	const struct point on_grid[] = { { { 1.5f, 2.5f } } };
	const float of_grid[] = { 21 };
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_LINEAR };
	struct texel out[4];
	CUtexObject object;
	CUdeviceptr p;
	size_t pitch;

	(void)state;
	assert_int_equal(EMU(cuMemAlloc)(&p, sizeof(numbers)), 0);
	assert_int_equal(EMU(cuMemcpyHtoD)(p, numbers, sizeof(numbers)), 0);
	r.res.linear.devPtr = p;
	r.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
	r.res.linear.numChannels = 1;
	r.res.linear.sizeInBytes = sizeof(numbers);
	assert_int_equal(EMU(cuTexObjectCreate)(&object, &r, &t, NULL), 0);
	assert_int_equal(
		run("tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%i0}]", object, at, 4, out),
		0);
	assert_int_equal(out[0].s[0], 5);
	assert_int_equal(out[1].s[0], 7);
	assert_int_equal(out[2].s[0], 0);
	assert_int_equal(out[3].s[0], 0);
	assert_int_equal(EMU(cuMemAllocPitch)(&p, &pitch, 16, 3, 4), 0);
	for (unsigned y = 0; y < 3; y++)
		assert_int_equal(EMU(cuMemcpyHtoD)(p + y * pitch, grid[y], 16), 0);
	memset(&r, 0, sizeof(r));
	r.resType = CU_RESOURCE_TYPE_PITCH2D;
	r.res.pitch2D.devPtr = p;
	r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
	r.res.pitch2D.numChannels = 1;
	r.res.pitch2D.width = 4;
	r.res.pitch2D.height = 3;
	r.res.pitch2D.pitchInBytes = pitch;
	assert_int_equal(EMU(cuTexObjectCreate)(&object, &r, &t, NULL), 0);
	EXPECT(TEX_2D, object, on_grid, of_grid);
}

static CUsurfObject make_surface(CUarray a)
{
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a };
	CUsurfObject s;

	assert_int_equal(EMU(cuSurfObjectCreate)(&s, &r), 0);
	return s;
}

static void surfaces_are_read_and_written(void **state)
{
	CUarray a = make_array(FLOAT_ARRAY(4, 3, 0, CUDA_ARRAY3D_SURFACE_LDST), grid, 4);
	CUsurfObject s = make_surface(a);
	const struct point p[] = { { { 4, 1, 7 } }, { { 12, 2, 9 } } }, outside = { { 16, 1 } };
	struct texel out[2];
	float back[3][4];

	(void)state;
	assert_int_equal(run("suld.b.2d.b32.trap {%r0}, [%rd0, {%i0, %i1}];\n"
			     "sust.b.2d.b32.trap [%rd0, {%i0, %i1}], {%f2}",
			     s, p, 2, out),
			 0);
	close_to(out[0].f[0], 11);
	close_to(out[1].f[0], 23);
	assert_int_equal(EMU(cuMemcpyAtoH)(back, a, 0, sizeof(back)), 0);
	close_to(back[1][1], 7);
	close_to(back[2][3], 9);
	close_to(back[0][0], 0);
	assert_int_equal(run("suld.b.2d.b32.zero {%r0}, [%rd0, {%i0, %i1}];\n"
			     "suld.b.2d.b32.clamp {%r1}, [%rd0, {%i0, %i1}]",
			     s, &outside, 1, out),
			 0);
	close_to(out[0].f[0], 0);
	close_to(out[0].f[1], 13);
	assert_int_equal(EMU(cuSurfObjectDestroy)(s), 0);
	assert_int_equal(EMU(cuArrayDestroy)(a), 0);
}

static void copies_stay_inside_an_array(void **state)
{
	CUarray a = make_array(FLOAT_ARRAY(4, 3, 0, 0), grid, 4);
	CUDA_ARRAY_DESCRIPTOR d;
	float part[2][2] = { { 0 } };
	CUDA_MEMCPY2D c = {
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.srcArray = a,
		.srcXInBytes = 8,
		.srcY = 1,
		.dstMemoryType = CU_MEMORYTYPE_HOST,
		.dstHost = part,
		.dstPitch = 8,
		.WidthInBytes = 8,
		.Height = 2,
	};

	(void)state;
	assert_int_equal(EMU(cuMemcpy2D)(&c), 0);
	close_to(part[0][0], 12);
	close_to(part[1][1], 23);
	c.srcXInBytes = 12;
	assert_int_equal(EMU(cuMemcpy2D)(&c), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuArrayGetDescriptor)(&d, a), 0);
	assert_int_equal(d.Width, 4);
	assert_int_equal(d.Height, 3);
	assert_int_equal(EMU(cuArrayDestroy)(a), 0);
}

/* The last test: a fault stays with the process. */
static void a_surface_access_outside_is_named(void **state)
{
	static CUarray a; /* as the module in run() */
	const struct point outside = { { 16, 1, 7 } };
	struct emulator_fault fault;
	struct texel out;
	CUsurfObject s;

	(void)state;
	a = make_array(FLOAT_ARRAY(4, 3, 0, CUDA_ARRAY3D_SURFACE_LDST), grid, 4);
	s = make_surface(a);
	assert_int_equal(run("sust.b.2d.b32.trap [%rd0, {%i0, %i1}], {%f2}", s, &outside, 1, &out),
			 CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_true(extension->last_fault(&fault));
	assert_non_null(strstr(fault.text,
			       "x 16 bytes, y 1, z or layer 0 of a surface of 16 bytes by 3 by 1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_texels_and_address_modes),
		cmocka_unit_test(linear_filtering_in_one_to_three_dimensions),
		cmocka_unit_test(layers_and_faces),
		cmocka_unit_test(levels_of_detail),
		cmocka_unit_test(formats_are_read_as_numbers_or_fractions),
		cmocka_unit_test(gathers_four_texels),
		cmocka_unit_test(linear_and_pitched_memory),
		cmocka_unit_test(surfaces_are_read_and_written),
		cmocka_unit_test(copies_stay_inside_an_array),
		cmocka_unit_test(a_surface_access_outside_is_named),
	};

	emulator_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
