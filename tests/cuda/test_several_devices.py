# SPDX-License-Identifier: Apache-2.0
"""Cells on several emulated devices: CGPU_EMULATED_DEVICES=3."""
import pytest

PRELUDE = """#include <stdio.h>
#define N 256
__device__ int seen = 10;
__global__ void fill(int *p, int value) { p[threadIdx.x] = value + threadIdx.x; atomicAdd(&seen, 1); }
__global__ void sum(const int *p, int *out) { atomicAdd(out, p[threadIdx.x]); }
__global__ void wait_for(volatile int *flag) { while (!*flag) { } }
int *on[3];
for (int d = 0; d < 3; d++) {
  cudaSetDevice(d); cudaMalloc(&on[d], N * sizeof(int)); cudaMemset(on[d], 0, N * sizeof(int)); }
int first(int d) { int v; cudaMemcpy(&v, on[d], sizeof v, cudaMemcpyDefault); return v; }
int counted(int d) { int v; cudaSetDevice(d); cudaMemcpyFromSymbol(&v, seen, sizeof v); return v; }
cudaSetDevice(0);"""


@pytest.fixture(scope="module")
def devices(start_kernel):
    session = start_kernel(CGPU_EMULATED_DEVICES="3", CGPU_EMULATED_MEMORY="256M")
    session.run(PRELUDE).ok()
    return session


def value(kernel, code):
    return kernel.run(code).ok().stdout


def test_each_device_has_its_variables_and_its_choice_lasts(devices):
    assert value(devices, """for (int d = 0; d < 3; d++) {
  cudaSetDevice(d); for (int n = 0; n <= d; n++) fill<<<1, N>>>(on[d], d * 1000);
  cudaDeviceSynchronize(); }
printf("%d %d %d  %d %d %d", first(0), first(1), first(2), counted(0), counted(1), counted(2));""") == "0 1000 2000  266 522 778"
    devices.run("cudaSetDevice(1);").ok()
    assert value(devices, 'int d; cudaGetDevice(&d); printf("%d", d);') == "1"
    # A thread of its own begins at the first one.
    assert value(devices, """#include <pthread.h>
int here, there;
void *ask(void *unused) { cudaGetDevice(&there); cudaSetDevice(2); return NULL; }
pthread_t t; pthread_create(&t, NULL, ask, NULL); pthread_join(t, NULL);
cudaGetDevice(&here); printf("%d %d", here, there);""") == "1 0"
    devices.run("cudaSetDevice(0);").ok()


def test_a_fault_on_one_device_takes_the_cell_back_on_all(devices):
    before = value(devices, 'printf("%d %d %d  %d %d", first(0), first(1), first(2), counted(1), counted(2)); cudaSetDevice(0);')
    error = devices.run("""for (int d = 0; d < 3; d++) { cudaSetDevice(d); fill<<<1, N>>>(on[d], 5); }
cudaSetDevice(2); fill<<<1, N>>>(on[2] + (1 << 20), 0); cudaDeviceSynchronize();""")
    assert error.ename == "CudaIllegalAddress"
    assert value(devices, """int d; cudaGetDevice(&d);
printf("%d %d %d  %d %d", first(0), first(1), first(2), counted(1), counted(2)); cudaSetDevice(0);""") == before
    assert value(devices, 'int now; cudaGetDevice(&now); printf("%d", now);') == "0"


def test_memory_of_a_peer_is_closed_until_it_is_opened(devices):
    error = devices.run("""cudaSetDevice(0);
fill<<<1, N>>>(on[1], 7);
cudaDeviceSynchronize();""")
    assert error.ename == "CudaIllegalAddress"
    assert "belongs to another device" in error.traceback
    assert ("which is memory of device 1: this is device 0, for which it is open after "
            "cudaDeviceEnablePeerAccess(1, 0)") in error.traceback
    assert value(devices, """cudaSetDevice(0);
printf("%d ", cudaDeviceEnablePeerAccess(1, 0));
fill<<<1, N>>>(on[1], 7000);
cudaDeviceSynchronize();
printf("%d", first(1));""") == "0 7000"
    # It is the session's, and so it is taken back with a cell.
    assert devices.run("cudaDeviceDisablePeerAccess(1); abort();").ename == "Aborted"
    assert value(devices, """fill<<<1, N>>>(on[1], 8000);
cudaDeviceSynchronize();
printf("%d %d", first(1), cudaDeviceDisablePeerAccess(1));""") == "8000 0"


def test_memory_of_a_pool_is_opened_by_the_pool(devices):
    assert value(devices, """cudaMemPool_t pool; int *taken, *plain;
struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned,
                                  .location = { cudaMemLocationTypeDevice, 1 } };
printf("%d ", cudaMemPoolCreate(&pool, &props));
struct cudaMemAccessDesc access = { { cudaMemLocationTypeDevice, 0 }, cudaMemAccessFlagsProtReadWrite };
printf("%d ", cudaMemPoolSetAccess(pool, &access, 1));
cudaMallocFromPoolAsync(&taken, N * sizeof(int), pool, NULL);
cudaSetDevice(1); cudaMalloc(&plain, N * sizeof(int)); cudaSetDevice(0);
struct cudaPointerAttributes what; cudaPointerGetAttributes(&what, taken);
fill<<<1, N>>>(taken, 50);
int here; cudaMemcpy(&here, taken, sizeof here, cudaMemcpyDefault);
enum cudaMemAccessFlags flags; cudaMemPoolGetAccess(&flags, pool, &access.location);
uint64_t used, reserved; cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
printf("%d %d %d %lu %d", what.device, here, flags, used, reserved >= used);""") == "0 0 1 50 3 1024 1"
    # Written in a cell that fails, it is taken back, although its device is another one.
    assert devices.run("fill<<<1, N>>>(taken, 90); cudaDeviceSynchronize(); abort();").ename == "Aborted"
    assert value(devices, 'cudaMemcpy(&here, taken, sizeof here, cudaMemcpyDefault); printf("%d", here);') == "50"
    result = devices.run("fill<<<1, N>>>(plain, 1); cudaDeviceSynchronize();")
    assert "belongs to another device" in result.traceback
    # Who frees it waits for all who reach it.
    assert value(devices, """int *busy, *let; cudaMallocManaged(&let, 4); *let = 0; cudaStream_t slow; cudaStreamCreate(&slow);
cudaMallocFromPoolAsync(&busy, N * sizeof(int), pool, NULL);
#include <pthread.h>
void *open_it(void *unused) { *(volatile int *)let = 1; return NULL; }
wait_for<<<1, 1, 0, slow>>>(let); fill<<<1, N, 0, slow>>>(busy, 1);
pthread_t opener; pthread_create(&opener, NULL, open_it, NULL);
printf("%d %d", cudaFreeAsync(busy, slow), cudaDeviceSynchronize()); pthread_join(opener, NULL);""") == "0 0"
    access = "access.flags = cudaMemAccessFlagsProtNone; cudaMemPoolSetAccess(pool, &access, 1);"
    devices.run(access).ok()
    assert devices.run("fill<<<1, N>>>(taken, 1); cudaDeviceSynchronize();").ename == "CudaIllegalAddress"


def test_copies_and_events_cross_devices(devices):
    assert value(devices, """cudaStream_t one, two; cudaEvent_t done;
int *flag; cudaMallocManaged(&flag, 4); *flag = 0;
cudaSetDevice(1); cudaStreamCreate(&one); cudaEventCreate(&done);
wait_for<<<1, 1, 0, one>>>(flag);
fill<<<1, N, 0, one>>>(on[1], 300);
cudaEventRecord(done, one);
cudaSetDevice(2); cudaStreamCreate(&two);
cudaStreamWaitEvent(two, done, 0);
cudaMemcpyPeerAsync(on[2], 2, on[1], 1, N * sizeof(int), two);
int busy = cudaStreamQuery(two) == cudaErrorNotReady;
*(volatile int *)flag = 1;
cudaStreamSynchronize(two);
cudaMemcpy(on[0], on[2], N * sizeof(int), cudaMemcpyDefault);
int *total; cudaMallocManaged(&total, 4); *total = 0;
sum<<<1, N>>>(on[2], total); cudaDeviceSynchronize();
cudaSetDevice(0); sum<<<1, N>>>(on[0], total); cudaDeviceSynchronize();
printf("%d %d %d", busy, first(0), *total);""") == f"1 300 {2 * sum(range(300, 556))}"


def test_a_stream_is_of_its_device(devices):
    result = devices.run("""cudaStream_t s; cudaSetDevice(1); cudaStreamCreate(&s); cudaSetDevice(0);
fill<<<1, N, 0, s>>>(on[0], 1);""").ok()
    assert "cudaErrorInvalidResourceHandle" in result.stderr


def test_gpu_lists_them(devices):
    text = devices.run("%gpu").ok().printed
    for d in range(3):
        assert f"device {d}  0000:0{d}:00.0  cgpu emulated device: " in text
    assert "of 256M" in text or "of 256" in text


def test_properties_tell_them_apart(devices):
    assert value(devices, """struct cudaDeviceProp p[3]; int n, d;
cudaGetDeviceCount(&n);
for (int i = 0; i < 3; i++) cudaGetDeviceProperties(&p[i], i);
cudaDeviceGetByPCIBusId(&d, "0000:02:00.0");
printf("%d %d %d %d %d", n, p[2].pciBusID, memcmp(&p[0].uuid, &p[1].uuid, 16) != 0, d, cudaSetDevice(3));""") == "3 2 1 2 101"
    devices.run("cudaGetLastError();").ok()


def test_a_graph_has_nodes_on_each_device(devices):
    devices.run("""cudaGraph_t graph;
cudaGraphExec_t exec;
cudaGraphNode_t node[4];
int shift[3], *got;
cudaMallocHost(&got, 3 * sizeof(int));
cudaGraphCreate(&graph, 0);
for (int d = 0; d < 3; d++) {
  shift[d] = 100 * d;
  void *args[] = { &on[d], &shift[d] };
  struct cudaKernelNodeParams how = { .func = (void *)fill, .gridDim = { 1, 1, 1 }, .blockDim = { N, 1, 1 },
                                      .kernelParams = args };
  cudaSetDevice(d);
  cudaGraphAddKernelNode(&node[0], graph, NULL, 0, &how);
  cudaGraphAddMemcpyNode1D(&node[1 + d], graph, &node[0], 1, got + d, on[d], sizeof(int), cudaMemcpyDeviceToHost);
}
cudaSetDevice(0);
cudaGraphAddEmptyNode(&node[0], graph, node + 1, 3);
cudaGraphInstantiate(&exec, graph, 0);""").ok()
    launch = """got[0] = got[1] = got[2] = -1;
for (int d = 0; d < 3; d++) { cudaSetDevice(d); cudaMemset(on[d], 0xff, 4); }
cudaSetDevice(1);
cudaStream_t stream;
cudaStreamCreate(&stream);
int launched = cudaGraphLaunch(exec, stream), waited = cudaStreamSynchronize(stream), now;
cudaGetDevice(&now);
printf("%d %d  %d %d %d  %d", launched, waited, got[0], got[1], got[2], now);"""
    assert value(devices, launch) == "0 0  0 100 200  1"
    assert devices.run("cudaGraphExecDestroy(exec); *(volatile int *)8 = 1;").status == "error"
    assert value(devices, launch) == "0 0  0 100 200  1"
    assert value(devices, """cudaSetDevice(0);
int launched = cudaGraphLaunch(exec, NULL);
cudaStreamSynchronize(NULL);
printf("%d %d", launched, got[2]);
cudaGraphExecDestroy(exec); cudaGraphDestroy(graph);""") == "0 200"
