// A program in several files with arguments: its energy must hardly change.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <unistd.h>
#include "bodies.h"

int main(int argc, char **argv)
{
    int n = 0, option;
    while ((option = getopt(argc, argv, "n:")) != -1)
        n = option == 'n' ? atoi(optarg) : 0;
    if (n < 1 || optind >= argc) {
        fprintf(stderr, "usage: %s -n BODIES STEPS\n", argv[0]);
        return 2;
    }
    std::vector<body> host(n);
    for (int i = 0; i < n; i++)
        host[i] = { cosf(i) * 9, sinf(i * 2) * 9, sinf(i * 3) * 9, 0, 0, 0 };
    double before = energy(host.data(), n);
    body *device;
    cudaMalloc(&device, n * sizeof(body));
    cudaMemcpy(device, host.data(), n * sizeof(body), cudaMemcpyHostToDevice);
    for (int i = 0; i < atoi(argv[optind]); i++)
        step(device, n, 0.001f);
    cudaMemcpy(host.data(), device, n * sizeof(body), cudaMemcpyDeviceToHost);
    cudaFree(device);
    double change = fabs(energy(host.data(), n) / before - 1);
    printf("energy changed by %g: %s\n", change, change < 1e-4 ? "PASSED" : "FAILED");
    return change >= 1e-4;
}
