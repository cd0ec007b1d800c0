# SPDX-License-Identifier: Apache-2.0
"""Each way in which a CUDA entry can fail, and running out of device memory."""
import pytest

pytestmark = pytest.mark.cuda

# name: (ename, CUDA line, words, cell; its first line spoils the state)
FAULTS = {
    "out of bounds": ("CudaIllegalAddress", 4, ["beyond", "device"], """
__global__ void beyond(float *p)
{
    p[threadIdx.x + (1 << 24)] = 1;
}
beyond<<<2, 32>>>(device); cudaDeviceSynchronize();"""),
    "one element past the end": ("CudaIllegalAddress", 4, ["past_end", "device"], """
__global__ void past_end(float *p, int n)
{
    p[n] = 1;
}
past_end<<<1, 1>>>(device, device_count); cudaDeviceSynchronize();"""),
    "null pointer": ("CudaIllegalAddress", 4, ["nowhere"], """
__global__ void nowhere(int *p)
{
    *p = 1;
}
nowhere<<<1, 1>>>(NULL); cudaDeviceSynchronize();"""),
    "misaligned": ("CudaMisalignedAddress", 4, ["crooked"], """
__global__ void crooked(char *p)
{
    *(int *)(p + 1) = 1;
}
crooked<<<1, 1>>>((char *)device); cudaDeviceSynchronize();"""),
    "misaligned and past the end": ("CudaMisalignedAddress", 4, ["crooked", "must be a multiple of 8"], """
__global__ void crooked(char *p)
{
    *(double *)p = 1;
}
crooked<<<1, 1>>>((char *)(device + device_count) - 4); cudaDeviceSynchronize();"""),
    "assert": ("CudaAssert", 5, ["i < 5"], """
#include <assert.h>
__global__ void checked(int i)
{
    assert(i < 5);
}
checked<<<1, 1>>>(7); cudaDeviceSynchronize();"""),
    "trap": ("CudaLaunchFailure", 4, ["trapped"], """
__global__ void trapped()
{
    __trap();
}
trapped<<<1, 1>>>(); cudaDeviceSynchronize();"""),
    "nobody waits for the entry": ("CudaIllegalAddress", 4, ["later"], """
__global__ void later(int *p)
{
    *p = 1;
}
later<<<1, 1>>>(NULL);"""),
}


# What a GPU does not see: it would be a fault in memory of nobody.
UNSEEN = "one element past the end"


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.emulated) if n == UNSEEN else n for n in FAULTS])
def test_fault_is_an_error_and_state_is_kept(state, spoil, name):
    ename, line, words, cell = FAULTS[name]
    result = state.session.run(spoil.strip() + cell)
    state.assert_fault(result, ename, line, *words)


@pytest.mark.emulated
def test_the_report_names_cta_lane_and_buffer(state):
    result = state.session.run("""__global__ void far_out(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 70)
        p[n + 2] = 1;
}
far_out<<<4, 32>>>(device, device_count);
cudaDeviceSynchronize();""")
    state.assert_fault(result, "CudaIllegalAddress", 5, "far_out", "(2,0,0)", "(6,0,0)", "device", "9 bytes after")


def test_device_memory_over_the_cap_says_who_holds_what(fresh_kernel):
    fresh_kernel.run("%limit gpu 64M").ok()
    fresh_kernel.run("char *big; cudaMalloc(&big, 40 << 20); cudaMemset(big, 5, 40 << 20);").ok()
    result = fresh_kernel.run("char *more; cudaMalloc(&more, 40 << 20); cudaMemset(more, 1, 40 << 20);")
    assert result.ename == "CudaOutOfMemory", result.shown
    assert "big" in result.shown and "64" in result.shown and "40" in result.shown, result.shown
    fresh_kernel.run("char *less; cudaMalloc(&less, 16 << 20); cudaMemset(less, 1, 16 << 20);").ok()
    check = fresh_kernel.run("char byte; cudaMemcpy(&byte, big + (40 << 20) - 1, 1, cudaMemcpyDeviceToHost); byte + 0")
    assert check.ok().text == "5"


def test_a_crash_after_a_refused_allocation_names_the_refusal(fresh_kernel):
    fresh_kernel.run("%limit gpu 32M").ok()
    result = fresh_kernel.run("""volatile int *p = 0;
cudaMalloc(&p, 64 << 20);
*p = 1;""")
    assert result.ename == "SegmentationFault", result.shown
    assert "of 64.0 MiB" in result.traceback and "%limit gpu SIZE" in result.traceback, result.shown


def test_a_cell_that_handles_out_of_memory_goes_on(fresh_kernel):
    fresh_kernel.run("%limit gpu 32M").ok()
    result = fresh_kernel.run("""char *p;
cudaError_t e = cudaMalloc(&p, 64 << 20);
printf("%d %s\\n", e, cudaGetErrorString(cudaGetLastError()));""").ok()
    assert result.stdout == "2 out of memory\n"


def test_double_cuda_free(state):
    result = state.session.run("float *once; cudaMalloc(&once, 64);\ncudaFree(once);\n"
                               'cudaError_t e = cudaFree(once); printf("%s\\n", cudaGetErrorName(e));').ok()
    assert result.stdout == "cudaErrorInvalidValue\n"
    state.assert_untouched()
