// Cooperative groups: tiles, and a grid that waits for all of its blocks.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void steps(int *levels, int *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = (int)grid.thread_rank(), sum = 0;
    for (int level = 1; level < 4; level++) {
        levels[level * n + i] = levels[(level - 1) * n + (i + 1) % n] + 1;
        grid.sync();
    }
    sum = cg::reduce(tile, levels[3 * n + i], cg::plus<int>());
    if (tile.thread_rank() == 0)
        atomicAdd(out, sum);
}

int main()
{
    int n = 4 * 64, *levels, *out, got, want = 0, *host = new int[n];
    for (int i = 0; i < n; i++)
        want += (host[i] = i * i) + 3;
    cudaMalloc(&levels, 4 * n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    cudaMemcpy(levels, host, n * sizeof(int), cudaMemcpyHostToDevice);
    void *arguments[] = { &levels, &out, &n };
    cudaError_t status = cudaLaunchCooperativeKernel((void *)steps, dim3(4), dim3(64), arguments, 0, 0);
    cudaMemcpy(&got, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(levels);
    cudaFree(out);
    delete[] host;
    printf("%s: %s\n", cudaGetErrorName(status), got == want ? "success" : "FAILED");
    return status != cudaSuccess || got != want;
}
