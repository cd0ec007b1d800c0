// A graph captured from a stream and launched again and again.
#include <cstdio>

__global__ void step(double *x, double dt)
{
    x[threadIdx.x] += dt * threadIdx.x;
}

int main()
{
    double *x, host[32];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    size_t nodes = 0;

    cudaMalloc(&x, sizeof(host));
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 4; i++)
        step<<<1, 32, 0, stream>>>(x, 0.25);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaMemset(x, 0, sizeof(host));
    for (int i = 0; i < 5; i++)
        cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < 32; i++)
        wrong += host[i] != 5.0 * i;
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(x);
    printf("%zu nodes, %d errors: %s\n", nodes, wrong, wrong || nodes != 4 ? "FAIL" : "PASS");
    return wrong || nodes != 4;
}
