// A texture object over an array, with borders and linear filtering, and a surface written in place.
#include <cmath>
#include <cstdio>

__global__ void look(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x * 0.5f, 1.5f);
}

__global__ void mark(cudaSurfaceObject_t surface)
{
    surf2Dwrite(100.0f, surface, threadIdx.x * (int)sizeof(float), 1);
}

int main()
{
    const int width = 8, height = 4;
    float host[height][width], got[2 * width], *out;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    bool good = true;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            host[y][x] = 10 * y + x;
    cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, host, sizeof(host[0]), sizeof(host[0]), height, cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    cudaCreateSurfaceObject(&surface, &resource);
    cudaMalloc(&out, sizeof(got));
    look<<<1, 2 * width>>>(texture, out);
    cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * width; i++)
        good &= fabsf(got[i] - (10 + fmaxf(i * 0.5f - 0.5f, 0))) < 1.0f / 128;
    mark<<<1, width>>>(surface);
    look<<<1, 2 * width>>>(texture, out);
    cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * width; i++)
        good &= got[i] == 100;
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFree(out);
    printf("%s\n", good && cudaGetLastError() == cudaSuccess ? "PASS" : "FAIL");
    return !good;
}
