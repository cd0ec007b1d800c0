# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs in cells: captured, built from nodes, launched again after a fault."""
import pytest

CAPTURED = """#include <stdio.h>
__global__ void add(int *p, int n, long long scale) { p[threadIdx.x] += n * scale; }
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
    ("(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal), cudaMallocAsync(&d, 4, side))",
     "cudaErrorStreamCaptureUnsupported"),
    ("cudaGraphLaunch((cudaGraphExec_t)graph, stream)", "cudaErrorInvalidValue"),
    ("cudaGraphLaunch(exec, (cudaStream_t)&host)", "cudaErrorInvalidResourceHandle"),
    ("cudaGraphDestroy((cudaGraph_t)exec)", "cudaErrorInvalidValue"),
    ("(cudaGraphDestroy(graph), cudaGraphDestroy(graph))", "cudaErrorInvalidValue"),
    ("cudaGraphAddEmptyNode((cudaGraphNode_t *)&host, graph, (cudaGraphNode_t *)&d, 1)", "cudaErrorInvalidValue"),
])
def test_wrong_calls_have_the_errors_of_cuda(kernel, call, error):
    kernel.run(CAPTURED).ok()
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
