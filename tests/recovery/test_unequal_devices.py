# SPDX-License-Identifier: Apache-2.0
"""Two GPUs, one of which has a fourth of the other's memory. They are played (start_on_gpu in conftest.py)."""
import pytest

pytestmark = pytest.mark.cuda

DEFINITIONS = """__global__ void set(char *p, int value) { p[threadIdx.x] = value; }
char *large, *small;
cudaMalloc(&large, 800u << 20);
cudaSetDevice(1);
cudaMalloc(&small, 100u << 20);
set<<<1, 8>>>(small, 2);
cudaSetDevice(0);
set<<<1, 8>>>(large, 1);
int both(void)
{
    char a, b;
    cudaMemcpy(&a, large + 7, 1, cudaMemcpyDefault);
    cudaMemcpy(&b, small + 7, 1, cudaMemcpyDefault);
    return 10 * a + b;
}"""


@pytest.fixture(scope="module")
def session(start_on_gpu):
    session = start_on_gpu(CGPU_EMULATED_DEVICES="2", CGPU_EMULATED_MEMORY="2G", CGPU_PLAYED_GPU="memory=1024:256")
    session.run(DEFINITIONS).ok()
    return session


def test_each_says_what_it_has(session):
    result = session.run("""for (int d = 0; d < 2; d++) {
    struct cudaDeviceProp p; size_t left, total;
    cudaSetDevice(d); cudaGetDeviceProperties(&p, d); cudaMemGetInfo(&left, &total);
    printf("%zu %zu %d\\n", p.totalGlobalMem >> 20, total >> 20, left < total);
}
cudaSetDevice(0);""").ok()
    assert result.stdout == "1024 1024 1\n256 256 1\n", result.shown


def test_the_small_one_is_full_first(session):
    assert session.run("char *more; cudaMalloc(&more, 120u << 20); cudaFree(more); both()").ok().text == "12"
    result = session.run("cudaSetDevice(1); set<<<1, 8>>>(small, 5); cudaMalloc(&more, 200u << 20);")
    assert result.ename == "CudaOutOfMemory", result.shown
    assert "device 1" in result.shown, result.shown
    assert session.run("both()").ok().text == "12"


def test_both_are_as_they_were_after_a_fault(session):
    result = session.run("set<<<1, 8>>>(large, 7); cudaSetDevice(1); set<<<1, 8>>>(small, 8); set<<<1, 8>>>((char *)64, 0);\n"
                         "cudaDeviceSynchronize();")
    assert result.ename == "CudaIllegalAddress", result.shown
    assert session.run("both()").ok().text == "12"


def test_a_checked_cell_has_as_much_on_each_as_the_greater_has(session):
    """On one there may be more than half of what they have together."""
    assert session.run("%%memcheck\nprintf(\"%d\", both());").ok().stdout == "12"
    session.run("cudaFree(large);").ok()
    for mark in ("%%memcheck\n", ""):
        result = session.run(mark + "cudaMalloc(&large, 900u << 20); set<<<1, 8>>>(large, 3); cudaDeviceSynchronize();\n"
                             "printf(\"%d\", both());")
        assert result.status == "ok" and result.stdout == "32", result.shown
