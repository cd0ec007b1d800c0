// Threads of the host with a stream each; static state and atexit() are this run's own; the program ends by exit().
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
#include <getopt.h>

static int runs;
static std::vector<int> results(4);

__global__ void square(int *p) { *p *= *p; }

static void work(int i)
{
    cudaStream_t stream;
    int *device, x = i + 2;
    cudaStreamCreate(&stream);
    cudaMalloc(&device, sizeof(int));
    cudaMemcpyAsync(device, &x, sizeof(int), cudaMemcpyHostToDevice, stream);
    square<<<1, 1, 0, stream>>>(device);
    cudaMemcpyAsync(&results[i], device, sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaFree(device);
    cudaStreamDestroy(stream);
}

static void last() { printf("at exit\n"); }

int main(int argc, char **argv)
{
    std::vector<std::thread> threads;
    atexit(last);
    while (getopt(argc, argv, "n:") != -1)
        continue;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, i);
    for (std::thread &t : threads)
        t.join();
    bool good = ++runs == 1 && optind == 1 && results == std::vector<int>{ 4, 9, 16, 25 };
    puts(good ? "PASSED" : "FAILED");
    exit(good ? 0 : 1);
}
