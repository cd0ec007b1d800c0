# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs in cells: captured, built from nodes, launched again after a fault."""
import pytest

CAPTURED = """#include <stdio.h>
__global__ void add(int *p, int n, long long scale) { p[threadIdx.x] += n * scale; }
cudaDeviceReset();
int *d, host[4], start[4] = { 1, 2, 3, 4 };
cudaStream_t stream, side;
cudaEvent_t fork_, join_;
cudaGraph_t graph;
cudaGraphExec_t exec;
cudaMalloc(&d, sizeof(host));
cudaStreamCreate(&stream);
cudaStreamCreate(&side);
cudaEventCreate(&fork_);
cudaEventCreate(&join_);
cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
cudaMemcpyAsync(d, start, sizeof(start), cudaMemcpyHostToDevice, stream);
for (int i = 1; i <= 3; i++)
    add<<<1, 4, 0, stream>>>(d, i, 10);
cudaEventRecord(fork_, stream);
cudaStreamWaitEvent(side, fork_);
add<<<1, 4, 0, side>>>(d, 1000, 1);
cudaEventRecord(join_, side);
cudaStreamWaitEvent(stream, join_);
cudaMemcpyAsync(host, d, sizeof(host), cudaMemcpyDeviceToHost, stream);
cudaStreamEndCapture(stream, &graph);
cudaGraphInstantiate(&exec, graph);"""

LAUNCH = """host[0] = -1;
cudaGraphLaunch(exec, stream);
cudaStreamSynchronize(stream);
printf("%d %d", host[0], host[3]);"""


def test_nothing_runs_before_the_launch_and_all_of_it_then(kernel):
    kernel.run(CAPTURED).ok()
    r = kernel.run("""size_t n = 0;
cudaGraphGetNodes(graph, NULL, &n);
printf("%d %zu", host[0], n);""").ok()
    assert r.stdout == "0 6"
    for _ in range(2):
        assert kernel.run(LAUNCH).ok().stdout == "1061 1064"
    kernel.run("start[0] = 5;").ok()
    assert kernel.run(LAUNCH).ok().stdout == "1065 1064"


def test_graphs_come_back_after_a_fault(kernel):
    kernel.run(CAPTURED).ok()
    lost = kernel.run("cudaGraphExecDestroy(exec); cudaGraphDestroy(graph); *(volatile int *)8 = 1;")
    assert lost.status == "error"
    assert kernel.run(LAUNCH).ok().stdout == "1061 1064"
    lost = kernel.run("d = d + 1000000; cudaFree(d); cudaGraphLaunch(exec, stream); *(volatile int *)8 = 1;")
    assert lost.status == "error"
    assert kernel.run(LAUNCH).ok().stdout == "1061 1064"


def test_a_graph_of_nodes(kernel):
    kernel.run(CAPTURED).ok()
    r = kernel.run("""void called(void *data) { *(int *)data += 1; }
cudaGraph_t made, clone;
cudaGraphExec_t run;
cudaGraphNode_t fill, launch, back, call;
int calls = 0, amount = 7;
long long scale = 3;
void *args[] = { &d, &amount, &scale };
cudaGraphCreate(&made, 0);
struct cudaMemsetParams zero = { .dst = d, .elementSize = 4, .width = 4, .height = 1 };
cudaGraphAddMemsetNode(&fill, made, NULL, 0, &zero);
struct cudaKernelNodeParams how = { .func = (void *)add, .gridDim = { 1, 1, 1 }, .blockDim = { 4, 1, 1 },
                                    .kernelParams = args };
cudaGraphAddKernelNode(&launch, made, &fill, 1, &how);
cudaGraphAddMemcpyNode1D(&back, made, &launch, 1, host, d, sizeof(host), cudaMemcpyDeviceToHost);
struct cudaHostNodeParams what = { called, &calls };
cudaGraphAddHostNode(&call, made, &back, 1, &what);
cudaGraphClone(&clone, made);
cudaGraphInstantiate(&run, clone, 0);
amount = 0;
cudaGraphLaunch(run, stream);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
printf("%d %d %d", host[0], host[3], calls);""").ok()
    assert r.stdout == "21 21 2", r.shown


@pytest.mark.parametrize("call, error", [
    ("cudaStreamEndCapture(stream, &graph)", "cudaErrorIllegalState"),
    ("cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)", "cudaErrorStreamCaptureUnsupported"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaStreamSynchronize(side))",
     "cudaErrorStreamCaptureUnsupported"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaStreamQuery(side))",
     "cudaErrorStreamCaptureUnsupported"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaMalloc(&d, 4))",
     "cudaErrorStreamCaptureUnsupported"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeRelaxed), cudaMalloc(&d, 4))", "cudaSuccess"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaDeviceSynchronize())",
     "cudaErrorStreamCaptureUnsupported"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaMemcpy(d, host, 4, cudaMemcpyHostToDevice))",
     "cudaErrorStreamCaptureImplicit"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaMemsetAsync(d, 0, 4, 0))",
     "cudaErrorStreamCaptureImplicit"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaStreamQuery(side), "
     "cudaStreamEndCapture(side, &graph))", "cudaErrorStreamCaptureInvalidated"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaStreamBeginCapture(stream, "
     "cudaStreamCaptureModeGlobal), cudaEventRecord(fork_, side), cudaStreamWaitEvent(stream, fork_))",
     "cudaErrorStreamCaptureMerge"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaEventRecord(fork_, side), "
     "cudaStreamWaitEvent(stream, fork_), cudaStreamEndCapture(stream, &graph))", "cudaErrorStreamCaptureUnmatched"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaEventRecord(fork_, side), "
     "cudaStreamWaitEvent(stream, fork_), cudaMemsetAsync(d, 0, 4, stream), cudaStreamEndCapture(side, &graph))",
     "cudaErrorStreamCaptureUnjoined"),
    ("(cudaEventRecord(fork_, stream), cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), "
     "cudaStreamWaitEvent(side, fork_))", "cudaErrorStreamCaptureIsolation"),
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaEventRecord(fork_, side), cudaEventQuery(fork_))",
     "cudaErrorCapturedEvent"),
    ("cudaGraphExecUpdate(exec, (cudaGraph_t)&host, NULL)", "cudaErrorInvalidValue"),
    ("cudaGraphNodeSetEnabled(exec, (cudaGraphNode_t)&host, 0)", "cudaErrorInvalidValue"),
    ("(cudaGraphAddEmptyNode(&one, graph, NULL, 0), cudaGraphAddEmptyNode(&two, graph, &one, 1), "
     "cudaGraphAddDependencies(graph, &two, &one, NULL, 1), cudaGraphInstantiate(&exec, graph))",
     "cudaErrorInvalidValue"),
    ("(cudaGraphAddEmptyNode(&one, graph, NULL, 0), cudaGraphKernelNodeSetParams(one, NULL))", "cudaErrorInvalidValue"),
    ("(cudaGraphAddEmptyNode(&one, graph, NULL, 0), cudaGraphMemsetNodeSetParams(one, &fill_))", "cudaErrorInvalidValue"),
    ("cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 0)", "cudaErrorIllegalState"),
    ("cudaGraphLaunch((cudaGraphExec_t)graph, stream)", "cudaErrorInvalidValue"),
    ("cudaGraphLaunch(exec, (cudaStream_t)&host)", "cudaErrorInvalidResourceHandle"),
    ("cudaGraphDestroy((cudaGraph_t)exec)", "cudaErrorInvalidValue"),
    ("(cudaGraphDestroy(graph), cudaGraphDestroy(graph))", "cudaErrorInvalidValue"),
    ("cudaGraphAddEmptyNode((cudaGraphNode_t *)&host, graph, (cudaGraphNode_t *)&d, 1)", "cudaErrorInvalidValue"),
])
def test_wrong_calls_have_the_errors_of_cuda(kernel, call, error):
    kernel.run(CAPTURED + """
cudaGraphNode_t one, two;
struct cudaMemsetParams fill_ = { .dst = d, .elementSize = 4, .width = 4, .height = 1 };""").ok()
    assert kernel.run(f"""printf("%s", cudaGetErrorName({call}));""").ok().stdout == error


def test_a_graph_in_a_program_for_nvcc(kernel):
    r = kernel.run("""%%cuda
#include <cstdio>
__global__ void inc(float *p) { p[threadIdx.x] += 1; }
int main()
{
    float h[4] = { 1, 2, 3, 4 }, *d;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    inc<<<1, 4, 0, s>>>(d);
    inc<<<1, 4, 0, s>>>(d);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g);
    cudaGraphLaunch(e, s);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%g %g %s", h[0], h[3], cudaGetErrorName(cudaGetLastError()));
}""").ok()
    assert r.stdout == "3 6 cudaSuccess"


NODES = CAPTURED + """
cudaGraph_t made, inner, other;
cudaGraphExec_t run;
cudaGraphNode_t fill, launch, back, child, nodes[8], found;
int amount = 7, result[4];
long long scale = 3;
void *args[] = { &d, &amount, &scale };
struct cudaMemsetParams fill_params = { .dst = d, .value = 0x01020304, .elementSize = 4, .width = 4, .height = 1 };
struct cudaKernelNodeParams launch_params = { .func = (void *)add, .gridDim = { 1, 1, 1 }, .blockDim = { 4, 1, 1 },
                                              .kernelParams = args };
cudaGraphCreate(&made, 0);
cudaGraphAddMemsetNode(&fill, made, NULL, 0, &fill_params);
cudaGraphAddKernelNode(&launch, made, &fill, 1, &launch_params);
cudaGraphAddMemcpyNode1D(&back, made, &launch, 1, result, d, sizeof(result), cudaMemcpyDeviceToHost);
size_t n;
enum cudaGraphNodeType type;"""


def test_a_graph_says_what_it_consists_of(kernel):
    kernel.run(NODES).ok()
    r = kernel.run("""cudaGraphNode_t from[4], to[4];
size_t roots = 8, edges = 4, deps = 8, dependents = 8;
cudaGraphGetRootNodes(made, nodes, &roots);
int root = nodes[0] == fill && !nodes[1];
cudaGraphGetEdges(made, from, to, NULL, &edges);
int edge = from[0] == fill && to[0] == launch && from[1] == launch && to[1] == back;
cudaGraphNodeGetDependencies(back, nodes, NULL, &deps);
cudaGraphNodeGetDependentNodes(fill, nodes, NULL, &dependents);
cudaGraphNodeGetType(launch, &type);
cudaGraphClone(&other, made);
cudaGraphNodeFindInClone(&found, back, other);
cudaGraphDestroyNode(back);
cudaGraphGetNodes(made, NULL, &n);
printf("%zu %d %zu %d %zu %zu %d %d %zu", roots, root, edges, edge, deps, dependents, type, found != back, n);""").ok()
    assert r.stdout == "1 1 2 1 1 1 0 1 2", r.shown


def test_parameters_of_nodes_are_changed_before_and_after_instantiation(kernel):
    kernel.run(NODES).ok()
    r = kernel.run("""struct cudaKernelNodeParams got;
cudaGraphInstantiate(&run, made);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
int first = result[0] - 0x01020304;
amount = 1;
cudaGraphExecKernelNodeSetParams(run, launch, &launch_params);
fill_params.value = 100;
cudaGraphExecMemsetNodeSetParams(run, fill, &fill_params);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
int second = result[3];
cudaGraphKernelNodeGetParams(launch, &got);
int kept = *(int *)got.kernelParams[1];
cudaGraphMemsetNodeSetParams(fill, &fill_params);
cudaGraphExecDestroy(run);
cudaGraphInstantiate(&run, made);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
int third = result[3];
unsigned enabled = 9;
cudaGraphNodeSetEnabled(run, launch, 0);
cudaGraphNodeGetEnabled(run, launch, &enabled);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
printf("%d %d %d %d %d %u %d", first, second, kept, got.func == (void *)add, third, enabled, result[3]);""").ok()
    assert r.stdout == "21 103 7 1 121 0 100", r.shown


def test_an_executable_graph_is_updated(kernel):
    kernel.run(NODES).ok()
    r = kernel.run("""cudaGraphExecUpdateResultInfo info;
cudaGraphInstantiate(&run, made);
cudaGraphClone(&other, made);
cudaGraphNodeFindInClone(&found, launch, other);
amount = 2;
cudaGraphKernelNodeSetParams(found, &launch_params);
cudaError_t good = cudaGraphExecUpdate(run, other, &info);
int why = info.result;
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
int sum = result[0] - 0x01020304;
cudaGraphAddEmptyNode(&found, other, NULL, 0);
cudaError_t bad = cudaGraphExecUpdate(run, other, &info);
int changed = info.result;
cudaGraphClone(&other, made);
cudaGraphNodeFindInClone(&found, fill, other);
cudaGraphDestroyNode(found);
cudaGraphAddEmptyNode(&found, other, NULL, 0);
cudaGraphExecUpdate(run, other, &info);
printf("%d %d %d %d %d %d", good, why, sum, bad, changed, info.result == cudaGraphExecUpdateErrorTopologyChanged);""").ok()
    assert r.stdout == "0 0 6 910 2 1", r.shown


def test_graphs_in_graphs(kernel):
    kernel.run(NODES).ok()
    r = kernel.run("""cudaGraph_t outer, seen;
cudaGraphNode_t first, second;
cudaGraphCreate(&outer, 0);
cudaGraphAddChildGraphNode(&first, outer, NULL, 0, made);
cudaGraphAddKernelNode(&second, outer, &first, 1, &launch_params);
cudaGraphAddMemcpyNode1D(&back, outer, &second, 1, result, d, sizeof(result), cudaMemcpyDeviceToHost);
cudaGraphChildGraphNodeGetGraph(first, &seen);
cudaGraphGetNodes(seen, NULL, &n);
cudaGraphInstantiate(&run, outer);
cudaGraphDestroy(made);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
int sum = result[2] - 0x01020304;
amount = 1;
cudaGraphCreate(&other, 0);
cudaGraphAddKernelNode(&found, other, NULL, 0, &launch_params);
cudaError_t set = cudaGraphExecChildGraphNodeSetParams(run, first, other);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
printf("%zu %d %d %d %d", n, sum, set, result[2] - 0x01020304, cudaGraphDestroy(seen));""").ok()
    assert r.stdout == "3 42 0 66 1", r.shown


def test_events_and_memory_in_graphs(kernel):
    kernel.run(NODES).ok()
    r = kernel.run("""cudaGraph_t timed;
cudaGraphNode_t from, work, to, alloc, free_, set;
struct cudaMemAllocNodeParams memory = {};
memory.poolProps.allocType = cudaMemAllocationTypePinned;
memory.poolProps.location.type = cudaMemLocationTypeDevice;
memory.bytesize = 64;
cudaGraphCreate(&timed, 0);
cudaGraphAddEventRecordNode(&from, timed, NULL, 0, fork_);
cudaGraphAddMemAllocNode(&alloc, timed, &from, 1, &memory);
struct cudaMemsetParams nine = { .dst = memory.dptr, .value = 9, .elementSize = 4, .width = 4, .height = 1 };
cudaGraphAddMemsetNode(&set, timed, &alloc, 1, &nine);
cudaGraphAddMemcpyNode1D(&work, timed, &set, 1, result, memory.dptr, 16, cudaMemcpyDeviceToHost);
cudaGraphAddMemFreeNode(&free_, timed, &work, 1, memory.dptr);
cudaGraphAddEventRecordNode(&to, timed, &free_, 1, join_);
cudaGraphInstantiate(&run, timed);
cudaGraphLaunch(run, stream);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
float ms = -1;
cudaEventElapsedTime(&ms, fork_, join_);
cudaGraphExecDestroy(run);
cudaGraphDestroy(timed);
printf("%d %d %d", result[3], ms >= 0, cudaFree(memory.dptr));""").ok()
    assert r.stdout == "9 1 1", r.shown


def test_memory_is_allocated_in_a_capture(kernel):
    kernel.run(CAPTURED).ok()
    r = kernel.run("""int *taken, got[4] = { 0 };
cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
cudaMallocAsync(&taken, 16, stream);
cudaMemsetAsync(taken, 1, 16, stream);
add<<<1, 4, 0, stream>>>(taken, 1, 1);
cudaMemcpyAsync(got, taken, 16, cudaMemcpyDeviceToHost, stream);
cudaFreeAsync(taken, stream);
cudaStreamEndCapture(stream, &graph);
cudaGraphInstantiate(&exec, graph);
cudaGraphLaunch(exec, stream);
cudaStreamSynchronize(stream);
printf("%#x", got[3]);""").ok()
    assert r.stdout == "0x1010102", r.shown


def test_a_capture_can_be_looked_at_and_steered(kernel):
    kernel.run(NODES).ok()
    r = kernel.run("""enum cudaStreamCaptureStatus status;
const cudaGraphNode_t *deps;
cudaGraph_t into;
cudaStreamBeginCaptureToGraph(stream, made, &launch, NULL, 1, cudaStreamCaptureModeThreadLocal);
cudaStreamGetCaptureInfo(stream, &status, NULL, &into, &deps, NULL, &n);
int here = status == cudaStreamCaptureStatusActive && into == made && n == 1 && deps[0] == launch;
add<<<1, 4, 0, stream>>>(d, 1000, 1);
cudaStreamUpdateCaptureDependencies(stream, &back, NULL, 1, cudaStreamAddCaptureDependencies);
cudaMemcpyAsync(result, d, sizeof(result), cudaMemcpyDeviceToHost, stream);
cudaError_t end = cudaStreamEndCapture(stream, &other);
cudaGraphGetNodes(made, nodes, &n);
n = 8;
cudaGraphGetNodes(made, nodes, &n);
size_t last = 0;
cudaGraphNodeGetDependencies(nodes[4], NULL, NULL, &last);
cudaGraphInstantiate(&run, made);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
cudaThreadExchangeStreamCaptureMode(&mode);
printf("%d %d %d %zu %zu %d %d", here, end, other == made, n, last, result[0] - 0x01020304, mode);""").ok()
    assert r.stdout == "1 0 1 5 2 1021 0", r.shown


def test_another_thread_may_not_end_a_capture(kernel):
    kernel.run("#include <pthread.h>").ok()
    kernel.run(CAPTURED).ok()
    r = kernel.run("""void *end(void *unused) { return (void *)(long)cudaStreamEndCapture(stream, &graph); }
pthread_t thread;
void *code;
cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
pthread_create(&thread, NULL, end, NULL);
pthread_join(thread, &code);
printf("%ld %d", (long)code, cudaStreamEndCapture(stream, &graph));""").ok()
    assert r.stdout == "908 0", r.shown


def test_a_graph_is_drawn(kernel):
    kernel.run(NODES).ok()
    r = kernel.run("""char path[] = "/tmp/graph-XXXXXX", text[4096];
#include <stdlib.h>
#include <unistd.h>
close(mkstemp(path));
cudaError_t drawn = cudaGraphDebugDotPrint(made, path, cudaGraphDebugDotFlagsVerbose);
FILE *f = fopen(path, "r");
text[fread(text, 1, sizeof(text) - 1, f)] = 0;
fclose(f);
unlink(path);
printf("%d %s", drawn, text);""").ok()
    assert r.stdout.startswith("0 digraph dot {")
    assert "MEMSET" in r.stdout and '"graph_0_node_1" -> "graph_0_node_2"' in r.stdout and "<<<(1,1,1),(4,1,1),0>>>" in r.stdout


def test_nodes_come_back_after_a_fault(kernel):
    kernel.run(NODES + "cudaGraphInstantiate(&run, made);").ok()
    lost = kernel.run("""cudaGraphExecKernelNodeSetParams(run, launch, &launch_params);
cudaGraphDestroyNode(fill);
cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
*(volatile int *)8 = 1;""")
    assert lost.status == "error"
    r = kernel.run("""cudaGraphGetNodes(made, NULL, &n);
cudaGraphLaunch(run, stream);
cudaStreamSynchronize(stream);
printf("%zu %d", n, result[0] - 0x01020304);""").ok()
    assert r.stdout == "3 21", r.shown


def test_nodes_by_the_call_for_all_kinds(kernel):
    kernel.run(NODES).ok()
    r = kernel.run("""struct cudaGraphNodeParams any = { .type = cudaGraphNodeTypeMemset };
any.memset.dst = d;
any.memset.value = 5;
any.memset.elementSize = 4;
any.memset.width = 4;
any.memset.height = 1;
cudaGraphCreate(&other, 0);
cudaGraphAddNode(&found, other, NULL, NULL, 0, &any);
cudaGraphInstantiate(&run, other);
any.memset.value = 6;
cudaError_t set = cudaGraphExecNodeSetParams(run, found, &any);
cudaGraphLaunch(run, stream);
cudaMemcpy(result, d, sizeof(result), cudaMemcpyDeviceToHost);
any.type = cudaGraphNodeTypeExtSemaphoreWait;
printf("%d %d %d", set, result[1], cudaGraphAddNode(&found, other, NULL, NULL, 0, &any));""").ok()
    assert r.stdout == "0 6 801", r.shown


def test_a_stream_that_was_joined_may_go_before_the_capture_ends(fresh_kernel):
    assert fresh_kernel.run("""#include <stdio.h>
__global__ void put(int *p, int v) { *p = v; }
int *p; cudaMallocManaged(&p, 8);
cudaStream_t main_, side, lost; cudaEvent_t e; cudaGraph_t g; cudaGraphExec_t x;
cudaStreamCreate(&main_); cudaStreamCreate(&side); cudaEventCreate(&e);
cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
cudaEventRecord(e, main_); cudaStreamWaitEvent(side, e, 0);
put<<<1, 1, 0, side>>>(p, 7);
cudaEventRecord(e, side); cudaStreamWaitEvent(main_, e, 0);
cudaStreamDestroy(side);
int joined = cudaStreamEndCapture(main_, &g);
cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, main_); cudaStreamSynchronize(main_);
cudaStreamCreate(&lost);
cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
cudaEventRecord(e, main_); cudaStreamWaitEvent(lost, e, 0);
put<<<1, 1, 0, lost>>>(p, 8);
cudaStreamDestroy(lost);
printf("%d %d %d", joined, *p, cudaStreamEndCapture(main_, &g) == cudaErrorStreamCaptureInvalidated); cudaGetLastError();""").ok(
    ).stdout == "0 7 1"


def test_branches_run_side_by_side_and_come_back_after_a_fault(kernel):
    kernel.run("""#include <stdio.h>
__global__ void meet(volatile int *mine, volatile int *other) { *mine = 1; while (!*other) { } }
__global__ void add_both(int *p) { p[2] += p[0] + p[1]; }
cudaDeviceReset();
int *d, *second;
cudaStream_t stream;
cudaGraph_t graph;
cudaGraphExec_t exec;
cudaGraphNode_t fill, meets[2], last;
cudaMalloc(&d, 12);
second = d + 1;
cudaMemset(d, 0, 12);
cudaStreamCreate(&stream);
cudaGraphCreate(&graph, 0);
struct cudaMemsetParams zero = { .dst = d, .elementSize = 4, .width = 2, .height = 1 };
cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &zero);
void *to[] = { &d, &second }, *fro[] = { &second, &d }, *sum[] = { &d };
struct cudaKernelNodeParams how = { .func = (void *)meet, .gridDim = { 1, 1, 1 }, .blockDim = { 1, 1, 1 },
                                    .kernelParams = to };
cudaGraphAddKernelNode(&meets[0], graph, &fill, 1, &how);
how.kernelParams = fro;
cudaGraphAddKernelNode(&meets[1], graph, &fill, 1, &how);
how.func = (void *)add_both;
how.kernelParams = sum;
cudaGraphAddKernelNode(&last, graph, meets, 2, &how);
cudaGraphInstantiate(&exec, graph, 0);""").ok()
    launch = """int sum_now;
cudaGraphLaunch(exec, stream);
cudaGraphLaunch(exec, NULL);
cudaMemcpy(&sum_now, d + 2, 4, cudaMemcpyDeviceToHost);
printf("%d", sum_now);"""
    assert kernel.run(launch).ok().stdout == "4"
    assert kernel.run("cudaGraphLaunch(exec, stream); cudaDeviceSynchronize(); cudaGraphExecDestroy(exec);"
                      "*(volatile int *)8 = 1;").status == "error"
    assert kernel.run(launch).ok().stdout == "8"
