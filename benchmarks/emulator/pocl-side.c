/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes on pocl, through OpenCL. The headers and libraries are this benchmark's alone. */
#include "benchmarks/emulator/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !__has_include(<CL/cl.h>)
#error "the benchmark beside pocl needs pocl-opencl-icd, ocl-icd-opencl-dev, opencl-headers"
#endif
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem buffers[BUFFERS];
static char device_name[256];

static void check(cl_int code, const char *what)
{
	if (code != CL_SUCCESS)
		shapes_fail("%s failed with OpenCL error %d", what, code);
}

static cl_platform_id find_platform(void)
{
	cl_platform_id all[16];
	cl_uint count = 0;
	char name[128];

	clGetPlatformIDs(16, all, &count);
	for (cl_uint i = 0; i < count && i < 16; i++)
		if (!clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof(name), name, NULL) &&
		    !strcmp(name, "Portable Computing Language"))
			return all[i];
	shapes_fail("there is no pocl here: apt-get install pocl-opencl-icd");
}

static void start(unsigned threads)
{
	char count[16];
	cl_int code;

	/* Read when pocl makes its threads. Nothing compiled before may be found again. */
	snprintf(count, sizeof(count), "%u", threads);
	setenv("POCL_MAX_PTHREAD_COUNT", count, 1);
	setenv("POCL_KERNEL_CACHE", "0", 1);
	check(clGetDeviceIDs(find_platform(), CL_DEVICE_TYPE_CPU, 1, &device, NULL),
	      "clGetDeviceIDs");
	clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(device_name), device_name, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	check(code, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &code);
	check(code, "clCreateCommandQueue");
	for (int i = 0; i < BUFFERS; i++) {
		buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, BUFFER_BYTES, NULL, &code);
		check(code, "clCreateBuffer");
	}
}

static void set_arguments(const struct shape *s)
{
	for (size_t i = 0; i < s->argument_count; i++) {
		const struct argument *a = &s->arguments[i];
		size_t size = a->kind == ARGUMENT_BUFFER ? sizeof(cl_mem) : 4;
		const void *value = a->kind == ARGUMENT_BUFFER  ? (const void *)&buffers[a->i]
				    : a->kind == ARGUMENT_FLOAT ? (const void *)&a->f
								: (const void *)&a->i;

		check(clSetKernelArg(kernel, (cl_uint)i, size, value), "clSetKernelArg");
	}
}

static void compile(const struct shape *s, const char *folder, unsigned variant)
{
	char *text = shapes_read(folder, "shapes.cl"), options[128], log[4096] = "";
	const char *texts[] = { text };
	cl_int code;

	if (program) {
		clReleaseKernel(kernel);
		clReleaseProgram(program);
	}
	snprintf(options, sizeof(options), "-DSHAPE_%s -DVARIANT=%u", s->name, variant);
	program = clCreateProgramWithSource(context, 1, texts, NULL, &code);
	check(code, "clCreateProgramWithSource");
	if (clBuildProgram(program, 1, &device, options, NULL, NULL)) {
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
				      NULL);
		shapes_fail("shapes.cl, %s: %s", s->name, log);
	}
	kernel = clCreateKernel(program, s->name, &code);
	check(code, "clCreateKernel");
	set_arguments(s);
	free(text);
}

static void launch(const struct shape *s)
{
	size_t local[2] = { s->block[0], s->block[1] };
	size_t global[2] = { local[0] * s->grid[0], local[1] * s->grid[1] };

	check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL),
	      "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
}

static void write_buffer(int buffer, const void *from)
{
	check(clEnqueueWriteBuffer(queue, buffers[buffer], CL_TRUE, 0, BUFFER_BYTES, from, 0, NULL,
				   NULL),
	      "clEnqueueWriteBuffer");
}

static void read_buffer(int buffer, void *to)
{
	check(clEnqueueReadBuffer(queue, buffers[buffer], CL_TRUE, 0, BUFFER_BYTES, to, 0, NULL,
				  NULL),
	      "clEnqueueReadBuffer");
}

const char *pocl_side_device(void)
{
	return device_name;
}

const struct side pocl_side = { start, compile, NULL, write_buffer, launch, read_buffer };
