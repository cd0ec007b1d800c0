# SPDX-License-Identifier: Apache-2.0
"""Chapters of the CUDA runtime API in cells: memory pools, streams, occupancy, and what says that it is not supported."""
import pytest

PRELUDE = """#include <stdio.h>
#include <stdint.h>
__global__ void entry(int *p) { __shared__ int s[64]; s[threadIdx.x % 64] = *p; *p = s[0] + 1; }
cudaStream_t stream;
cudaMemPool_t pool, fallback;
int *taken, *managed, value;
unsigned long long number;
size_t size;
cudaStreamCreate(&stream);
cudaDeviceGetDefaultMemPool(&fallback, 0);
cudaMemPoolProps props = {};
props.allocType = cudaMemAllocationTypePinned;
props.location.type = cudaMemLocationTypeDevice;
props.maxSize = 10000;
cudaMemPoolCreate(&pool, &props);
cudaMallocManaged(&managed, 400);"""


def test_pools_keep_count_and_limit_and_come_back_after_a_fault(kernel):
    kernel.run(PRELUDE).ok()
    kernel.run("""number = 5000;
cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &number);
cudaMallocFromPoolAsync(&taken, 6000, pool, stream);""").ok()
    lost = kernel.run("""cudaFreeAsync(taken, stream);
cudaMemPoolDestroy(pool);
*(volatile int *)8 = 1;""")
    assert lost.status == "error"
    r = kernel.run("""uint64_t used, high, threshold;
cudaError_t over = cudaMallocFromPoolAsync(&managed, 6000, pool, stream);
cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
cudaError_t freed = cudaFreeAsync(taken, stream);
cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high);
printf("%s %lu %lu %d %lu", cudaGetErrorName(over), used, threshold, freed, high);""").ok()
    assert r.stdout == "cudaErrorMemoryAllocation 6000 5000 0 6000"


def test_a_chosen_pool_serves_until_it_is_destroyed(kernel):
    kernel.run(PRELUDE).ok()
    r = kernel.run("""uint64_t of_pool, of_fallback;
cudaMemPool_t current;
cudaDeviceSetMemPool(0, pool);
cudaMallocAsync(&taken, 100, stream);
cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &of_pool);
cudaMemPoolGetAttribute(fallback, cudaMemPoolAttrUsedMemCurrent, &of_fallback);
cudaMemPoolDestroy(pool);
cudaDeviceGetMemPool(&current, 0);
printf("%lu %lu %d %d", of_pool, of_fallback, current == fallback, cudaFreeAsync(taken, stream));""").ok()
    assert r.stdout == "100 0 1 0"


@pytest.mark.parametrize("call, error", [
    ("cudaMallocAsync(&taken, 4, (cudaStream_t)&value)", "cudaErrorInvalidResourceHandle"),
    ("cudaMallocFromPoolAsync(&taken, 4, (cudaMemPool_t)&value, stream)", "cudaErrorInvalidValue"),
    ("cudaFreeAsync((void *)64, stream)", "cudaErrorInvalidValue"),
    ("cudaFreeAsync(NULL, stream)", "cudaErrorInvalidValue"),
    ("cudaMemPoolDestroy(fallback)", "cudaErrorInvalidValue"),
    ("cudaDeviceGetDefaultMemPool(&pool, 1)", "cudaErrorInvalidDevice"),
    ("(number = 1, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &number))", "cudaErrorInvalidValue"),
    ("cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)99, &number)", "cudaErrorInvalidValue"),
    ("(props.handleTypes = cudaMemHandleTypePosixFileDescriptor, cudaMemPoolCreate(&pool, &props))",
     "cudaErrorNotSupported"),
    ("(props.location.id = 3, cudaMemPoolCreate(&pool, &props))", "cudaErrorInvalidDevice"),
    ("cudaStreamAttachMemAsync(stream, managed)", "cudaSuccess"),
    ("cudaStreamAttachMemAsync(stream, managed, 400)", "cudaSuccess"),
    ("cudaStreamAttachMemAsync(stream, managed, 0, cudaMemAttachHost)", "cudaSuccess"),
    ("cudaStreamAttachMemAsync(stream, managed, 8)", "cudaErrorInvalidValue"),
    ("cudaStreamAttachMemAsync(stream, managed, 0, 8)", "cudaErrorInvalidValue"),
    ("cudaStreamGetDevice((cudaStream_t)&value, &value)", "cudaErrorInvalidResourceHandle"),
    ("cudaOccupancyAvailableDynamicSMemPerBlock(&size, entry, 0, 64)", "cudaErrorInvalidValue"),
    ("cudaOccupancyAvailableDynamicSMemPerBlock(&size, &value, 1, 64)", "cudaErrorInvalidDeviceFunction"),
    ("cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)9)", "cudaErrorInvalidValue"),
    ("cudaDeviceGetByPCIBusId(&value, \"ffff:ff:ff.0\")", "cudaErrorInvalidDevice"),
    ("cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0)", "cudaErrorInvalidDevice"),
    ("cudaProfilerStart()", "cudaSuccess"),
    ("cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &number)", "cudaSuccess"),
    ("cudaDeviceGetGraphMemAttribute(1, cudaGraphMemAttrUsedMemCurrent, &number)", "cudaErrorInvalidDevice"),
    ("(number = 0, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &number))", "cudaErrorInvalidValue"),
    ("(number = 0, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &number))", "cudaSuccess"),
    ("cudaDeviceGraphMemTrim(1)", "cudaErrorInvalidDevice"),
    ("cudaFuncGetParamInfo(entry, 0, &size, NULL)", "cudaSuccess"),
    ("cudaFuncGetParamInfo(entry, 1, &size, NULL)", "cudaErrorInvalidValue"),
    ("cudaStreamGetId(stream, &number)", "cudaSuccess"),
    ("cudaStreamCopyAttributes(stream, (cudaStream_t)&value)", "cudaErrorInvalidResourceHandle"),
    ("(value = 1, cudaSetValidDevices(&value, 1))", "cudaErrorInvalidDevice"),
    ("cudaLaunchKernelExC(NULL, entry, NULL)", "cudaErrorInvalidValue"),
    ("cudaCtxResetPersistingL2Cache()", "cudaSuccess"),
])
def test_calls_have_the_errors_of_cuda(kernel, call, error):
    kernel.run(PRELUDE).ok()
    assert kernel.run(f"""printf("%s", cudaGetErrorName({call}));""").ok().stdout == error


def test_streams_and_functions_say_what_they_are(kernel):
    kernel.run(PRELUDE).ok()
    r = kernel.run("""const char *name;
enum cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusActive;
int ordinal = 7;
size_t room, room4;
cudaStreamAttrValue attribute;
cudaStreamIsCapturing(stream, &capturing);
cudaStreamGetDevice(stream, &ordinal);
cudaStreamGetAttribute(stream, cudaStreamAttributePriority, &attribute);
cudaFuncGetName(&name, entry);
cudaOccupancyAvailableDynamicSMemPerBlock(&room, entry, 1, 64);
cudaOccupancyAvailableDynamicSMemPerBlock(&room4, entry, 4, 64);
printf("%d %d %d %s %d %d", capturing == cudaStreamCaptureStatusNone, ordinal, attribute.priority, name,
       (int)room, (int)room4);""").ok()
    assert r.stdout == "1 0 0 _Z5entryPi 48896 24320"


@pytest.mark.parametrize("call, words", [
    ("cudaIpcMemHandle_t handle; cudaIpcGetMemHandle(&handle, managed)", "other programs"),
    ("cudaGraphicsUnmapResources(1, NULL, stream)", "OpenGL"),
    ("cudaGetExportTable(NULL, NULL)", "from cells"),
])
def test_what_is_not_supported_says_so(kernel, call, words):
    kernel.run(PRELUDE).ok()
    declaration, _, expression = call.rpartition("; ")
    r = kernel.run(f"""{declaration + ';' if declaration else ''}
printf("%s", cudaGetErrorName({expression}));""").ok()
    assert r.stdout == "cudaErrorNotSupported" and words in r.stderr, r.shown


def test_limits_of_the_device_are_kept_after_a_fault_and_taken_back_with_a_cell(kernel):
    kernel.run("""size_t heap, stack, before;
cudaDeviceGetLimit(&before, cudaLimitStackSize);
cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20);""").ok()
    assert kernel.run("cudaDeviceSetLimit(cudaLimitStackSize, 4096); *(volatile int *)8 = 1;").status == "error"
    assert kernel.run("""cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
cudaDeviceGetLimit(&stack, cudaLimitStackSize);
(heap == 32 << 20) + 2 * (stack == before) + 4 * (cudaDeviceSetLimit((enum cudaLimit)77, 1) != cudaSuccess)""").text == "7"


def test_a_pointer_is_known_by_its_allocation(fresh_kernel):
    """Buffers of the session lie in chunks; who asks about an address inside hears of the buffer, as of cudaMalloc()."""
    fresh_kernel.run("""#include <stdio.h>
char *small, *large;
CUdeviceptr base, start;
size_t size, range;
unsigned type = 7;
int ordinal = 7, own[4];
CUcontext context, current;
cudaMalloc(&small, 1000);
cudaMalloc(&large, 3 << 20);
cuCtxGetCurrent(&current);""").ok()
    for name, bytes_ in ("small", 1000), ("large", 3 << 20):
        r = fresh_kernel.run(f"""cuMemGetAddressRange(&base, &size, (CUdeviceptr)({name} + 5));
cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, (CUdeviceptr)({name} + 5));
cuPointerGetAttribute(&range, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)({name} + 5));
cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr){name});
printf("%d %zu %d %zu %d", base == (CUdeviceptr){name}, size, start == base, range, context == current);""").ok()
        assert r.stdout == f"1 {bytes_} 1 {bytes_} 1"
    # The plural is asked about any pointer: what is none of CUDA's has nothing.
    r = fresh_kernel.run("""CUpointer_attribute which[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                CU_POINTER_ATTRIBUTE_RANGE_START_ADDR };
void *to[] = { &type, &ordinal, &start };
int code = cuPointerGetAttributes(3, which, to, (CUdeviceptr)own);
printf("%d %u %d %llu;", code, type, ordinal, start);
code = cuPointerGetAttributes(3, which, to, (CUdeviceptr)(large + 9));
printf("%d %u %d %d", code, type, ordinal, start == (CUdeviceptr)large);""").ok()
    assert r.stdout == "0 0 -2 0;0 2 0 1"


def test_static_shared_memory_ends_at_48_kb_as_for_ptxas(kernel):
    entry = """__global__ void tiled(int *out)
{
    __shared__ int a[%d];
    a[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = a[31 - threadIdx.x];
}"""
    r = kernel.run(entry % 12289)
    assert r.ename == "LinkError" and "the __shared__ variables of `tiled` take 49156 bytes, and 49152 is the most" in r.evalue
    assert "cudaFuncSetAttribute(tiled, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)" in r.evalue
    kernel.run(entry % 12288).ok()


def test_functions_of_the_driver_are_found_by_name(fresh_kernel):
    """They are the ones that are counted, also in a cell after a fault."""
    fresh_kernel.run("""#include <stdio.h>
CUresult (*take)(CUdeviceptr *, size_t);
CUdeviceptr p;
enum cudaDriverEntryPointQueryResult found;
void *nothing = &p;""").ok()
    fresh_kernel.run("%limit gpu 64MiB").ok()
    r = fresh_kernel.run("""int code = cudaGetDriverEntryPointByVersion("cuMemAlloc", (void **)&take, 12050,
                                           cudaEnableDefault, &found);
printf("%d %d", code, found);""").ok()
    assert r.stdout == "0 0"
    assert fresh_kernel.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    r = fresh_kernel.run("take(&p, 128 << 20)")
    assert "the limit of device memory for this session is 64.0 MiB" in r.shown
    assert fresh_kernel.run("take(&p, 1 << 20)").ok().text == "CUDA_SUCCESS (0)"
    r = fresh_kernel.run("""code = cudaGetDriverEntryPoint("cuNothing", &nothing, cudaEnableDefault, &found);
printf("%d %d %d", code, found == cudaDriverEntryPointSymbolNotFound, nothing == NULL);""").ok()
    assert r.stdout == "0 1 1"
