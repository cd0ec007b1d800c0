# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of cgpu, with the emulated device as their CUDA driver: built by nvcc, or Python with
NVIDIA's own bindings. LD_LIBRARY_PATH is all that they get.

nvcc is one of the CUDA toolkit or the pip wheel nvidia-cuda-nvcc, which ./bootstrap installs where no toolkit is."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import linked_program

ENTRIES = r"""#include <stdio.h>
__device__ int total;
extern "C" __global__ void scale(const float *in, float *out, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * factor;
}
extern "C" __global__ void sum(const float *in, int n)
{
    extern __shared__ int part[];
    int t = threadIdx.x;
    part[t] = t < n ? (int)in[t] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(&total, part[0]);
        printf("sum %d\n", part[0]);
    }
}
extern "C" __global__ void wild(float *out)
{
    out[threadIdx.x + 1000] = 1;
}
"""

PROGRAM = r"""#include <stdio.h>
#include <cuda.h>
#define OK(call) if (failed(call, #call)) return 1
static int failed(CUresult e, const char *call)
{
    const char *name;
    if (e && !cuGetErrorName(e, &name))
        printf("%s: %s\n", call, name);
    return e;
}
int main(int argc, char **argv)
{
    CUdevice device; CUcontext context; CUmodule module; CUfunction scale; CUstream stream; CUevent event;
    CUdeviceptr in, out; float values[500], factor = 3; int n = 500;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, 0));
    OK(cuMemAlloc(&in, sizeof(values)));
    OK(cuMemAlloc(&out, sizeof(values)));
    for (int i = 0; i < n; i++)
        values[i] = i;
    OK(cuMemcpyHtoDAsync(in, values, sizeof(values), stream));
    void *params[] = { &in, &out, &n, &factor };
    OK(cuLaunchKernel(scale, 2, 1, 1, 256, 1, 1, 0, stream, params, 0));
    OK(cuEventRecord(event, stream));
    OK(cuEventSynchronize(event));
    OK(cuMemcpyDtoH(values, out, sizeof(values)));
    for (int i = 0; i < n; i++)
        if (values[i] != 3 * i)
            return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
"""

SHARED_PROGRAM = r"""#include <stdio.h>
#include <string.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
__device__ int total;
__constant__ float factor = 2;
__managed__ int seen;
__global__ void scale(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] *= factor;
        atomicAdd(&total, 1);
    }
    if (i == 0) {
        printf("%d threads\n", n);
        seen = 7;
    }
}
int main(int argc, char **argv)
{
    int n = 1000, t; float *d, h[1000]; void *big; cudaIpcMemHandle_t handle;
    for (int i = 0; i < n; i++)
        h[i] = 1.5f;
    cudaMalloc(&d, sizeof(h));
    if (argc > 1 && !strcmp(argv[1], "ipc"))
        return puts(cudaGetErrorName(cudaIpcGetMemHandle(&handle, d))), 0;
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    if (argc > 1) {
        scale<<<100, 256>>>(d, 1 << 20);
        return puts(cudaGetErrorName(cudaDeviceSynchronize())), 1;
    }
    scale<<<(n + 255) / 256, 256>>>(d, n);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&t, total, sizeof(t));
    printf("%g\n%d\nmanaged %d\n", h[n - 1], t, seen);
    thrust::device_vector<int> v(n, 3);
    printf("reduced %d\n", thrust::reduce(v.begin(), v.end()));
    puts(cudaGetErrorName(cudaMalloc(&big, 1ull << 50)));
    for (int i = 0; i < 100; i++)
        if (cudaMalloc(&big, 1 << 30) || cudaFree(big))
            return puts("memory that was freed is not free"), 1;
    puts("free again");
    return 0;
}
"""

RUNTIME_PROGRAM = r"""#include <stdio.h>
int main(void)
{
    void *p;
    cudaError_t e = cudaMalloc(&p, 4);
    printf("%d\n", (int)e);
    return 0;
}
"""

BINDINGS = r"""
import array, ctypes, sys
from cuda.bindings import driver

def ok(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result[0]
    return result[1] if len(result) == 2 else result[1:]

ok(driver.cuInit(0))
context = ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))
ok(driver.cuCtxSetCurrent(context))
library = ok(driver.cuLibraryLoadFromFile(sys.argv[1].encode(), [], [], 0, [], [], 0))
names = {ok(driver.cuKernelGetName(k)) for k in
         ok(driver.cuLibraryEnumerateKernels(ok(driver.cuLibraryGetKernelCount(library)), library))}
print(sorted(names))
scale, total, wild = (ok(driver.cuLibraryGetKernel(library, n)) for n in (b"scale", b"sum", b"wild"))
n = 100
values = array.array("f", range(n))
a, b = ok(driver.cuMemAlloc(4 * n)), ok(driver.cuMemAlloc(4 * n))
ok(driver.cuMemcpyHtoD(a, values.buffer_info()[0], 4 * n))
args = ((a, b, n, 2.0), (None, None, ctypes.c_int, ctypes.c_float))
ok(driver.cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, 0, args, 0))
ok(driver.cuMemcpyDtoH(values.buffer_info()[0], b, 4 * n))
print(all(values[i] == 2 * i for i in range(n)))
config = driver.CUlaunchConfig()
config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1
config.blockDimX, config.sharedMemBytes = 128, 512
function = ok(driver.cuKernelGetFunction(total))
ok(driver.cuLaunchKernelEx(config, function, ((b, n), (None, ctypes.c_int)), 0))
address, size = ok(driver.cuLibraryGetGlobal(library, b"total"))
seen = array.array("i", [0])
ok(driver.cuMemcpyDtoH(seen.buffer_info()[0], address, size))
print(seen[0])
ok(driver.cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, 0, ((b,), (None,)), 0))
print(driver.cuCtxSynchronize()[0].name)
"""


@pytest.fixture(scope="module")
def driver(prefix):
    """The folder for LD_LIBRARY_PATH."""
    return prefix / "libexec" / "cgpu" / "emulated-driver"


@pytest.fixture(scope="module")
def stub(driver, tmp_path_factory):
    """What a program is linked with where no driver is: the names alone, as in the toolkit's lib64/stubs."""
    folder = tmp_path_factory.mktemp("stub")
    names = subprocess.run(["nm", "-D", "--defined-only", "--format=just-symbols", driver / "libcuda.so.1"],
                           check=True, text=True, capture_output=True).stdout.split()
    (folder / "stub.c").write_text("".join(f"void {name}(void) {{}}\n" for name in names if name.startswith("cu")))
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-Wl,-soname,libcuda.so.1", "-o", folder / "libcuda.so",
                    folder / "stub.c"], check=True)
    return folder


def build(nvcc, folder, name, text, *options):
    source, out = folder / name, folder / (name + ".out")
    source.write_text(text)
    # An nvcc of the wheels of CUDA 13.0 looks for what it links with in lib64, and has it in lib.
    own = pathlib.Path(nvcc).resolve().parents[1] / "lib"
    subprocess.run([nvcc, source, *options, "-L", own, "-o", out], check=True, text=True)
    return out


def run(driver, *command):
    return subprocess.run(command, text=True, capture_output=True, env={**os.environ, "LD_LIBRARY_PATH": str(driver)})


@pytest.mark.parametrize("names", [(), ("__CUDA_API_VERSION_INTERNAL",), ("CUDA_API_PER_THREAD_DEFAULT_STREAM",)])
def test_every_function_of_the_header_is_exported(nvcc, driver, tmp_path, names):
    """Those of this version, of all versions, and those for a default stream of each thread: no program is refused by the
    loader for a symbol that is missing."""
    (tmp_path / "all.cpp").write_text("#include <cuda.h>\n")
    text = subprocess.run([nvcc, "-E", *(f"-D{name}" for name in names), tmp_path / "all.cpp"], check=True, text=True,
                          capture_output=True).stdout
    declared = set(re.findall(r"\bCUresult\s+(cu[A-Z]\w*)\s*\([^;{]*\)\s*;", text))
    assert len(declared) > 400
    exported = subprocess.run(["nm", "-D", "--defined-only", "--format=just-symbols", driver / "libcuda.so.1"],
                              check=True, text=True, capture_output=True).stdout.split()
    assert declared - set(exported) == set()


@pytest.mark.parametrize("packing", ["none", "speed", "size"])
def test_a_program_of_the_driver_api(nvcc, driver, stub, tmp_path, packing):
    code = build(nvcc, tmp_path, "entries.cu", ENTRIES, "-fatbin", "-arch=compute_75", "-compress-mode", packing)
    program = build(nvcc, tmp_path, "program.cpp", PROGRAM, "-cudart", "none", "-L", stub, "-lcuda")
    result = run(driver, program, code)
    assert (result.returncode, result.stdout, result.stderr) == (0, "PASS\n", "")


def test_machine_code_alone_is_refused_with_the_option_that_helps(nvcc, driver, stub, tmp_path):
    code = build(nvcc, tmp_path, "entries.cu", ENTRIES, "-fatbin", "-gencode", "arch=compute_75,code=sm_75")
    program = build(nvcc, tmp_path, "program.cpp", PROGRAM, "-cudart", "none", "-L", stub, "-lcuda")
    result = run(driver, program, code)
    assert result.stdout.endswith("CUDA_ERROR_NO_BINARY_FOR_GPU\n")
    assert "compile with -gencode arch=compute_75,code=compute_75" in result.stderr


def test_python_bindings_and_the_report_of_a_fault(nvcc, driver, tmp_path):
    code = build(nvcc, tmp_path, "entries.cu", ENTRIES, "-fatbin", "-arch=compute_75", "-lineinfo")
    script = tmp_path / "script.py"
    script.write_text(BINDINGS)
    result = run(driver, sys.executable, script, code)
    # What device code prints and what Python prints have buffers of their own: their order is not defined.
    assert sorted(result.stdout.splitlines()) == sorted(
        ["[b'scale', b'sum', b'wild']", "True", "sum 9900", "9900", "CUDA_ERROR_ILLEGAL_ADDRESS"]), result.stderr
    line = 1 + ENTRIES.splitlines().index("    out[threadIdx.x + 1000] = 1;")
    assert "========= Invalid __global__ write of size 4 bytes" in result.stderr
    assert f"entries.cu:{line}" in result.stderr
    assert "by thread (0,0,0) in block (0,0,0)" in result.stderr


def test_the_cuda_runtime_is_refused_with_a_clear_line(nvcc, driver, tmp_path):
    result = run(driver, build(nvcc, tmp_path, "runtime.cu", RUNTIME_PROGRAM))
    assert (result.returncode, result.stdout) == (0, "500\n")
    assert result.stderr.startswith("cgpu-emulator: this program uses NVIDIA's CUDA runtime")
    assert "nvcc -cudart shared" in result.stderr


def test_the_folder_holds_the_driver_and_the_runtime(driver):
    assert {p.name: p.resolve() for p in driver.iterdir()} == {
        "libcuda.so": driver.parent / "libcgpu-emulator.so",
        "libcuda.so.1": driver.parent / "libcgpu-emulator.so",
        "libcudart.so": driver.parent / "libcgpu-cudart.so",
        "libcudart.so.13": driver.parent / "libcgpu-cudart.so",
    }


@pytest.fixture(scope="module")
def shared(nvcc, driver, tmp_path_factory):
    """A program that gets the runtime API from a library."""
    folder = tmp_path_factory.mktemp("shared")
    return build(nvcc, folder, "shared.cu", SHARED_PROGRAM, "-cudart", "shared", "-L", driver, "-arch=sm_75",
                 "-lineinfo")


def test_a_program_of_the_runtime_api(driver, shared):
    result = run(driver, shared)
    assert (result.returncode, result.stderr) == (0, "")
    assert sorted(result.stdout.splitlines()) == sorted([
        "1000 threads", "cudaSuccess", "3", "1000", "managed 7", "reduced 3000",
        "cudaErrorMemoryAllocation", "free again"])


@pytest.mark.parametrize("code", ["compute_75", "sm_75"])
def test_device_code_of_several_files_is_linked(nvcc, driver, tmp_path, code):
    (tmp_path / "other.cu").write_text(linked_program.OTHER)
    program = build(nvcc, tmp_path, "main.cu", linked_program.MAIN, tmp_path / "other.cu", "-rdc=true", "-arch", code,
                    "-cudart", "shared", "-L", driver)
    result = run(driver, program)
    assert (result.returncode, result.stdout, result.stderr) == (0, linked_program.OUTPUT, "")


def test_a_fault_of_a_program_of_the_runtime_api(driver, shared):
    result = run(driver, shared, "fault")
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "cudaErrorIllegalAddress"
    line = 1 + SHARED_PROGRAM.splitlines().index("        p[i] *= factor;")
    assert "========= Invalid __global__ read of size 4 bytes" in result.stderr
    assert f"shared.cu:{line}" in result.stderr


def test_what_the_runtime_does_not_do_says_so(driver, shared):
    result = run(driver, shared, "ipc")
    assert result.stdout.splitlines()[-1] == "cudaErrorNotSupported"
    assert result.stderr == ("cudaIpcGetMemHandle: not supported: device memory and events belong to the session and are not "
                             "shared with other programs\n")
