// Sums by shared memory and by shuffles, as templates over the type; compared with the host.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));           \
            exit(EXIT_FAILURE);                                                                       \
        }                                                                                             \
    } while (0)

template <typename T, unsigned BLOCK> __global__ void sum_shared(const T *in, T *out, int n)
{
    __shared__ T part[BLOCK];
    unsigned at = threadIdx.x;
    T mine = 0;
    for (int i = blockIdx.x * BLOCK + at; i < n; i += gridDim.x * BLOCK)
        mine += in[i];
    part[at] = mine;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half; half /= 2) {
        if (at < half)
            part[at] += part[at + half];
        __syncthreads();
    }
    if (!at)
        atomicAdd(out, part[0]);
}

template <typename T> __global__ void sum_shuffled(const T *in, T *out, int n)
{
    T mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    for (int distance = warpSize / 2; distance; distance /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, distance);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(out, mine);
}

template <typename T> bool agree(const char *type, int n)
{
    std::vector<T> host(n);
    T want = 0, got[2], *in, *out;
    for (int i = 0; i < n; i++)
        want += host[i] = i % 13;
    CHECK(cudaMalloc(&in, n * sizeof(T)));
    CHECK(cudaMalloc(&out, 2 * sizeof(T)));
    CHECK(cudaMemset(out, 0, 2 * sizeof(T)));
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    sum_shared<T, 128><<<8, 128>>>(in, out, n);
    CHECK(cudaGetLastError());
    sum_shuffled<T><<<8, 96>>>(in, out + 1, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    printf("%s: %s\n", type, got[0] == want && got[1] == want ? "PASS" : "FAIL");
    return got[0] == want && got[1] == want;
}

int main()
{
    bool good = agree<int>("int", 5000) & agree<float>("float", 5001) & agree<double>("double", 4999);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
