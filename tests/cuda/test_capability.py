# SPDX-License-Identifier: Apache-2.0
"""Device code is compiled for what the devices of the session have; the emulated one is of the capability that is asked for."""
import pytest

ARCH = "__global__ void arch(int *out)\n{\n#ifdef __CUDA_ARCH__\n    *out = __CUDA_ARCH__;\n#endif\n}"
ASK = """int *out, found, major, minor;
cudaMalloc(&out, 4);
arch<<<1, 1>>>(out);
cudaMemcpy(&found, out, 4, cudaMemcpyDeviceToHost);
cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
printf("%d %d.%d", found, major, minor);"""
PROGRAM = r"""%%cuda
#include <cstdio>
__global__ void arch(int *out)
{
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__;
#endif
}
int main()
{
    int *out;
    cudaDeviceProp p;
    cudaMallocManaged(&out, 4);
    arch<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaGetDeviceProperties(&p, 0);
    printf("%d %d.%d", *out, p.major, p.minor);
}"""


@pytest.mark.parametrize("asked, has", [(None, "7.5"), ("8.0", "8.0"), ("9.0", "9.0"), ("8", "7.5")])
def test_cells_and_programs_are_compiled_for_the_device(start_kernel, asked, has):
    kernel = start_kernel(**({"CGPU_EMULATED_CAPABILITY": asked} if asked else {}))
    expected = f"{has.replace('.', '')}0 {has}"
    kernel.run("#include <stdio.h>\n" + ARCH).ok()
    assert kernel.run(ASK).ok().stdout == expected
    assert kernel.run("abort();").status == "error"
    assert kernel.run("arch<<<1, 1>>>(out); cudaMemcpy(&found, out, 4, cudaMemcpyDeviceToHost); found"
                      ).ok().text == expected.split()[0]
    assert kernel.run(PROGRAM).ok().stdout == expected


def test_arithmetic_that_a_newer_device_has(start_kernel):
    """Below 8.0 the header has an assert in its place."""
    kernel = start_kernel(CGPU_EMULATED_CAPABILITY="8.0")
    kernel.run("""#include <cuda_bf16.h>
__device__ float sum_of(float a, float b)
{
    return __bfloat162float(__hadd(__float2bfloat16(a), __float2bfloat16(b)));
}
__global__ void add(float *out) { *out = sum_of(1.5f, 2.25f); }""").ok()
    assert kernel.run("float *sum; cudaMallocManaged(&sum, 4); add<<<1, 1>>>(sum); cudaDeviceSynchronize(); *sum"
                      ).ok().text == "3.75"
