# SPDX-License-Identifier: Apache-2.0
"""Device code that launches entries, on a driver that does not have the functions for it: they are in libcudadevrt.a.

The GPU is played (start_on_gpu in conftest.py) and refuses what calls them, unless it was linked with this library."""
import pathlib

import pytest

pytestmark = pytest.mark.cuda

DEFINITIONS = """#include <stdio.h>
__device__ int order[8], at;
__global__ void leaf(int number) { order[atomicAdd(&at, 1)] = number; }
__global__ void node(int number)
{
    order[atomicAdd(&at, 1)] = number;
    leaf<<<1, 2>>>(number + 1);
}
"""
SHOW = "int h[8], n; cudaDeviceSynchronize(); cudaMemcpyFromSymbol(&n, at, 4); cudaMemcpyFromSymbol(h, order, sizeof h);\n" \
       'for (int i = 0; i < n; i++) printf("%d ", h[i]);'
PROGRAM = "%%cuda -rdc=true\n#include <cstdio>\n" + DEFINITIONS + "int main() { node<<<1, 1>>>(4); " + SHOW + " }\n"


@pytest.fixture(scope="module", params=["on a GPU", "emulated"])
def session(request, start_on_gpu, start_kernel):
    return start_on_gpu(CGPU_PLAYED_GPU="devrt=library") if request.param == "on a GPU" else start_kernel()


@pytest.fixture(scope="module")
def without_library(nvcc, tmp_path_factory):
    """A folder that stands for all of CUDA and lacks this one file."""
    cuda, folder = pathlib.Path(nvcc).resolve().parent.parent, tmp_path_factory.mktemp("cuda")
    for name in ("bin", "include", "nvvm"):
        if (cuda / name).exists():
            (folder / name).symlink_to(cuda / name)
    for name in ("lib", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"):
        for path in (cuda / name).glob("*.so*"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / name / path.name).symlink_to(path)
    return str(folder)


def test_an_entry_launches_an_entry(session):
    session.run(DEFINITIONS).ok()
    assert session.run("{ node<<<1, 1>>>(4); " + SHOW + " }").ok().stdout == "4 5 5 "


def test_it_does_in_the_next_process(session):
    """That one makes the driver's module again from what the session has."""
    session.run(DEFINITIONS).ok()
    session.run("node<<<1, 1>>>(1); cudaDeviceSynchronize();").ok()
    assert session.run("node<<<1, 1>>>(7); cudaDeviceSynchronize(); *(volatile int *)8 = 1;").status == "error"
    assert session.run("{ node<<<1, 1>>>(3); " + SHOW + " }").ok().stdout == "1 2 2 3 4 4 "


def test_a_program_for_nvcc_does(session):
    assert session.run(PROGRAM).ok().stdout == "4 5 5 "


def test_a_library_of_device_code_does(session):
    result = session.run(r"""#include <stdio.h>
const char *launching =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], "
    ".param .align 4 .b8 b[12], .param .b32 s);\n"
    ".visible .entry launching()\n{\n"
    "{ .param .b64 r; .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;\n"
    "call.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); }\nret;\n}\n";
cudaLibrary_t library;
printf("%d", cudaLibraryLoadData(&library, launching, 0, 0, 0, 0, 0, 0));""").ok()
    assert result.stdout == "0", result.shown


def test_a_missing_library_is_told_with_what_to_do(start_on_gpu, without_library):
    session = start_on_gpu(CGPU_PLAYED_GPU="devrt=library", CGPU_CUDA=without_library)
    session.run("int kept = 5;").ok()
    result = session.run("kept = 6;\n" + DEFINITIONS)
    assert result.errors == 1, result.shown
    assert "it calls __cudaCDP2" in result.evalue and "libcudadevrt.a, which is not installed" in result.evalue, result.shown
    assert 'pip install "nvidia-cuda-runtime==13.0.*"' in result.evalue and "(218)" not in result.shown, result.shown
    assert session.run("kept").ok().text == "5"
    # A program goes on without its device code, as everywhere.
    assert 'pip install "nvidia-cuda-runtime==13.0.*"' in session.run(PROGRAM).stderr
    # What calls nothing of it needs no library.
    session.run("__global__ void k(int *p) { *p = 3; }\n"
                "int *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize();").ok()
    assert session.run("*p").ok().text == "3"
    session.close()


def test_the_emulated_device_needs_no_library(start_kernel, without_library):
    session = start_kernel(CGPU_CUDA=without_library)
    session.run(DEFINITIONS).ok()
    assert session.run("{ node<<<1, 1>>>(4); " + SHOW + " }").ok().stdout == "4 5 5 "
    session.close()


def test_a_function_that_a_later_cell_defines(start_on_gpu):
    """A driver refuses code that calls what nobody has defined; the emulated one looks when it is called."""
    session = start_on_gpu()
    session.run("__device__ int later(int x);\n__global__ void uses(int *p) { *p = later(21); }\n"
                "int *p; cudaMallocManaged(&p, 4);").ok()
    refused = session.run("uses<<<1, 1>>>(p);")
    assert "later" in refused.shown, refused.shown
    session.run("__device__ int later(int x) { return 2 * x; }").ok()
    assert session.run("uses<<<1, 1>>>(p); cudaDeviceSynchronize(); *p").ok().text == "42"
    session.close()
