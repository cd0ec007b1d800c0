/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries in each packing, libraries and their entries, and the functions of earlier toolkits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <lz4.h>
#include <zstd.h>

#include "tests/unit/emulator.h"

enum packing { PLAIN, LZ4, ZSTD };

/* An entry that writes the number in its text. */
#define TEXT(number)                                                                               \
	".version 9.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 counter = 7;\n"      \
	".visible .entry put(.param .u64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"      \
	"st.global.u32 [%rd1], " number ";\nret;\n}\n"

static char container[8192];

/* What follows is the layout as fatbin.h tells it, written independently: numbers at places. */
static void put(size_t at, uint64_t value, size_t bytes)
{
	memcpy(container + at, &value, bytes);
}

static void begin(void)
{
	memset(container, 0, sizeof(container));
	put(0, 0xba55ed50, 4);
	put(4, 1, 2);
	put(6, 16, 2);
}

static void add(unsigned kind, unsigned target, enum packing packing, const char *text)
{
	uint64_t images;
	size_t at, len = strlen(text) + 1, packed = len;

	memcpy(&images, container + 8, 8);
	at = 16 + images;
	if (packing == LZ4)
		packed = (size_t)LZ4_compress_default(text, container + at + 64, (int)len,
						      LZ4_compressBound((int)len));
	else if (packing == ZSTD)
		packed = ZSTD_compress(container + at + 64, ZSTD_compressBound(len), text, len, 3);
	else
		memcpy(container + at + 64, text, len);
	put(at, kind, 2);
	put(at + 2, 0x101, 2);
	put(at + 4, 64, 4);
	put(at + 8, (packed + 7) / 8 * 8, 8);
	put(at + 16, packing == PLAIN ? 0 : packed, 4);
	put(at + 28, target, 4);
	put(at + 40, packing == LZ4 ? 0x2011 : packing == ZSTD ? 0x8011 : 0x11, 8);
	put(at + 56, packing == PLAIN ? 0 : len, 8);
	put(8, images + 64 + (packed + 7) / 8 * 8, 8);
}

/* What the container's entry writes. */
static unsigned result_of(const void *image)
{
	unsigned value = 0;
	CUlibrary library;
	CUdeviceptr p;
	CUkernel entry;
	void *params[] = { &p };

	assert_int_equal(EMU(cuLibraryLoadData)(&library, image, NULL, NULL, 0, NULL, NULL, 0), 0);
	assert_int_equal(EMU(cuLibraryGetKernel)(&entry, library, "put"), 0);
	assert_int_equal(EMU(cuMemAlloc)(&p, 4), 0);
	assert_int_equal(
		EMU(cuLaunchKernel)((CUfunction)entry, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), 0);
	assert_int_equal(EMU(cuMemcpyDtoH)(&value, p, 4), 0);
	assert_int_equal(EMU(cuMemFree)(p), 0);
	assert_int_equal(EMU(cuLibraryUnload)(library), 0);
	return value;
}

static void every_packing_is_read(void **state)
{
	struct {
		uint32_t magic, version;
		const void *header;
		void *more;
	} wrapper = { 0x466243b1, 1, container, NULL };

	(void)state;
	for (enum packing packing = PLAIN; packing <= ZSTD; packing++) {
		begin();
		add(2, 75, PLAIN, "\177ELF");
		add(1, 75, packing, TEXT("11"));
		assert_int_equal(result_of(container), 11);
		assert_int_equal(result_of(&wrapper), 11);
	}
}

static void the_nearest_target_is_taken(void **state)
{
	(void)state;
	begin();
	add(1, 90, PLAIN, TEXT("90"));
	add(1, 80, PLAIN, TEXT("80"));
	assert_int_equal(result_of(container), 80);
	add(1, 52, PLAIN, TEXT("52"));
	add(1, 70, PLAIN, TEXT("70"));
	add(1, 60, PLAIN, TEXT("60"));
	assert_int_equal(result_of(container), 70);
}

static void what_cannot_run_is_refused(void **state)
{
	char log[256] = "";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)sizeof(log) };
	CUmodule m;

	(void)state;
	begin();
	add(2, 75, PLAIN, "\177ELF");
	assert_int_equal(EMU(cuModuleLoadDataEx)(&m, container, 2, options, values),
			 CUDA_ERROR_NO_BINARY_FOR_GPU);
	assert_non_null(strstr(log, "compile with -gencode arch=compute_75,code=compute_75"));
	begin();
	add(1, 75, ZSTD, TEXT("1"));
	container[100] ^= 0x55;
	assert_int_equal(EMU(cuModuleLoadData)(&m, container), CUDA_ERROR_INVALID_IMAGE);
	begin();
	add(1, 75, PLAIN, TEXT("1"));
	put(16 + 8, 1 << 20, 8);
	assert_int_equal(EMU(cuModuleLoadData)(&m, container), CUDA_ERROR_INVALID_IMAGE);
	put(4, 2, 2);
	assert_int_equal(EMU(cuModuleLoadData)(&m, container), CUDA_ERROR_INVALID_IMAGE);
	assert_int_equal(EMU(cuModuleLoadData)(&m, "\177ELF"), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/* The first len bytes of the container as a file. */
static CUresult load_from_file(size_t len)
{
	char path[] = "/tmp/test-cu-library-XXXXXX";
	int fd = mkstemp(path);
	CUresult result;
	CUmodule m;

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, container, len), len);
	close(fd);
	result = EMU(cuModuleLoad)(&m, path);
	unlink(path);
	if (!result)
		assert_int_equal(EMU(cuModuleUnload)(m), 0);
	return result;
}

static void a_file_that_was_cut_off_is_refused(void **state)
{
	uint64_t images;

	(void)state;
	begin();
	add(1, 75, ZSTD, TEXT("1"));
	memcpy(&images, container + 8, 8);
	assert_int_equal(load_from_file(16 + images), 0);
	assert_int_equal(load_from_file(16 + images - 1), CUDA_ERROR_INVALID_IMAGE);
	assert_int_equal(load_from_file(7), CUDA_ERROR_INVALID_IMAGE);
	put(0, 0x466243b1, 4);
	assert_int_equal(load_from_file(16 + images), CUDA_ERROR_INVALID_IMAGE);
}

static void libraries_answer(void **state)
{
	CUlibrary library, same;
	CUkernel entry, entries[2] = { NULL, NULL };
	CUlaunchConfig config = { .gridDimX = 1,
				  .gridDimY = 1,
				  .gridDimZ = 1,
				  .blockDimX = 1,
				  .blockDimY = 1,
				  .blockDimZ = 1 };
	CUlaunchAttribute cluster = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
				      .value.clusterDim = { 1, 1, 1 } };
	unsigned count, value = 0;
	const char *name;
	CUdeviceptr p;
	CUfunction f;
	size_t size;
	void *params[] = { &p };

	(void)state;
	assert_int_equal(EMU(cuLibraryLoadData)(&library, TEXT("5"), NULL, NULL, 0, NULL, NULL, 0),
			 0);
	assert_int_equal(EMU(cuLibraryGetKernelCount)(&count, library), 0);
	assert_int_equal(count, 1);
	assert_int_equal(EMU(cuLibraryEnumerateKernels)(entries, 2, library), 0);
	assert_int_equal(EMU(cuLibraryGetKernel)(&entry, library, "absent"), CUDA_ERROR_NOT_FOUND);
	assert_int_equal(EMU(cuLibraryGetKernel)(&entry, library, "put"), 0);
	assert_ptr_equal(entry, entries[0]);
	assert_null(entries[1]);
	assert_int_equal(EMU(cuKernelGetName)(&name, entry), 0);
	assert_string_equal(name, "put");
	assert_int_equal(EMU(cuKernelGetLibrary)(&same, entry), 0);
	assert_ptr_equal(same, library);
	assert_int_equal(EMU(cuLibraryGetGlobal)(&p, &size, library, "counter"), 0);
	assert_int_equal(size, 4);
	assert_int_equal(EMU(cuLibraryGetManaged)(&p, &size, library, "counter"),
			 CUDA_ERROR_NOT_FOUND);
	assert_int_equal(EMU(cuKernelGetFunction)(&f, entry), 0);
	config.attrs = &cluster;
	config.numAttrs = 1;
	assert_int_equal(EMU(cuLaunchKernelEx)(&config, f, params, NULL), 0);
	assert_int_equal(EMU(cuMemcpyDtoH)(&value, p, 4), 0);
	assert_int_equal(value, 5);
	cluster.value.clusterDim.x = 2;
	assert_int_equal(EMU(cuLaunchKernelEx)(&config, f, params, NULL), CUDA_ERROR_NOT_SUPPORTED);
	assert_int_equal(EMU(cuLibraryUnload)(library), 0);
}

static size_t four_bytes_a_thread(int threads)
{
	return (size_t)threads * 4;
}

static size_t more_than_there_is(int threads)
{
	(void)threads;
	return 1 << 20;
}

static void entries_answer(void **state)
{
	CUfunctionLoadingState loading = CU_FUNCTION_LOADING_STATE_UNLOADED;
	int ctas, threads, resident;
	CUfunction f, same;
	unsigned count;
	CUmodule m;

	(void)state;
	assert_int_equal(EMU(cuModuleLoadData)(&m, TEXT("5")), 0);
	assert_int_equal(EMU(cuModuleGetFunctionCount)(&count, m), 0);
	assert_int_equal(count, 1);
	assert_int_equal(EMU(cuModuleGetFunction)(&f, m, "put"), 0);
	assert_int_equal(EMU(cuModuleEnumerateFunctions)(&same, 1, m), 0);
	assert_ptr_equal(same, f);
	assert_int_equal(EMU(cuFuncLoad)(f), 0);
	assert_int_equal(EMU(cuFuncIsLoaded)(&loading, f), 0);
	assert_int_equal(loading, CU_FUNCTION_LOADING_STATE_LOADED);
	assert_int_equal(EMU(cuOccupancyMaxPotentialBlockSize)(&ctas, &threads, f,
							       four_bytes_a_thread, 0, 200),
			 0);
	assert_in_range(threads, 32, 200);
	assert_int_equal(EMU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&resident, f, threads,
									  threads * 4u),
			 0);
	assert_int_equal(ctas % resident, 0);
	assert_int_equal(
		EMU(cuOccupancyMaxPotentialBlockSize)(&ctas, &threads, f, more_than_there_is, 0, 0),
		CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuModuleUnload)(m), 0);
}

static void device_context_and_stream_answer(void **state)
{
	CUresult (*capability)(int *, int *, CUdevice);
	unsigned long long ids[2];
	CUcontext context, of_stream;
	CUdevice device = 5;
	int major, minor;
	char id[32];
	unsigned flags;
	CUstream s;
	CUevent e;

	(void)state;
	capability = (__typeof__(capability))emulator_symbol("cuDeviceComputeCapability");
	assert_int_equal(capability(&major, &minor, 0), 0);
	assert_int_equal(major * 10 + minor, 75);
	assert_int_equal(EMU(cuDeviceGetPCIBusId)(id, sizeof(id), 0), 0);
	assert_int_equal(EMU(cuDeviceGetByPCIBusId)(&device, id), 0);
	assert_int_equal(device, 0);
	assert_int_equal(EMU(cuDeviceGetByPCIBusId)(&device, "0000:99:00.0"),
			 CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(EMU(cuCtxCreate)(&context, NULL, CU_CTX_SCHED_SPIN, 0), 0);
	assert_int_equal(EMU(cuCtxGetFlags)(&flags), 0);
	assert_int_equal(flags, CU_CTX_SCHED_SPIN);
	assert_int_equal(EMU(cuStreamCreate)(&s, 0), 0);
	assert_int_equal(EMU(cuStreamGetCtx)(s, &of_stream), 0);
	assert_ptr_equal(of_stream, context);
	assert_int_equal(EMU(cuStreamGetId)(s, &ids[0]), 0);
	assert_int_equal(EMU(cuStreamGetId)(NULL, &ids[1]), 0);
	assert_true(ids[0] != ids[1]);
	assert_int_equal(EMU(cuEventCreate)(&e, 0), 0);
	assert_int_equal(EMU(cuEventRecordWithFlags)(e, s, CU_EVENT_RECORD_DEFAULT), 0);
	assert_int_equal(EMU(cuEventRecordWithFlags)(e, s, 8), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuEventDestroy)(e), 0);
	assert_int_equal(EMU(cuStreamDestroy)(s), 0);
	assert_int_equal(EMU(cuCtxDestroy)(context), 0);
}

static void managed_memory_takes_advice(void **state)
{
	CUmemLocation device = { .type = CU_MEM_LOCATION_TYPE_DEVICE };
	CUpointer_attribute attributes[] = { CU_POINTER_ATTRIBUTE_IS_MANAGED,
					     CU_POINTER_ATTRIBUTE_RANGE_START_ADDR };
	CUdeviceptr p, plain, start = 0;
	int managed = 0;
	void *data[] = { &managed, &start };

	(void)state;
	assert_int_equal(EMU(cuMemAllocManaged)(&p, 4096, CU_MEM_ATTACH_GLOBAL), 0);
	assert_int_equal(EMU(cuMemAlloc)(&plain, 4096), 0);
	assert_int_equal(EMU(cuPointerGetAttributes)(2, attributes, data, p + 8), 0);
	assert_true(managed);
	assert_int_equal(start, p);
	assert_int_equal(EMU(cuMemAdvise)(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, device), 0);
	assert_int_equal(EMU(cuMemPrefetchAsync)(p, 4096, device, 0, NULL), 0);
	assert_int_equal(EMU(cuMemPrefetchAsync)(p, 8 << 20, device, 0, NULL),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemPrefetchAsync)(plain, 4096, device, 0, NULL),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(EMU(cuMemFree)(p), 0);
	assert_int_equal(EMU(cuMemFree)(plain), 0);
}

static void earlier_toolkits_get_their_parameters(void **state)
{
	CUresult (*get)(const char *, void **, int, cuuint64_t);
	CUresult (*create)(CUcontext *, unsigned, CUdevice);
	CUcontext context, current;
	void *p;

	(void)state;
	assert_int_equal(EMU(cuGetProcAddress)("cuGetProcAddress", &p, 11030, 0, NULL), 0);
	get = (__typeof__(get))p;
	assert_int_equal(get("cuCtxCreate", &p, 3020, 0), 0);
	create = (__typeof__(create))p;
	assert_ptr_equal(p, emulator_symbol("cuCtxCreate_v2"));
	assert_int_equal(create(&context, CU_CTX_SCHED_SPIN, 0), 0);
	assert_int_equal(EMU(cuCtxGetCurrent)(&current), 0);
	assert_ptr_equal(current, context);
	assert_int_equal(EMU(cuCtxDestroy)(context), 0);
	assert_int_equal(get("cuCtxCreate", &p, 12050, 0), 0);
	assert_ptr_equal(p, EMU(cuCtxCreate));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packing_is_read),
		cmocka_unit_test(the_nearest_target_is_taken),
		cmocka_unit_test(what_cannot_run_is_refused),
		cmocka_unit_test(a_file_that_was_cut_off_is_refused),
		cmocka_unit_test(libraries_answer),
		cmocka_unit_test(entries_answer),
		cmocka_unit_test(device_context_and_stream_answer),
		cmocka_unit_test(managed_memory_takes_advice),
		cmocka_unit_test(earlier_toolkits_get_their_parameters),
	};

	emulator_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
