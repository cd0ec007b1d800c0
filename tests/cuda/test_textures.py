# SPDX-License-Identifier: Apache-2.0
"""Arrays, textures and surfaces in cells, and that they are as they were after a cell that failed."""
import pytest

TEXTURE = """__global__ void read(cudaTextureObject_t t, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
__global__ void bad(int *p) { *p = 1; }
float pixels[6][8], *d_out, seen[6][8];
cudaArray_t image;
cudaTextureObject_t texture;
for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++)
        pixels[y][x] = 10 * y + x;
cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
cudaMallocArray(&image, &format, 8, 6);
cudaMemcpy2DToArray(image, 0, 0, pixels, sizeof(pixels[0]), sizeof(pixels[0]), 6, cudaMemcpyHostToDevice);
struct cudaResourceDesc what = {};
what.resType = cudaResourceTypeArray;
what.res.array.array = image;
struct cudaTextureDesc how = {};
how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
how.filterMode = cudaFilterModePoint;
how.readMode = cudaReadModeElementType;
cudaCreateTextureObject(&texture, &what, &how, NULL);
cudaMalloc(&d_out, sizeof(seen));"""

READ = """read<<<dim3(1, 1), dim3(8, 8)>>>(texture, d_out, 8, 6);
cudaMemcpy(seen, d_out, sizeof(seen), cudaMemcpyDeviceToHost);
int wrong = 0;
for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++)
        wrong += seen[y][x] != pixels[y][x];
wrong"""


def test_a_texture_reads_its_array(kernel):
    kernel.run(TEXTURE).ok()
    assert kernel.run(READ).ok().text == "0"


def test_an_array_is_as_before_a_cell_that_failed(kernel):
    kernel.run(TEXTURE).ok()
    assert kernel.run("""float zeros[6][8] = {};
cudaMemcpy2DToArray(image, 0, 0, zeros, sizeof(zeros[0]), sizeof(zeros[0]), 6, cudaMemcpyHostToDevice);
bad<<<1, 1>>>((int *)64);
cudaDeviceSynchronize();""").ename == "CudaIllegalAddress"
    assert kernel.run(READ).ok().text == "0"


def test_destroyed_in_a_cell_that_failed_and_there_again(kernel):
    kernel.run(TEXTURE).ok()
    lost = kernel.run("cudaDestroyTextureObject(texture); cudaFreeArray(image); *(volatile int *)8 = 1;")
    assert lost.status == "error"
    assert kernel.run(READ).ok().text == "0"


def test_undo_over_an_array(kernel):
    kernel.run(TEXTURE).ok()
    kernel.run("""float zeros[6][8] = {};
cudaMemcpy2DToArray(image, 0, 0, zeros, sizeof(zeros[0]), sizeof(zeros[0]), 6, cudaMemcpyHostToDevice);""").ok()
    assert kernel.run(READ).ok().text == "47"
    kernel.run("%undo 2").ok()
    assert kernel.run(READ).ok().text == "0"


def test_a_surface_that_device_code_wrote_is_committed_and_rolled_back(kernel):
    kernel.run("""__global__ void add(cudaSurfaceObject_t s, int n)
{
    int v;
    surf2Dread(&v, s, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(v + n, s, threadIdx.x * 4, threadIdx.y);
}
__global__ void bad(int *p) { *p = 1; }
cudaArray_t image;
cudaSurfaceObject_t surface;
int values[4][4] = {}, back[4][4];
cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
cudaMallocArray(&image, &format, 4, 4, cudaArraySurfaceLoadStore);
cudaMemcpyToArray(image, 0, 0, values, sizeof(values), cudaMemcpyHostToDevice);
struct cudaResourceDesc what = { .resType = cudaResourceTypeArray };
what.res.array.array = image;
cudaCreateSurfaceObject(&surface, &what);""").ok()
    kernel.run("add<<<1, dim3(4, 4)>>>(surface, 7);").ok()
    lost = kernel.run("add<<<1, dim3(4, 4)>>>(surface, 100); bad<<<1, 1>>>((int *)64); cudaDeviceSynchronize();")
    assert lost.ename == "CudaIllegalAddress"
    assert kernel.run("""cudaMemcpyFromArray(back, image, 0, 0, sizeof(back), cudaMemcpyDeviceToHost);
add<<<1, dim3(4, 4)>>>(surface, 1);
back[0][0] * 1000 + back[3][3]""").ok().text == "7007"


def test_three_dimensions_in_and_out(kernel):
    assert kernel.run("""cudaArray_t box;
short in[3][4][5], out[3][4][5];
for (int i = 0; i < 60; i++) ((short *)in)[i] = i;
cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
cudaMalloc3DArray(&box, &format, make_cudaExtent(5, 4, 3));
cudaMemcpy3DParms p = {};
p.srcPtr = make_cudaPitchedPtr(in, 5 * sizeof(short), 5, 4);
p.dstArray = box;
p.extent = make_cudaExtent(5, 4, 3);
p.kind = cudaMemcpyHostToDevice;
cudaError_t first = cudaMemcpy3D(&p);
cudaMemcpy3DParms q = {};
q.srcArray = box;
q.srcPos = make_cudaPos(1, 2, 1);
q.dstPtr = make_cudaPitchedPtr(out, 5 * sizeof(short), 5, 4);
q.extent = make_cudaExtent(2, 1, 2);
q.kind = cudaMemcpyDeviceToHost;
cudaError_t second = cudaMemcpy3D(&q);
struct cudaExtent extent;
cudaArrayGetInfo(&format, &extent, NULL, box);
first + second + (out[0][0][0] == 31 && out[0][0][1] == 32 && out[1][0][0] == 51 && extent.depth == 3)""").ok().text == "1"


@pytest.mark.parametrize("call, error", [
    ("cudaMemcpy2DToArray(image, 4, 0, pixels, 32, 32, 6, cudaMemcpyHostToDevice)", "cudaErrorInvalidValue"),
    ("cudaMemcpy2DToArray(image, 0, 0, pixels, 16, 32, 6, cudaMemcpyHostToDevice)", "cudaErrorInvalidPitchValue"),
    ("cudaMemcpy2DToArray(image, 0, 0, pixels, 32, 32, 6, cudaMemcpyDeviceToHost)", "cudaErrorInvalidValue"),
    ("cudaMemcpy2DToArray(image, 0, 0, pixels, 32, 32, 6, (enum cudaMemcpyKind)9)",
     "cudaErrorInvalidMemcpyDirection"),
    ("cudaMemcpy2DToArray((cudaArray_t)&format, 0, 0, pixels, 32, 32, 6, cudaMemcpyHostToDevice)",
     "cudaErrorInvalidResourceHandle"),
    ("cudaMallocArray(&image, NULL, 8, 6)", "cudaErrorInvalidValue"),
    ("(format.y = 8, cudaMallocArray(&image, &format, 8, 6))", "cudaErrorInvalidChannelDescriptor"),
    ("cudaFreeArray((cudaArray_t)&format)", "cudaErrorInvalidValue"),
    ("cudaDestroyTextureObject(texture + 99)", "cudaErrorInvalidValue"),
    ("(what.res.array.array = (cudaArray_t)8, cudaCreateTextureObject(&texture, &what, &how, NULL))",
     "cudaErrorInvalidResourceHandle"),
    ("cudaCreateSurfaceObject(&texture, &what)", "cudaErrorInvalidValue"),
])
def test_wrong_calls_have_the_errors_of_cuda(kernel, call, error):
    kernel.run(TEXTURE).ok()
    result = kernel.run(f"""#include <stdio.h>
printf("%s", cudaGetErrorName({call}));""").ok()
    assert result.stdout == error


def test_an_object_keeps_its_number_when_those_before_it_are_gone(kernel):
    kernel.run(TEXTURE.replace("cudaCreateTextureObject", """cudaTextureObject_t others[3];
for (int i = 0; i < 3; i++)
    cudaCreateTextureObject(&others[i], &what, &how, NULL);
cudaCreateTextureObject""") + "\nfor (int i = 0; i < 3; i++) cudaDestroyTextureObject(others[i]);").ok()
    assert kernel.run("*(volatile int *)8 = 1;").status == "error"
    assert kernel.run(READ).ok().text == "0"


def test_linear_memory_and_levels_of_detail_after_a_fault(kernel):
    kernel.run("""__global__ void linear(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
__global__ void levels(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x);
}
float host[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, seen[8], *d, *d_seen, plain[64];
cudaTextureObject_t line, mips;
cudaMipmappedArray_t pyramid;
cudaArray_t level;
cudaMalloc(&d, sizeof(host));
cudaMalloc(&d_seen, sizeof(seen));
cudaMemcpy(d, host, sizeof(host), cudaMemcpyHostToDevice);
cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
cudaResourceDesc what = {};
cudaTextureDesc how = {};
what.resType = cudaResourceTypeLinear;
what.res.linear.devPtr = d;
what.res.linear.desc = format;
what.res.linear.sizeInBytes = sizeof(host);
cudaError_t e = cudaCreateTextureObject(&line, &what, &how, NULL);
cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(8, 8, 0), 3);
for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 64; k++)
        plain[k] = 100 + i;
    cudaGetMipmappedArrayLevel(&level, pyramid, i);
    cudaMemcpy2DToArray(level, 0, 0, plain, 32 >> i, 32 >> i, 8 >> i, cudaMemcpyHostToDevice);
}
what.resType = cudaResourceTypeMipmappedArray;
what.res.mipmap.mipmap = pyramid;
how.normalizedCoords = 1;
how.maxMipmapLevelClamp = 2;
cudaCreateTextureObject(&mips, &what, &how, NULL);""").ok()
    assert kernel.run("*(volatile int *)8 = 1;").status == "error"
    assert kernel.run("""linear<<<1, 8>>>(line, d_seen);
cudaMemcpy(seen, d_seen, sizeof(seen), cudaMemcpyDeviceToHost);
float sum = seen[0] + seen[7];
levels<<<1, 3>>>(mips, d_seen);
cudaMemcpy(seen, d_seen, sizeof(seen), cudaMemcpyDeviceToHost);
sum * 1000000 + seen[1] * 1000 + seen[2]""").ok().text == "9101102.0"
    assert kernel.run("""(cudaGetMipmappedArrayLevel(&level, pyramid, 3) == cudaErrorInvalidValue) +
(cudaFreeArray(level) == cudaErrorInvalidValue) + (cudaFreeMipmappedArray(pyramid) == cudaSuccess) +
(cudaFreeMipmappedArray(pyramid) == cudaErrorInvalidValue) +
(cudaGetChannelDesc(&format, level) != cudaSuccess)""").ok().text == "5"


def test_a_snapshot_has_arrays(kernel):
    kernel.run(TEXTURE).ok()
    kernel.run("%snapshot save pictures").ok()
    kernel.run("""cudaMemset(d_out, 0, sizeof(seen));
cudaMemcpy2DToArray(image, 0, 0, d_out, 32, 32, 6, cudaMemcpyDeviceToDevice);""").ok()
    assert kernel.run(READ).ok().text == "47"
    kernel.run("%snapshot load pictures").ok()
    assert kernel.run(READ).ok().text == "0"


def test_templates_of_channel_descriptors(kernel):
    assert kernel.run("""%%cpp
cudaChannelFormatDesc of_cpp = cudaCreateChannelDesc<ushort4>();
of_cpp.x * 100 + of_cpp.w + (of_cpp.f == cudaChannelFormatKindUnsigned)""").ok().text == "1617"
    assert kernel.run("""cudaChannelFormatDesc of_c = cudaCreateChannelDesc<uchar2>();
of_c.x * 100 + of_c.y * 10 + of_c.z + (of_c.f == cudaChannelFormatKindUnsigned)""").ok().text == "881"


def test_an_array_is_counted_with_its_second_copy(fresh_kernel):
    assert fresh_kernel.run("""#include <stdio.h>
size_t before, after, freed, total;
struct cudaChannelFormatDesc f = { 32, 0, 0, 0, cudaChannelFormatKindFloat };
cudaArray_t a;
cudaMemGetInfo(&before, &total);
cudaMallocArray(&a, &f, 1024, 1024, 0);
cudaMemGetInfo(&after, &total);
cudaFreeArray(a);
cudaMemGetInfo(&freed, &total);
printf("%d %d", before - after >= 8 << 20, freed == before);""").ok().stdout == "1 1"
