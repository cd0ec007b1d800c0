# SPDX-License-Identifier: Apache-2.0
"""Conditional nodes of CUDA graphs, and user objects, in cells: run, rolled back, launched again after a fault."""

START = """#include <stdio.h>
__global__ void step(int *p, int by, cudaGraphConditionalHandle h) { *p += by; if (h) cudaGraphSetConditional(h, *p); }
cudaDeviceReset();
int *d, host[4];
cudaMalloc(&d, sizeof(host));
cudaMemset(d, 0, sizeof(host));
cudaGraph_t graph, *bodies;
cudaGraphExec_t exec;
cudaGraphNode_t last;
cudaGraphConditionalHandle handle;
cudaGraphCreate(&graph, 0);
void add_step(cudaGraph_t g, int i, int by, cudaGraphConditionalHandle h)
{
    int *p = d + i;
    void *args[] = { &p, &by, &h };
    struct cudaKernelNodeParams how = { .func = (void *)step, .gridDim = { 1, 1, 1 }, .blockDim = { 1, 1, 1 },
                                        .kernelParams = args };
    cudaGraphAddKernelNode(&last, g, NULL, 0, &how);
}
cudaError_t add_conditional(cudaGraph_t g, cudaGraphNode_t on, enum cudaGraphConditionalNodeType type, unsigned size)
{
    struct cudaGraphNodeParams p = { .type = cudaGraphNodeTypeConditional };
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaError_t result = cudaGraphAddNode(&last, g, &on, NULL, on ? 1 : 0, &p);
    if (!result)
        bodies = p.conditional.phGraph_out;
    return result;
}
int run(int first)
{
    cudaMemcpy(d, &first, sizeof(first), cudaMemcpyHostToDevice);
    if (cudaGraphLaunch(exec, 0))
        return -1;
    cudaMemcpy(host, d, sizeof(host), cudaMemcpyDeviceToHost);
    return host[1];
}
"""

LOOP = START + """cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
add_conditional(graph, NULL, cudaGraphCondTypeWhile, 1);
add_step(bodies[0], 0, -1, handle);
add_step(bodies[0], 1, 1, 0);
cudaGraphInstantiate(&exec, graph, 0);"""


def test_a_loop_runs_and_comes_back_after_a_fault(kernel):
    kernel.run(LOOP).ok()
    assert kernel.run('printf("%d", run(5));').ok().stdout == "5"
    lost = kernel.run("cudaGraphExecDestroy(exec); cudaGraphDestroy(graph); *(volatile int *)8 = 1;")
    assert lost.status == "error"
    assert kernel.run('printf("%d", run(3));').ok().stdout == "8"
    lost = kernel.run("""step<<<1, 1>>>((int *)8, 1, handle); cudaDeviceSynchronize();""")
    assert lost.ename == "CudaIllegalAddress", lost.shown
    assert kernel.run('printf("%d", run(2));').ok().stdout == "10"
    # Memory of the condition goes with the last graph that has it.
    r = kernel.run("""cudaGraphDestroy(graph);
int still = run(1), there = cudaMemset((void *)handle, 0, 4);
cudaGraphExecDestroy(exec);
printf("%d %d %d", still, there, cudaMemset((void *)handle, 0, 4)); cudaGetLastError();""").ok()
    assert r.stdout == "11 0 1", r.shown


def test_a_handle_that_no_node_has_makes_no_executable_graph(kernel):
    r = kernel.run(START + """cudaGraphInstantiateParams how = { 0 };
cudaGraphConditionalHandleCreate(&handle, graph, 1, 0);
int unused = cudaGraphInstantiateWithParams(&exec, graph, &how);
int why = how.result_out == cudaGraphInstantiateConditionalHandleUnused;
int three = add_conditional(graph, NULL, cudaGraphCondTypeIf, 3);
int one = add_conditional(graph, NULL, cudaGraphCondTypeIf, 1);
int again = add_conditional(graph, NULL, cudaGraphCondTypeIf, 1);
struct cudaHostNodeParams call = { (cudaHostFn_t)puts, (void *)"never" };
cudaGraphAddHostNode(&last, bodies[0], NULL, 0, &call);
cudaGraphInstantiateWithParams(&exec, graph, &how);
cudaGetLastError();
printf("%d %d %d %d %d %d", unused, why, three, one, again,
       how.result_out == cudaGraphInstantiateNodeOperationNotSupported && how.errNode_out == last);""").ok()
    assert r.stdout == "1 1 1 0 1 1", r.shown


def test_a_switch_in_a_loop(kernel):
    r = kernel.run(START + """cudaGraphConditionalHandle loop;
cudaGraph_t *outer, *choice;
cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
loop = handle;
add_conditional(graph, NULL, cudaGraphCondTypeWhile, 1);
outer = bodies;
add_step(outer[0], 0, -1, loop);
cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
add_step(outer[0], 1, 1, handle);
add_conditional(outer[0], last, cudaGraphCondTypeSwitch, 3);
choice = bodies;
add_step(choice[1], 2, 1, 0);
add_step(choice[2], 2, 16, 0);
cudaGraphConditionalHandleCreate(&handle, choice[2], 0, cudaGraphCondAssignDefault);
add_conditional(choice[2], NULL, cudaGraphCondTypeIf, 2);
add_step(bodies[0], 3, 1, 0);
add_step(bodies[1], 3, 256, 0);
cudaGraphInstantiate(&exec, graph, 0);
int steps = run(4);
printf("%d %#x %#x", steps, host[2], host[3]);""").ok()
    assert r.stdout == "4 0x11 0x100", r.shown


def test_a_body_is_captured_and_the_graph_updated(kernel):
    r = kernel.run(START + """cudaStream_t stream;
cudaStreamCreate(&stream);
cudaGraph_t first, second;
for (int i = 0; i < 2; i++) {
    cudaGraphCreate(i ? &second : &first, 0);
    graph = i ? second : first;
    cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
    add_conditional(graph, NULL, cudaGraphCondTypeIf, 1);
    cudaStreamBeginCaptureToGraph(stream, bodies[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal);
    step<<<1, 1, 0, stream>>>(d + 1, i ? 100 : 1, 0);
    cudaStreamEndCapture(stream, NULL);
}
cudaGraphExecUpdateResultInfo info;
cudaGraphInstantiate(&exec, first, 0);
int one = run(0), updated = cudaGraphExecUpdate(exec, second, &info);
cudaGraphDestroy(second);
int two = run(0);
cudaGraph_t clone;
int twice = cudaGraphInstantiate(&exec, first, 0), cloned = cudaGraphClone(&clone, first);
int as_child = cudaGraphAddChildGraphNode(&last, graph, NULL, 0, first);
cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
int captured = cudaGraphLaunch(exec, stream);
cudaStreamEndCapture(stream, &clone);
cudaGetLastError();
printf("%d %d %d %d %d %d %d", one, updated, two, twice, cloned, as_child, captured);""").ok()
    assert r.stdout == "1 0 101 801 801 1 900", r.shown


def test_a_loop_without_an_end_is_interrupted(kernel):
    kernel.run(START + """cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
add_conditional(graph, NULL, cudaGraphCondTypeWhile, 1);
add_step(bodies[0], 1, 1, 0);
cudaGraphInstantiate(&exec, graph, 0);""").ok()
    cell = kernel.start('puts("begun"); fflush(stdout); run(0);')
    cell.wait_output("begun")
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert kernel.run('printf("%d", 1);').ok().stdout == "1"


def test_user_objects(kernel):
    kernel.run(START + """int gone = 0;
void destroy(void *data) { ++*(int *)data; }
cudaUserObject_t object;
cudaUserObjectCreate(&object, &gone, destroy, 1, cudaUserObjectNoDestructorSync);
cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
add_step(graph, 1, 1, 0);
cudaGraphInstantiate(&exec, graph, 0);""").ok()
    lost = kernel.run("cudaGraphExecDestroy(exec); cudaGraphDestroy(graph); cudaDeviceSynchronize();"
                      'printf("%d", gone); fflush(stdout); *(volatile int *)8 = 1;')
    assert lost.status == "error" and lost.stdout == "1"
    r = kernel.run("""int steps = run(0), first, second;
cudaGraphDestroy(graph);
cudaDeviceSynchronize();
first = gone;
cudaGraphExecDestroy(exec);
cudaDeviceSynchronize();
second = gone;
printf("%d %d %d %d", steps, first, second, cudaUserObjectRelease(object, 1)); cudaGetLastError();""").ok()
    assert r.stdout == "1 0 1 1", r.shown
