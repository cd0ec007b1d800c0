// Variables of the device by their names, managed memory, device functions by their address, recursion, printf.
#include <cstdio>

struct pair {
    int a, b;
};
__constant__ pair constants[4];
__device__ int counter;
__managed__ int shared_with_host = 1;
typedef int operation(int, int);

__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ operation *table[] = { plus, times };
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void work(int *out)
{
    int i = threadIdx.x;
    out[i] = table[i % 2](constants[i].a, constants[i].b) + fibonacci(i + 5);
    atomicAdd(&counter, i);
    if (!i) {
        shared_with_host += 41;
        printf("in thread %d\n", i);
    }
}

int main()
{
    pair host[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
    int *out, count = 100;
    cudaMemcpyToSymbol(constants, host, sizeof(host));
    cudaMemcpyToSymbol(counter, &count, sizeof(count));
    cudaMallocManaged(&out, 4 * sizeof(int));
    work<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&count, counter, sizeof(count));
    bool good = out[0] == 8 && out[1] == 20 && out[2] == 24 && out[3] == 77 && count == 106 && shared_with_host == 42;
    cudaFree(out);
    printf("%s\n", good ? "Test PASSED" : "Test FAILED");
    return !good;
}
