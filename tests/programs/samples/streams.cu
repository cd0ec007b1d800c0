// Two streams with pinned memory, events between them, a callback at the end.
#include <cassert>
#include <cstdio>

__global__ void add(int *p, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += what;
}

static void CUDART_CB note(void *data)
{
    *(int *)data = 7;
}

int main()
{
    const int n = 3000;
    int *host, *device, called = 0;
    cudaStream_t first, second;
    cudaEvent_t filled, begin, end;
    float milliseconds = -1;

    cudaMallocHost(&host, n * sizeof(int));
    cudaMalloc(&device, n * sizeof(int));
    cudaStreamCreate(&first);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaEventRecord(begin, first);
    cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice, first);
    add<<<(n + 255) / 256, 256, 0, first>>>(device, n, 1);
    cudaEventRecord(filled, first);
    cudaStreamWaitEvent(second, filled, 0);
    add<<<(n + 63) / 64, 64, 0, second>>>(device, n, 10);
    cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, second);
    cudaLaunchHostFunc(second, note, &called);
    cudaEventRecord(end, second);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&milliseconds, begin, end);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += host[i] != i + 11;
    assert(cudaStreamQuery(second) == cudaSuccess);
    cudaFreeHost(host);
    cudaFree(device);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaEventDestroy(filled);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    bool good = !wrong && called == 7 && milliseconds >= 0 && cudaPeekAtLastError() == cudaSuccess;
    printf("Test %s\n", good ? "PASSED" : "FAILED");
    return !good;
}
