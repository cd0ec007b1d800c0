# SPDX-License-Identifier: Apache-2.0
"""The less used calls of the CUDA runtime API: copies in batches, attributes of nodes, kernels and libraries by handle."""
import pytest

COPIES = """#include <stdio.h>
int *d, *managed, host[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, back[8];
cudaStream_t stream;
cudaArray_t array;
cudaMalloc(&d, sizeof(host));
cudaMallocManaged(&managed, 64);
cudaStreamCreate(&stream);
struct cudaChannelFormatDesc ints = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
cudaMallocArray(&array, &ints, 4, 2, 0);
void *to[2];
const void *from[2];
size_t sizes[2], starts[2] = { 0, 1 };
struct cudaMemcpyAttributes how[2] = { { .srcAccessOrder = cudaMemcpySrcAccessOrderStream },
                                       { .srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall } };
struct cudaMemcpy3DBatchOp ops[2] = {};
"""


def test_copies_in_batches(kernel):
    kernel.run(COPIES).ok()
    r = kernel.run("""to[0] = d; from[0] = host; sizes[0] = 16;
to[1] = d + 4; from[1] = host; sizes[1] = 16;
int batch = cudaMemcpyBatchAsync(to, from, sizes, 2, how, starts, 2, stream);
host[0] = 100; /* has been read */
to[0] = back; from[0] = d; sizes[0] = 32;
cudaMemcpyBatchAsync(to, from, sizes, 1, how, starts, 1, stream);
cudaStreamSynchronize(stream);
printf("%d  %d %d %d", batch, back[3], back[4], back[7]);""").ok()
    assert r.stdout == "0  4 1 4", r.shown
    r = kernel.run("""for (int i = 0; i < 2; i++) {
  ops[i].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  ops[i].extent = (struct cudaExtent){ 2, 2, 1 };
}
host[0] = 1;
ops[0].src.type = cudaMemcpyOperandTypePointer;   /* two columns of rows of four */
ops[0].src.op.ptr.ptr = host + 1;
ops[0].src.op.ptr.rowLength = 4;
ops[0].dst.type = cudaMemcpyOperandTypeArray;
ops[0].dst.op.array.array = array;
ops[0].dst.op.array.offset.x = 2;
int first = cudaMemcpy3DBatchAsync(1, ops, 0, stream);
ops[1].src = ops[0].dst;
ops[1].dst.type = cudaMemcpyOperandTypePointer;   /* close together */
ops[1].dst.op.ptr.ptr = back;
int second = cudaMemcpy3DBatchAsync(1, ops + 1, 0, stream);
cudaStreamSynchronize(stream);
printf("%d %d  %d %d %d %d", first, second, back[0], back[1], back[2], back[3]);""").ok()
    assert r.stdout == "0 0  2 3 6 7", r.shown
    r = kernel.run("""struct cudaMemcpy3DPeerParms peer = { .extent = { 8, 2, 1 } };
peer.srcPtr = make_cudaPitchedPtr(d, 16, 4, 2);
peer.dstPtr = make_cudaPitchedPtr(back, 8, 2, 2);
int wait = cudaMemcpy3DPeer(&peer);
peer.srcPos.x = 8;
int later = cudaMemcpy3DPeerAsync(&peer, stream);
cudaStreamSynchronize(stream);
peer.srcDevice = 7;
printf("%d %d  %d %d  %d", wait, later, back[0], back[3], cudaMemcpy3DPeer(&peer)); cudaGetLastError();""").ok()
    assert r.stdout == "0 0  3 4  101", r.shown


LIBRARY = r"""#include <stdio.h>
const char *ptx =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .global .attribute(.managed) .align 4 .u32 shown = 9;\n"
    ".visible .entry count(.param .u64 to)\n{\n.reg .b64 %p;\n.reg .b32 %v<3>;\nld.param.u64 %p, [to];\n"
    "ld.global.u32 %v1, [counter];\nadd.u32 %v1, %v1, 1;\nst.global.u32 [counter], %v1;\nst.global.u32 [%p], %v1;\n"
    "st.global.u32 [shown], %v1;\nret;\n}\n"
    ".visible .entry nothing()\n{\nret;\n}\n";
int *d, got;
cudaLibrary_t library;
cudaKernel_t kernel, all[3] = { 0 };
unsigned kernels;
cudaMalloc(&d, 4);
void *args[] = { &d };
int count(void)
{
    dim3 one = { 1, 1, 1 };
    if (cudaLaunchKernel((void *)kernel, one, one, args, 0, 0))
        return -1;
    cudaMemcpy(&got, d, 4, cudaMemcpyDefault);
    return got;
}
int loaded = cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0);
int found = cudaLibraryGetKernel(&kernel, library, "count");"""


def test_a_library_of_device_code_is_part_of_the_session(kernel):
    r = kernel.run(LIBRARY + """
printf("%d %d %d %d", loaded, found, count(), count());""").ok()
    assert r.stdout == "0 0 6 7", r.shown
    lost = kernel.run("count(); cudaLibraryUnload(library); *(volatile int *)8 = 1;")
    assert lost.status == "error"
    r = kernel.run("""void *counter, *shown;
size_t size;
int eight = count(), value;
cudaLibraryGetGlobal(&counter, &size, library, "counter");
cudaLibraryGetManaged(&shown, NULL, library, "shown");
cudaMemcpy(&value, counter, 4, cudaMemcpyDefault);
cudaLibraryGetKernelCount(&kernels, library);
cudaLibraryEnumerateKernels(all, 3, library);
const char *name;
cudaFuncGetName(&name, all[1]);
printf("%d %d %zu %d  %u %d %s", eight, value, size, *(int *)shown, kernels, all[0] == kernel && !all[2], name);""").ok()
    assert r.stdout == "8 8 4 8  2 1 nothing", r.shown
    r = kernel.run("""cudaKernel_t other;
int no = cudaLibraryGetKernel(&other, library, "nowhere"), none = cudaLibraryGetManaged(NULL, NULL, library, "counter");
int gone = cudaLibraryUnload(library), twice = cudaLibraryUnload(library), after = count();
int empty = cudaMemset(counter, 0, 4);
cudaGetLastError();
printf("%d %d  %d %d %d %d", no, none, gone, twice, after, empty);""").ok()
    assert r.stdout == "500 500  0 400 -1 1", r.shown


def test_a_library_that_cannot_be_loaded_says_why(kernel):
    r = kernel.run(LIBRARY + r"""
const char *wrong = ".version 7.0\n.target sm_70\n.visible .entry x(.param frobnicate) { }";
int bad = cudaLibraryLoadData(&library, wrong, 0, 0, 0, 0, 0, 0);
int machine = cudaLibraryLoadData(&library, "\177ELF\2\1\1", 0, 0, 0, 0, 0, 0);
FILE *f = fopen("library.ptx", "w");
fputs(ptx, f);
fclose(f);
int file = cudaLibraryLoadFromFile(&library, "library.ptx", 0, 0, 0, 0, 0, 0);
int lost = cudaLibraryLoadFromFile(&library, "nowhere.ptx", 0, 0, 0, 0, 0, 0);
cudaLibraryGetKernel(&kernel, library, "count");
cudaGetLastError();
printf("%d %d %d %d  %d", bad, machine, file, lost, count());""").ok()
    assert r.stdout == "218 209 0 301  6", r.shown
    assert "frobnicate" in r.stderr and "machine code" in r.stderr


@pytest.mark.parametrize("call, error", [
    ("cudaMemcpyBatchAsync(to, from, sizes, 2, how, starts, 2, NULL)", "cudaErrorInvalidValue"),
    ("cudaMemcpyBatchAsync(to, from, sizes, 1, how, starts, 2, stream)", "cudaErrorInvalidValue"),
    ("cudaMemcpyBatchAsync(to, from, sizes, 2, how, starts + 1, 1, stream)", "cudaErrorInvalidValue"),
    ("cudaMemcpyBatchAsync(to, from, sizes, 1, (struct cudaMemcpyAttributes[]){ { 0 } }, starts, 1, stream)",
     "cudaErrorInvalidValue"),
    ("cudaMemcpy3DBatchAsync(1, (struct cudaMemcpy3DBatchOp[]){ { 0 } }, 0, stream)", "cudaErrorInvalidValue"),
    ("cudaMemPrefetchBatchAsync((void **)&managed, (size_t[]){ 64 }, 1, &here, starts, 1, 0, stream)", "cudaSuccess"),
    ("cudaMemDiscardBatchAsync((void **)&managed, (size_t[]){ 64 }, 1, 0, stream)", "cudaSuccess"),
    ("cudaMemDiscardBatchAsync((void **)&d, (size_t[]){ 4 }, 1, 0, stream)", "cudaErrorInvalidValue"),
    ("cudaMemDiscardAndPrefetchBatchAsync((void **)&managed, (size_t[]){ 65 }, 1, &here, starts, 1, 0, stream)",
     "cudaErrorInvalidValue"),
    ("cudaArrayGetMemoryRequirements(&needs, array, 0)", "cudaErrorInvalidValue"),
    ("cudaArrayGetSparseProperties(&sparse, (cudaArray_t)&needs)", "cudaErrorInvalidResourceHandle"),
    ("cudaArrayGetPlane(&array, array, 0)", "cudaErrorInvalidValue"),
    ("cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool)", "cudaSuccess"),
    ("cudaMemGetMemPool(&pool, &here, cudaMemAllocationTypeManaged)", "cudaErrorNotSupported"),
    ("cudaMemGetMemPool(&pool, &here, cudaMemAllocationTypeInvalid)", "cudaErrorInvalidValue"),
    ("cudaDeviceGetHostAtomicCapabilities(&bits, &operation, 0, 0)", "cudaErrorInvalidValue"),
    ("cudaDeviceGetP2PAtomicCapabilities(&bits, &operation, 1, 0, 0)", "cudaErrorInvalidDevice"),
    ("cudaGetKernel(&k, back)", "cudaErrorInvalidDeviceFunction"),
    ("cudaGetFuncBySymbol(&f, back)", "cudaErrorInvalidDeviceFunction"),
    ("cudaGetFuncBySymbol(NULL, back)", "cudaErrorInvalidValue"),
])
def test_what_the_calls_answer(kernel, call, error):
    kernel.run(COPIES + """struct cudaMemLocation here = { cudaMemLocationTypeDevice, 0 };
struct cudaArrayMemoryRequirements needs;
struct cudaArraySparseProperties sparse;
enum cudaAtomicOperation operation = cudaAtomicOperationIntegerAdd;
unsigned bits;
cudaKernel_t k;
cudaFunction_t f;
cudaMemPool_t pool;
cudaMemGetDefaultMemPool(&pool, &here, cudaMemAllocationTypePinned);""").ok()
    assert kernel.run(f"""printf("%s", cudaGetErrorName({call})); cudaGetLastError();""").ok().stdout == error


def test_the_driver_api_takes_the_function_of_an_entry(kernel):
    """In launches, questions and graphs; in the next process it is asked for again."""
    kernel.run(COPIES + """#include <cuda.h>
__global__ void each(int *p, int v) { p[threadIdx.x] = v; }
int v = 7;
void *args[] = { &d, &v };""").ok()
    for lost in range(2):
        r = kernel.run("""cudaFunction_t f;
const char *name;
CUgraph graph;
CUgraphNode node;
CUgraphExec exec;
int got = cudaGetFuncBySymbol(&f, (void *)each), named = cuFuncGetName(&name, f);
int ran = cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, (CUstream)stream, args, NULL);
cudaStreamSynchronize(stream);
cudaMemcpy(back, d, 32, cudaMemcpyDefault);
v = 9;
CUDA_KERNEL_NODE_PARAMS params = { .func = f, 1, 1, 1, 2, 1, 1, 0, args };
cuGraphCreate(&graph, 0);
int added = cuGraphAddKernelNode(&node, graph, NULL, 0, &params);
cuGraphInstantiate(&exec, graph, 0);
int launched = cuGraphLaunch(exec, NULL);
cudaDeviceSynchronize();
cudaMemcpy(back + 4, d, 16, cudaMemcpyDefault);
v = 7;
printf("%d %d %d %d %d %s %d %d %d %d", got, named, ran, added, launched, name, back[0], back[3], back[5], back[6]);""").ok()
        assert r.stdout == "0 0 0 0 0 _Z4eachPii 7 7 9 7", r.shown
        assert kernel.run("*(volatile int *)8 = 1;").status == "error"


def test_kernels_by_handle_and_attributes_of_nodes(kernel):
    kernel.run(COPIES + """__global__ void put(int *p, int v) { p[threadIdx.x] = v; }
cudaKernel_t k;
cudaGraph_t graph;
cudaGraphExec_t exec;
cudaGraphNode_t nodes[2];
int seven = 7;
void *args[] = { &d, &seven };
cudaGetKernel(&k, (void *)put);""").ok()
    lost = kernel.run("put<<<1, 8>>>(d + 1000000, 1); cudaDeviceSynchronize();")
    assert lost.ename == "CudaIllegalAddress"
    r = kernel.run("""int launched = cudaLaunchKernel((void *)k, (dim3){ 1, 1, 1 }, (dim3){ 8, 1, 1 }, args, 0, stream);
cudaMemcpyAsync(back, d, 32, cudaMemcpyDefault, stream);
cudaStreamSynchronize(stream);
int attribute = cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0);
cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
cudaLaunchCooperativeKernel((void *)put, (dim3){ 1, 1, 1 }, (dim3){ 4, 1, 1 }, args, 0, stream);
put<<<1, 4, 0, stream>>>(d, 5);
cudaStreamEndCapture(stream, &graph);
size_t n = 2;
cudaGraphGetNodes(graph, nodes, &n);
cudaKernelNodeAttrValue value = { .priority = -3 }, seen[3];
cudaGraphKernelNodeSetAttribute(nodes[0], cudaKernelNodeAttributePriority, &value);
cudaGraphKernelNodeCopyAttributes(nodes[1], nodes[0]);
cudaGraphKernelNodeGetAttribute(nodes[0], cudaKernelNodeAttributeCooperative, &seen[0]);
cudaGraphKernelNodeGetAttribute(nodes[1], cudaKernelNodeAttributeCooperative, &seen[1]);
cudaGraphKernelNodeGetAttribute(nodes[1], cudaKernelNodeAttributePriority, &seen[2]);
cudaGraphInstantiate(&exec, graph, 0);
cudaGraphLaunch(exec, stream);
int ran = cudaStreamSynchronize(stream);
value.clusterDim.x = 2;
int cluster = cudaGraphKernelNodeSetAttribute(nodes[0], cudaKernelNodeAttributeClusterDimension, &value);
cudaGetLastError();
printf("%d %d %d  %d %d %d  %d %d", launched, back[7], attribute, seen[0].cooperative, seen[1].cooperative, seen[2].priority,
       ran, cluster);""").ok()
    assert r.stdout == "0 7 0  1 1 -3  0 801", r.shown


def test_advice_about_managed_memory_is_kept(kernel):
    kernel.run(COPIES + """struct cudaMemLocation here = { cudaMemLocationTypeDevice, 0 };
struct cudaMemLocation host_side = { cudaMemLocationTypeHost, 0 };
int ask(enum cudaMemRangeAttribute attribute, int from, int n)
{
    int v = -100;
    return cudaMemRangeGetAttribute(&v, 4, attribute, managed + from, n * 4) ? -200 : v;
}
cudaMemAdvise(managed, 32, cudaMemAdviseSetPreferredLocation, here);
cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, here);
cudaMemAdvise(managed, 64, cudaMemAdviseSetAccessedBy, here);
cudaMemPrefetchAsync(managed, 64, here, 0, stream);
cudaMemPrefetchAsync(managed + 8, 32, host_side, 0, stream);""").ok()
    lost = kernel.run("""cudaMemAdvise(managed, 64, cudaMemAdviseUnsetReadMostly, here);
cudaFree(managed); *(volatile int *)8 = 1;""")
    assert lost.status == "error"
    r = kernel.run("""int by[2];
cudaMemAdvise(managed, 4, cudaMemAdviseUnsetAccessedBy, here);
cudaMemRangeGetAttribute(by, 8, cudaMemRangeAttributeAccessedBy, managed + 1, 60);
printf("%d %d %d  %d %d %d  %d %d %d  %d", ask(cudaMemRangeAttributePreferredLocation, 0, 8),
       ask(cudaMemRangeAttributePreferredLocation, 0, 9), ask(cudaMemRangeAttributeReadMostly, 3, 13),
       ask(cudaMemRangeAttributeLastPrefetchLocation, 0, 8), ask(cudaMemRangeAttributeLastPrefetchLocation, 8, 8),
       ask(cudaMemRangeAttributeLastPrefetchLocation, 7, 2), by[0], by[1], ask(cudaMemRangeAttributeAccessedBy, 0, 16),
       ask(cudaMemRangeAttributeReadMostly, 0, 17));
cudaGetLastError();""").ok()
    assert r.stdout == "0 -2 1  0 -1 -2  0 -2 -2  -200", r.shown
